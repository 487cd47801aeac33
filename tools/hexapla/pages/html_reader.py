"""Read a rendered page back: every element that carries a mark becomes a record with its place in the page's text."""

import re
from collections.abc import Mapping

from lxml import etree

from hexapla.pages.html_vocabulary import HEADINGS, INLINE, MADE_UP, OBJECT, RUNS, SKIPPED, TEXT_BLOCKS
from hexapla.pages.model import Admonition, Listing, Markup, Page, Table
from hexapla.pages.page_builder import LEADING, Open, PageBuilder
from hexapla.pages.source_markers import Marked, Positions

UNREAD = INLINE - {"a", "code"}  # tags whose end says nothing
SILENT = UNREAD - {"img", "br"}  # nor their start
BODY = re.compile(r"<(?:body|html)\b", re.I)
PARTS = {"li", "tr", "td", "th"}
CONTAINERS = {"ul", "ol", "table", "details", "tip", "div"}


def read_back(page: Page, html: str, marked: Marked, positions: Positions) -> Page:
    """`page` with everything in it that its rendered form shows."""
    reader = HtmlReader(page, marked, positions)
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True)  # type: ignore[arg-type]  # no bytes
    etree.fromstring(f"<html><body>{html}</body></html>".encode(), parser)
    if body := BODY.search(html):  # browsers put its attributes on the page's own; a parser says nothing of it
        reader.markup.append(Markup("body", "", "", *positions.at(max(page.text.find(body[0]), 0))))
    return reader.page()


class HtmlReader(PageBuilder):
    """The target of lxml's parser, which calls it for each tag and text in the order of the page: no tree is built."""

    def __init__(self, page: Page, marked: Marked, positions: Positions) -> None:
        super().__init__(page, marked, positions)
        self.open: list[tuple[str, Mapping[str, str]]] = []  # every element around the current place, outermost first
        self.skipped = 0  # elements open in one whose text is not read, itself too

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self.skipped:
            if tag == "li" and self.skipped == 1:  # of a table of contents: a list all the same
                self.waiting[-1].items += 1
            self.skipped += 1
            if tag in RUNS:
                self.markup.append(self.locate_record(Markup(tag, "", "", 1, 1), f"<{tag}"))
            if attributes and (len(attributes) > 1 or "class" not in attributes):  # not so for each word of code
                for name, value in attributes.items():
                    if name.startswith("on") or name in LEADING:
                        self.note_script(tag, name, value)
            return
        if attributes:
            self.attributes(tag, attributes)
        if tag not in SILENT:
            self.begin(tag, attributes)
        self.open.append((tag, attributes))
        if tag in SKIPPED or (attributes and "toc" in attributes.get("class", "").split()):
            self.skipped = 1

    def end(self, _tag: str) -> None:
        """The innermost element closes."""
        if self.skipped > 1:
            self.skipped -= 1
            return
        self.skipped = 0
        tag, attributes = self.open.pop()
        if tag not in UNREAD:
            self.finish(tag, attributes)

    def data(self, value: str) -> None:
        if not self.skipped:
            self.text(value)

    def close(self) -> None:
        self.flush(self.waiting[0])

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Note what opens here."""
        if tag in RUNS:
            self.markup.append(self.locate_record(Markup(tag, "", attributes.get("src", ""), 1, 1), f"<{tag}"))
        if tag in {"a", "code"}:
            extent = self.target(attributes.get("href", "")) if tag == "a" else (-1, -1)
            self.waiting.append(Open(tag, extent))
        elif tag == "img":
            if (source := attributes.get("src")) is not None:  # an expression of MDX is none that can be read
                self.link(source, attributes.get("alt", ""), self.target(source), True)
            self.text(OBJECT)
        elif tag == "br":
            self.text("\n")
        else:
            around = self.block()
            if around.parts:
                self.flush(around)
            opened = Open(tag)
            if tag in PARTS:
                self.count(opened)
            self.waiting.append(opened)
            if tag in {"ul", "ol"}:
                self.depth += 1

    def count(self, opened: Open) -> None:
        """Let lists and tables know of a part of theirs that opens."""
        around, tag = self.waiting[-1], opened.kind
        parent = self.open[-1][0] if self.open else ""
        if tag == "li" and parent in {"ul", "ol"}:
            around.items += 1
        elif tag == "tr":
            opened.rows.append([0, 0])
            for table in self.waiting:
                if table.kind == "table":
                    table.rows += opened.rows
        elif tag in {"td", "th"} and parent == "tr":
            around.rows[0][0] += 1
            around.rows[0][1] += tag == "th"

    def finish(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Turn what closes here into its record."""
        closed = self.waiting.pop()
        if tag == "a":
            text = "".join(closed.parts)
            if "href" in attributes and not MADE_UP & read_classes(attributes):
                self.link(attributes["href"], " ".join(text.split()), closed.extent, False)
            self.waiting[-1].parts.append(text)
        elif tag == "code":
            self.code(closed)
            self.waiting[-1].parts.append(OBJECT)
        elif tag in HEADINGS:
            self.heading(tag, attributes, closed)
        else:
            if closed.parts:
                self.flush(closed, self.kind(tag, attributes))
            if tag in CONTAINERS:
                self.add_container(tag, attributes, closed)

    def add_container(self, tag: str, attributes: Mapping[str, str], closed: Open) -> None:
        """Lists, tables and call-outs."""
        line, column = self.positions.at(closed.offset if closed.offset >= 0 else self.place)
        if tag in {"ul", "ol"}:
            if not (self.open and "footnote" in read_classes(self.open[-1][1])):
                self.lists.append(Listing(tag == "ol", closed.items, self.depth, line, column))
            self.depth -= 1
        elif tag == "table":
            heads = sum(1 for cells, headed in closed.rows if cells and cells == headed)
            columns = closed.rows[0][0] if closed.rows else 0
            self.tables.append(Table(len(closed.rows) - heads, columns, line, column))
        elif tag in {"details", "tip"} or (attributes and "admonition" in read_classes(attributes)):
            words = [word for word in attributes.get("class", "").split() if word != "admonition"]
            kind = "warning" if tag == "tip" and attributes.get("warning") else words[0] if words else tag
            self.admonitions.append(Admonition(kind.lower(), line, column))

    def kind(self, tag: str, attributes: Mapping[str, str]) -> str:
        """What a block is called: a loose list item's paragraph is its item's text."""
        if tag == "p":
            if attributes and "admonition-title" in read_classes(attributes):
                return "summary"
            if self.open and self.open[-1][0] in {"li", "td", "dd"}:
                return self.open[-1][0]
        return tag if tag in TEXT_BLOCKS else "p"


def read_classes(attributes: Mapping[str, str]) -> set[str]:
    return set(attributes.get("class", "").split())
