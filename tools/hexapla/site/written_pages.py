"""The pages that have a file, parsed when they are asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from hexapla.pages import Page
from hexapla.pages.blocks import classify_lines
from hexapla.pages.lines import FRONT, Line, read_once
from hexapla.pages.parser import parse_blocks

PageKey = tuple[str, str]  # a language, and a path below its folder


def read_body(markdown: str, text: str) -> Sequence[Line]:
    """The lines of a page's Markdown: those of its whole text, where that has no more than front matter above it."""
    lines = read_once(text)
    above = [line.text for line in takewhile(lambda line: line.kind is FRONT or not line.text.strip(), lines)]
    return lines[len(above):] if "".join([*above, markdown]) == text else read_once(markdown)


class WrittenPages(Mapping[PageKey, Page]):
    """The pages that have a file, parsed when they are asked for. Asking raises OSError and UnicodeDecodeError.

    `name` gives the path of what a page includes.
    """

    def __init__(self, files: Mapping[PageKey, Path], name: Callable[[str], str]) -> None:
        self.files = files
        self.name = name
        self._parsed: dict[PageKey, Page] = {}

    def __getitem__(self, key: PageKey) -> Page:
        if key not in self._parsed:
            page = parse_blocks(text := self.text(key), [*classify_lines(read_once(text))])
            includes = tuple(each._replace(path=self.name(each.path)) for each in page.includes)
            self._parsed[key] = page._replace(includes=includes)
        return self._parsed[key]

    def text(self, key: PageKey) -> str:
        """A page's text, which is not parsed for it."""
        return self.files[key].read_bytes().decode("utf-8-sig")

    def ids(self, language: str, name: str) -> frozenset[str] | None:
        """The ids that are written on the headings of a page, None where it is not there or cannot be read."""
        try:
            headings = self[language, name].headings
        except (KeyError, OSError, UnicodeDecodeError):
            return None
        return frozenset(each.id for each in headings if each.id)

    def forget(self, key: PageKey) -> None:
        """Parse a page again when it is asked for the next time."""
        self._parsed.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self.files  # the mapping's own way would parse the page

    def __iter__(self) -> Iterator[PageKey]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)
