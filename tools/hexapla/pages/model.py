"""What a page holds. Lines and columns count from 1, in characters of the page's text.

What a page has hundreds of are tuples: they are made, and their classes imported, in a fraction of a dataclass's time.
"""

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple


class Heading(NamedTuple):
    """A heading; `id` is the one its author wrote, None where the renderer would make one up.

    `anchor` is the id the reader's browser sees, "" on a page that was not rendered.
    """

    level: int
    text: str
    id: str | None
    line: int
    column: int
    anchor: str = ""


class Fence(NamedTuple):
    """A fenced block; `line` opens it, `end_line` closes it (0 where nothing does)."""

    language: str
    line: int
    end_line: int
    content: str


class Include(NamedTuple):
    """A line `--8<-- "path:section"`, or `path:first:last` in lines of the included file.

    `section` is "" for a whole file; `first` and `last` are None where no range was asked for.
    `language` is that of the fence around it, "" outside fences.
    """

    path: str
    section: str
    first: int | None
    last: int | None
    line: int
    column: int
    indent: str
    language: str


class Inclusion(NamedTuple):
    """A line `{* path *}` or `{! path !}`, and VitePress' `<<< path` or `<!--@include: path-->`: `mark` begins it.

    `lines` is what it asks of the file and marks in it, as it stands there; of VitePress' the region alone.
    """

    path: str
    lines: str
    line: int
    column: int
    mark: str = "{"


class Problem(NamedTuple):
    """Something that a renderer would get wrong without a word; `rule` names it."""

    rule: str
    message: str
    hint: str
    line: int
    column: int


class Link(NamedTuple):
    """A link or an image that the renderer made; line and column are those of its target.

    `written` is the target as it stands in the page from `offset` (in characters of the page's text) on; it is "" and
    `offset` -1 where the target does not stand in the page: a link that an extension made up.
    """

    target: str
    text: str
    image: bool
    line: int
    column: int
    offset: int = -1
    written: str = ""


class Anchor(NamedTuple):
    """An id of the rendered page that is no heading's: `<a id="x">`, `{#x}` on a paragraph, a footnote."""

    id: str
    line: int
    column: int


class Block(NamedTuple):
    """A run of text the reader sees: paragraph "p", "li", "td", "th", "dt", "dd", "summary", or heading "h1" to "h6".

    Inline code and images are U+FFFC in `text`, one each; text inside links and emphasis is kept; white space is
    single spaces. `depth` counts the lists around it.
    """

    kind: str
    text: str
    line: int
    column: int
    depth: int = 0


class Code(NamedTuple):
    """Inline code, as the reader sees it."""

    text: str
    line: int
    column: int


class Listing(NamedTuple):
    """A list: its own items, those of lists inside it not counted; `depth` is 1 for a list in no other."""

    ordered: bool
    items: int
    depth: int
    line: int
    column: int


class Table(NamedTuple):
    """A table; `rows` counts body rows, `columns` the cells of the first row."""

    rows: int
    columns: int
    line: int
    column: int


class Admonition(NamedTuple):
    """A call-out of any dialect: `kind` is lower case, "note", "tip", ..."""

    kind: str
    line: int
    column: int


class Markup(NamedTuple):
    """HTML that can run or load something: a tag, or an attribute with its value."""

    tag: str
    attribute: str
    value: str
    line: int
    column: int


class Page(NamedTuple):
    """One page's text and what stands in it, in the order of the text.

    `parse` fills the fields up to `lines`, the lines with their endings as records count them; the rest is what a
    renderer made of the page (`render.read`) and is empty where none did: then `rendered` is False. `open_ids` says
    that the page holds a directive (`::: module`, `[[autodoc]] Class`) that makes ids nobody can see in its text.
    """

    text: str
    meta: Mapping[str, object]
    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    includes: tuple[Include, ...]
    problems: tuple[Problem, ...]
    inclusions: tuple[Inclusion, ...] = ()
    lines: tuple[str, ...] = ()
    rendered: bool = False
    links: tuple[Link, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    blocks: tuple[Block, ...] = ()
    codes: tuple[Code, ...] = ()
    lists: tuple[Listing, ...] = ()
    tables: tuple[Table, ...] = ()
    admonitions: tuple[Admonition, ...] = ()
    markup: tuple[Markup, ...] = ()
    open_ids: bool = False

    @property
    def ids(self) -> frozenset[str]:
        """Every id a link can point to."""
        return frozenset({heading.anchor for heading in self.headings} | {anchor.id for anchor in self.anchors} - {""})

    def section(self, line: int) -> int:
        """The index in `headings` of the heading that a line stands under, -1 above the first."""
        return bisect_right(self.headings, line, key=lambda heading: heading.line) - 1
