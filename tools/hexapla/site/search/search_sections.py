"""The text of a rendered page by section, as the search index takes it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from hexapla.languages import UNSPACED

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_LISTS = {"dd", "dl", "dt", "li", "ol", "ul"}
_TABLES = {"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
_BOXES = {"address", "article", "aside", "blockquote", "details", "div", "figcaption", "figure", "footer", "header"}
_LINES = {"br", "hr", "label", "legend", "main", "nav", "p", "pre", "section", "summary"}
_BLOCKS = _HEADINGS | _LISTS | _TABLES | _BOXES | _LINES
# What an element makes of its text; of the others nobody asks how many it is in.
_KINDS = {**dict.fromkeys(("b", "code", "dt", "kbd", "strong"), "strong"), "pre": "pre", "table": "table"}
_UNSEEN = {"object", "script", "style", "svg", "template"}
_CELL_END = "\0"  # between the cells of a row; no parsed page holds it
_ENDS = "?!.:;？！。：；"
_WIDE, _FULL_WIDTH = re.compile(f"[{UNSPACED}]"), str.maketrans(":;", "：；")
_FURNITURE = {"headerlink", "linenodiv", "linenos"}  # classes of permalinks and line numbers

# Highlighted code is mostly such spans; without them the parser has a tenth of the work.
_TOKEN = re.compile(r'<span class="[a-z][a-z0-9]{0,2}">([^<]*)</span>')


@dataclass(frozen=True)
class SearchSection:
    """The text from one heading to the next; lines of `text` are blocks (a paragraph, a row, a line of code).

    `anchor` is the heading's id, `level` its depth. What stands before the first linkable heading below the page's own
    `h1` is the first section: its anchor is empty, its heading is the `h1` if there is one. `strong` repeats what is
    bold or inline code, `listed` what stands in tables and blocks of code, `code` in the latter alone. `names` are
    words that readers search for and the text does not say: the heading's attribute `data-search`.
    """

    anchor: str
    heading: str
    text: str
    level: int = 1
    strong: str = ""
    listed: str = ""
    names: str = ""
    code: str = ""

    def shown_text(self) -> str:
        """The text as a hit shows it: a line of code begins with a tab, and is no excerpt while there is prose."""
        code = {*self.code.split("\n")} - {""}
        return "\n".join("\t" * (line in code) + line for line in self.text.split("\n"))


@dataclass(frozen=True)
class SearchEntry:
    """A page in the index: its address from the site's root, its title, its sections.

    `name` is its path below the language's folder without the suffix; `boost` multiplies its rank.
    """

    url: str
    title: str
    sections: tuple[SearchSection, ...]
    name: str = ""
    boost: float = 1.0


class _Part:
    """A section that is being read."""

    def __init__(self, anchor: str, level: int, names: str) -> None:
        self.anchor, self.level, self.names = anchor, level, names
        self.heading: list[str] = []
        self.text: list[str] = []
        self.strong: list[str] = []
        self.listed: list[str] = []
        self.code: list[str] = []

    def section(self) -> SearchSection:
        """What was read."""
        heading = " ".join("".join(self.heading).split())
        strong, listed, code = (_join_lines(each) for each in (self.strong, self.listed, self.code))
        return SearchSection(self.anchor, heading, _join_lines(self.text), self.level, strong, listed, self.names, code)


class _Reader:
    """Collects text by section; a heading without an id cannot be linked to and is text of the section it is in."""

    def __init__(self) -> None:
        self.parts = [_Part("", 1, "")]
        self._into = self.parts[0].text
        self._excluded = False  # whether the section is left out
        self._open = dict.fromkeys(_KINDS.values(), 0)  # how many elements of a kind the text is in

    def read(self, root: LexborNode) -> None:
        """Read all that an element holds; without recursion, since a page may be nested at will."""
        above: list[LexborNode] = []
        node = root.child
        while node is not None:
            if node.is_text_node:
                self._read_text(node.text_content or "")
            elif node.is_element_node and self._enter(node.tag or "", node.attributes):
                if node.child is not None:
                    above.append(node)
                    node = node.child
                    continue
                self._leave(node.tag or "")
            while node.next is None and above:
                node = above.pop()
                self._leave(node.tag or "")
            node = node.next

    def _enter(self, tag: str, attributes: Mapping[str, str | None]) -> bool:
        """Begin an element; whether readers see it."""
        if tag in _HEADINGS:
            self._open_section(tag, attributes)
        elif (
            tag in _UNSEEN
            or (attributes and ("data-search-exclude" in attributes
                                or not _FURNITURE.isdisjoint((attributes.get("class") or "").split())))
        ):
            return False
        if tag == "math" and (text := attributes.get("alttext")):  # its parts have no slashes and no order of their own
            self._read_text(text)
            return False
        if tag in _BLOCKS and tag != "td":
            self._into.append("\n")
        if tag in _KINDS:
            self._open[_KINDS[tag]] += 1
        return True

    def _leave(self, tag: str) -> None:
        """End an element."""
        if tag in _KINDS:
            self._open[_KINDS[tag]] -= 1
        if tag in _BLOCKS:
            self._into.append(_CELL_END if tag == "td" else "\n")
        if tag in _HEADINGS:
            self._into = [] if self._excluded else self.parts[-1].text

    def _read_text(self, data: str) -> None:
        self._into.append(data if self._open["pre"] else data.replace("\n", " "))
        part = self.parts[-1]
        if self._into is part.text:
            if self._open["pre"] or self._open["table"]:
                part.listed += [data, "\n"]
            if self._open["pre"]:
                part.code.append(data)
            if self._open["strong"] and not self._open["pre"]:
                part.strong += [data, "\n"]

    def _open_section(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        anchor = attributes.get("id") or ""
        names = attributes.get("data-search") or ""
        if tag == "h1" and len(self.parts) == 1 and not self.parts[0].heading:
            part = self.parts[0]
            part.names = names
        elif anchor:
            part = _Part(anchor, int(tag[1]), names)
        else:
            return
        self._excluded = "data-search-exclude" in attributes
        if not self._excluded and part is not self.parts[0]:
            self.parts.append(part)
        self._into = [] if self._excluded else part.heading


def read_sections(html: str) -> list[SearchSection]:
    """The sections of a rendered page, in its order; there is always a first one.

    What a reader does not see is left out, and what is marked `data-search-exclude` (Material's attribute: on a
    heading it leaves out the section, on any other element that element).
    """
    reader = _Reader()
    if body := LexborHTMLParser(_TOKEN.sub(r"\1", html)).body:
        reader.read(body)
    return [part.section() for part in reader.parts]


def make_entry(
    url: str, title: str, html: str, name: str = "", settings: Mapping[str, Any] | None = None,
) -> SearchEntry:
    """The index entry of a page at `url` (from the site's root, as MkDocs' `page.url`) with this content.

    `settings` are the page's own, under `search` in its front matter: `boost`, as in Material, and `terms`, words that
    the page is to be found by.
    """
    settings = settings or {}
    first, *others = read_sections(html)
    if terms := settings.get("terms"):
        first = replace(first, names="\n".join([first.names, *map(str, terms)]).strip())
    return SearchEntry(url, title, (first, *others), name, float(settings.get("boost", 1)))


def _join_lines(parts: list[str]) -> str:
    lines = (_join_cells(line) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _join_cells(line: str) -> str:
    """A row as one line, a sentence: of two cells the one leads to the other, of more the first has a colon.

    What is empty says nothing; the marks are those of the cell's script.

    >>> _join_cells("out of memory\\0the cache grows\\0fix its length\\0")
    'out of memory: the cache grows; fix its length'
    """
    first, *others = [cell for each in line.split(_CELL_END) if (cell := " ".join(each.split()))] or [""]
    if len(others) == 1:
        return f"{first} → {others[0]}"
    for number, cell in enumerate(others):
        first += _mark_after(first[-1], ";" if number else ":") + cell
    return first


def _mark_after(last: str, mark: str) -> str:
    """What follows a cell that ends so: a mark of its script, none where it has one."""
    said = "" if last in _ENDS else mark
    return said.translate(_FULL_WIDTH) if _WIDE.match(last) else f"{said} "
