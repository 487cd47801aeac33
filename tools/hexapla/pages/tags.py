"""The start tags of HTML, where they stand in it: no code, comment or value of an attribute is taken for one."""

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import accumulate


def edit_tags(html: str, edit: Callable[[str], str]) -> str:
    """HTML with each start tag as `edit` makes it of what was written, all else as it was.

    >>> edit_tags('<p title="a > b">code: <code>title="c"</code></p>', str.upper)
    '<P TITLE="A > B">code: <CODE>title="c"</code></p>'
    """
    return "".join(edit(part) if is_tag else part for part, is_tag in split_tags(html))


def split_tags(html: str) -> Iterator[tuple[str, bool]]:
    """The start tags of HTML and what stands between them; joined they are the HTML."""
    reader = TagReader(html)
    position = 0
    for start, tag in reader.found:
        yield html[position:start], False
        yield tag, True
        position = start + len(tag)
    yield html[position:], False


class TagReader(HTMLParser):
    """Notes the offset and the text of each start tag."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[int, str]] = []
        self.lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self.feed(html)
        self.close()

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """The end of what begins with `<![`: a comment in HTML, whose name would stop the parser.

        >>> edit_tags("<![if[ x]]><p>", str.upper)
        '<![if[ x]]><P>'
        """
        return self.parse_bogus_comment(i, report)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        self.found.append((self.lines[line - 1] + column, self.get_starttag_text() or ""))
