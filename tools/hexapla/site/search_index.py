"""The search index of one language, made of its rendered pages, and the worker that the theme's search box asks.

The index holds plain text by section; `theme/assets/hexapla/search-worker.js` searches it. `html.parser` reads the
pages, as it does for the theme's own index, which this one replaces.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from html.parser import HTMLParser

from mkdocs.exceptions import PluginError

WORKER = "assets/hexapla/search-worker.js"  # the worker's address, from the site's root
INDEX = "search/index.json"  # an index's address, from the root of its language

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_LISTS = {"dd", "dl", "dt", "li", "ol", "ul"}
_TABLES = {"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
_BOXES = {"address", "article", "aside", "blockquote", "details", "div", "figcaption", "figure", "footer", "header"}
_LINES = {"br", "hr", "label", "legend", "main", "nav", "p", "pre", "section", "summary"}
_BLOCKS = _HEADINGS | _LISTS | _TABLES | _BOXES | _LINES
_UNSEEN = {"object", "script", "style", "svg", "template"}
_FURNITURE = {"headerlink", "linenodiv", "linenos"}  # classes of permalinks and line numbers
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

# Highlighted code is mostly such spans; without them the parser has a tenth of the work.
_TOKEN = re.compile(r'<span class="[a-z][a-z0-9]{0,2}">([^<]*)</span>')

# How Material's templates name its own worker to its script; theme_contract.py has the lines.
_THEME_WORKER = re.compile(r'("search":\s*")([^"]*)assets/javascripts/workers/search\.[0-9a-f]+\.min\.js"')
_CONFIG = re.compile(r'<script id="?__config\b')


@dataclass(frozen=True)
class SearchSection:
    """The text from one heading to the next; lines of `text` are blocks (a paragraph, a cell, a line of code).

    `anchor` is the heading's id. What stands before the first linkable heading below the page's own `h1` is the
    first section: its anchor is empty, its heading is the `h1` if there is one.
    """

    anchor: str
    heading: str
    text: str


@dataclass(frozen=True)
class SearchEntry:
    """A page in the index: its address from the site's root, its title, its sections."""

    url: str
    title: str
    sections: tuple[SearchSection, ...]


class _Reader(HTMLParser):
    """Collect text by section; a heading without an id cannot be linked to and is text of the section it is in."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[str, list[str], list[str]]] = [("", [], [])]  # anchor, heading, text
        self._into = self.parts[0][2]
        self._skipping: list[str] = []  # open elements from the one that is left out
        self._excluded = False  # whether the section is left out
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            if tag not in _VOID:
                self._skipping.append(tag)
            return
        named = dict(attrs)
        if tag in _HEADINGS:
            self._open_section(tag, named)
        elif (
            tag in _UNSEEN
            or "data-search-exclude" in named
            or ("class" in named and not _FURNITURE.isdisjoint((named["class"] or "").split()))
        ):
            if tag not in _VOID:
                self._skipping.append(tag)
            return
        if tag in _BLOCKS:
            self._into.append("\n")
        if tag == "pre":
            self._pre += 1

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag in self._skipping:  # also closes what was left open inside
                while self._skipping.pop() != tag:
                    pass
            return
        if tag == "pre":
            self._pre = max(0, self._pre - 1)
        if tag in _BLOCKS:
            self._into.append("\n")
        if tag in _HEADINGS:
            self._into = [] if self._excluded else self.parts[-1][2]

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self._into.append(data if self._pre else data.replace("\n", " "))

    def _open_section(self, tag: str, named: dict[str, str | None]) -> None:
        anchor = named.get("id") or ""
        if tag == "h1" and len(self.parts) == 1 and not self.parts[0][1]:
            part = self.parts[0]
        elif anchor:
            part = (anchor, [], [])
        else:
            return
        self._excluded = "data-search-exclude" in named
        if not self._excluded and part is not self.parts[0]:
            self.parts.append(part)
        self._into = [] if self._excluded else part[1]


def sections(html: str) -> list[SearchSection]:
    """The sections of a rendered page, in its order; there is always a first one.

    What a reader does not see is left out, and what is marked `data-search-exclude` (Material's attribute: on a
    heading it leaves out the section, on any other element that element).
    """
    reader = _Reader()
    reader.feed(_TOKEN.sub(r"\1", html))
    reader.close()
    return [
        SearchSection(anchor, " ".join("".join(heading).split()), _lines(text))
        for anchor, heading, text in reader.parts
    ]


def entry(url: str, title: str, html: str) -> SearchEntry:
    """The index entry of a page at `url` (from the site's root, as MkDocs' `page.url`) with this content."""
    return SearchEntry(url, title, tuple(sections(html)))


def index_json(entries: Iterable[SearchEntry]) -> str:
    """The index of one language. The same pages in the same order give the same text."""
    return json.dumps({"pages": [asdict(page) for page in entries]}, ensure_ascii=False, separators=(",", ":"))


def use_worker(html: str, index: str) -> str:
    """A finished page whose search box asks our worker for `index` (its path from the site's root).

    A page without the theme's configuration, a redirect for instance, is returned as it is. Raises PluginError where
    that configuration names no worker that could be replaced: the box would search an empty index.
    """
    up = "../" * WORKER.count("/")
    html, replaced = _THEME_WORKER.subn(rf'\g<1>\g<2>{WORKER}?index={up}{index}"', html, count=1)
    if not replaced and _CONFIG.search(html):
        raise PluginError(
            "the theme's search box cannot be given Hexapla's search worker: #__config names no worker "
            "assets/javascripts/workers/search.*.min.js; install the version of mkdocs-material that Hexapla was "
            "tested with, or report this to Hexapla"
        )
    return html


def _lines(parts: list[str]) -> str:
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
