"""Read a rendered page back: every element that carries a mark becomes a record with its place in the page's text."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from lxml import etree

from hexapla.pages.marks import FIRST, MARK, Marked, Positions
from hexapla.pages.records import Admonition, Anchor, Block, Code, Heading, Link, Listing, Markup, Page, Table
from hexapla.pages.vocabulary import (
    CALLOUT,
    HEADINGS,
    IDLESS,
    INLINE,
    MADE_UP,
    OBJECT,
    OPEN_IDS,
    RUNS,
    SCRIPTED,
    SKIPPED,
    TEXT_BLOCKS,
)

Record = TypeVar("Record", Anchor, Markup)
UNREAD = INLINE - {"a", "code"}  # tags whose end says nothing
SILENT = UNREAD - {"img", "br"}  # nor their start


@dataclass(slots=True)
class Open:
    """An element whose end has not come: the text it has so far, and the offset of the first mark inside."""

    kind: str
    offset: int = -1
    parts: list[str] = field(default_factory=list)
    extent: tuple[int, int] = (-1, -1)


def read_back(page: Page, html: str, marked: Marked, positions: Positions) -> Page:
    """`page` with everything in it that its rendered form shows."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(f"<html><body>{html}</body></html>".encode(), parser)
    reader = Reader(page, marked, positions)
    if root is not None:
        reader.walk(root)
    return reader.page()


class Reader:
    """Walks the elements of one page in document order."""

    def __init__(self, page: Page, marked: Marked, positions: Positions) -> None:
        self.source, self.marked, self.positions = page, marked, positions
        self.written = {heading.line: heading for heading in page.headings}
        self.place = marked.places[0] if marked.places else 0
        self.waiting: list[Open] = []  # everything open, outermost first
        self.depth = 0
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.anchors: list[Anchor] = []
        self.blocks: list[Block] = []
        self.codes: list[Code] = []
        self.lists: list[Listing] = []
        self.tables: list[Table] = []
        self.admonitions: list[Admonition] = []
        self.markup: list[Markup] = []

    def page(self) -> Page:
        """The page with what was found, in the order of its text."""
        return replace(
            self.source,
            rendered=True,
            headings=tuple(sorted(self.headings, key=lambda heading: heading.line)),
            links=tuple(self.links),
            anchors=tuple(self.anchors),
            blocks=tuple(self.blocks),
            codes=tuple(self.codes),
            lists=tuple(sorted(self.lists, key=lambda found: (found.line, found.depth))),
            tables=tuple(self.tables),
            admonitions=tuple(self.admonitions),
            markup=tuple(self.markup),
            open_ids=self.open_ids(),
        )

    def open_ids(self) -> bool:
        """Whether the page shows text that is not its own, code aside."""
        text = self.source.text
        lines = [self.positions.at(match.start())[0] for match in OPEN_IDS.finditer(text)]
        lines += [include.line for include in self.source.includes]
        fenced = [(fence.line, fence.end_line or fence.line) for fence in self.source.fences]
        return any(not any(first <= line <= last for first, last in fenced) for line in lines)

    def walk(self, element: etree._Element) -> None:
        """One element, what is in it, and nothing after it; deep trees are walked without recursion."""
        body = Open("body")
        self.waiting.append(body)
        events = etree.iterwalk(element, events=("start", "end"))
        for event, node in events:
            tag = node.tag
            if event == "start":
                attributes = node.attrib
                if attributes:
                    self.attributes(tag, attributes)
                if tag not in SILENT:
                    self.start(tag, node)
                if tag in SKIPPED or (attributes and "toc" in attributes.get("class", "").split()):
                    events.skip_subtree()
                elif text := node.text:
                    self.text(text)
            else:
                if tag not in UNREAD:
                    self.end(tag, node)
                if text := node.tail:
                    self.text(text)
        self.flush(body)

    def start(self, tag: str, node: etree._Element) -> None:
        """Note what opens here."""
        if tag in RUNS:
            self.markup.append(self.located(Markup(tag, "", node.get("src", ""), 1, 1), f"<{tag}"))
        if tag in {"a", "code"}:
            self.waiting.append(Open(tag, extent=self.target(node.get("href") or "") if tag == "a" else (-1, -1)))
        elif tag == "img":
            source = node.get("src") or ""
            self.link(source, node.get("alt") or "", self.target(source), True)
            self.text(OBJECT)
        elif tag == "br":
            self.text("\n")
        else:
            self.flush(self.block())
            self.waiting.append(Open(tag))
            if tag in {"ul", "ol"}:
                self.depth += 1

    def end(self, tag: str, node: etree._Element) -> None:
        """Turn what closes here into its record."""
        closed = self.waiting.pop()
        if tag == "a":
            text = "".join(closed.parts)
            if node.get("href") is not None and not MADE_UP & classes(node):
                self.link(node.get("href") or "", " ".join(text.split()), closed.extent, False)
            self.waiting[-1].parts.append(text)
        elif tag == "code":
            self.code(closed)
            self.waiting[-1].parts.append(OBJECT)
        elif tag in HEADINGS:
            self.heading(node, closed)
        else:
            self.flush(closed, self.kind(tag, node))
            self.container(tag, node, closed)

    def container(self, tag: str, node: etree._Element, closed: Open) -> None:
        """Lists, tables and call-outs."""
        if tag not in {"ul", "ol", "table", "details", "tip", "div"}:
            return
        line, column = self.positions.at(closed.offset if closed.offset >= 0 else self.place)
        if tag in {"ul", "ol"}:
            items = sum(1 for child in node if child.tag == "li")
            parent = node.getparent()
            if parent is None or "footnote" not in classes(parent):
                self.lists.append(Listing(tag == "ol", items, self.depth, line, column))
            self.depth -= 1
        elif tag == "table":
            rows = [[cell for cell in row if cell.tag in {"td", "th"}] for row in node.iter("tr")]
            heads = sum(1 for row in rows if row and all(cell.tag == "th" for cell in row))
            self.tables.append(Table(len(rows) - heads, len(rows[0]) if rows else 0, line, column))
        elif tag in {"details", "tip"} or (node.attrib and "admonition" in classes(node)):
            words = [word for word in (node.get("class") or "").split() if word != "admonition"]
            kind = "warning" if tag == "tip" and node.get("warning") else words[0] if words else tag
            self.admonitions.append(Admonition(kind.lower(), line, column))

    def kind(self, tag: str, node: etree._Element) -> str:
        """What a block is called: a loose list item's paragraph is its item's text."""
        if tag == "p":
            if node.attrib and "admonition-title" in classes(node):
                return "summary"
            parent = node.getparent()
            if parent is not None and parent.tag in {"li", "td", "dd"}:
                return str(parent.tag)
        return tag if tag in TEXT_BLOCKS else "p"

    def block(self) -> Open:
        """The innermost open element that is a block."""
        for opened in reversed(self.waiting):
            if opened.kind not in {"a", "code"}:
                break
        return opened

    def text(self, value: str) -> None:
        """Text of the innermost open element; its marks say where we are."""
        if not value.isascii() and (found := MARK.findall(value)):
            for character in found:
                self.see(ord(character) - FIRST)
            value = MARK.sub("", value)
        self.waiting[-1].parts.append(value)

    def see(self, number: int) -> None:
        """A mark came by: everything open that has not seen one starts here."""
        if number >= len(self.marked.places):
            return
        self.place = self.marked.places[number]
        start = self.marked.extents.get(number, (self.place, 0))[0]
        for opened in reversed(self.waiting):
            if opened.offset >= 0:
                break
            opened.offset = start

    def flush(self, opened: Open, kind: str = "") -> None:
        """Give out the text a block has so far."""
        if not opened.parts:
            return
        text = " ".join("".join(opened.parts).split())
        opened.parts.clear()
        if not text:
            return
        offset = opened.offset if opened.offset >= 0 else self.search(text[:12])
        line, column = self.positions.at(offset)
        if text[0] in "[:{" and (callout := CALLOUT.match(text)):
            name = callout["github"] or callout["colons"] or ("alert" if callout["hugo"] is not None else "")
            if name:
                self.admonitions.append(Admonition(name.lower(), line, column))
            text = text[callout.end() :]
        if text:
            kind = kind or (opened.kind if opened.kind in TEXT_BLOCKS else "p")
            self.blocks.append(Block(kind, text, line, column, self.depth))
        opened.offset = -1 if kind == "" else opened.offset

    def heading(self, node: etree._Element, closed: Open) -> None:
        """A heading with the id its readers get."""
        line, column = self.positions.at(closed.offset if closed.offset >= 0 else self.place)
        anchor, level = MARK.sub("", node.get("id") or ""), int(str(node.tag)[1])
        written = self.written.pop(line, None) if closed.offset >= 0 else self.next_written(line, level)
        text = " ".join("".join(closed.parts).split())
        explicit = written is None or written.id or node.get("data-explicit")
        found = written or Heading(level, text, anchor or None, line, column)
        self.headings.append(replace(found, id=anchor or None if explicit else None, anchor=anchor, level=level))
        self.flush(closed, str(node.tag))

    def next_written(self, line: int, level: int) -> Heading | None:
        """The heading that stands below `line` and came back without a mark: it holds no letter to put one at."""
        for number in sorted(number for number in self.written if number >= line)[:1]:
            if self.written[number].level == level:
                return self.written.pop(number)
        return None

    def code(self, closed: Open) -> None:
        """Inline code; its mark stands at its end."""
        line, column = self.positions.at(closed.offset if closed.offset >= 0 else self.place)
        self.codes.append(Code("".join(closed.parts).strip(), line, column))

    def target(self, value: str) -> tuple[int, int]:
        """Where a target stands in the page, (-1, -1) where it does not; without a mark it is looked for."""
        if mark := MARK.search(value):
            number = ord(mark.group()) - FIRST
            start, end = self.marked.extents.get(number, (-1, -1))
            if start >= 0 and self.source.text[max(start - 8, 0) : start].rstrip(" \t<")[-1:] != ":":
                self.see(number)  # not so for a reference: it is defined elsewhere
            return start, end
        start = self.source.text.find(value, self.place) if value else -1
        return start, start + len(value) if start >= 0 else -1

    def link(self, value: str, text: str, extent: tuple[int, int], image: bool) -> None:
        """A link or an image."""
        start, end = extent
        line, column = self.positions.at(start if start >= 0 else self.place)
        written = self.source.text[start:end] if start >= 0 else ""
        self.links.append(Link(MARK.sub("", value).strip(), MARK.sub("", text), image, line, column, start, written))

    def attributes(self, tag: str, attributes: etree._Attrib) -> None:
        """Ids and what can run."""
        for name, value in attributes.items():
            if name in {"id", "name"} and tag not in HEADINGS and tag not in IDLESS and value:
                if name == "id" or tag == "a":
                    self.anchors.append(self.located(Anchor(MARK.sub("", str(value)), 1, 1), str(value)))
            elif self.runs(str(name), MARK.sub("", str(value))):
                found = Markup(tag, str(name), MARK.sub("", str(value)), 1, 1)
                start = self.target(str(value))[0] if MARK.search(str(value)) else self.search(f"{name!s}=")
                line, column = self.positions.at(start)
                self.markup.append(replace(found, line=line, column=column))

    def runs(self, name: str, value: str) -> bool:
        """Whether an attribute makes a browser run something."""
        return name.startswith("on") or (name in {"href", "src", "action"} and bool(SCRIPTED.match(value)))

    def located(self, record: Record, written: str) -> Record:
        """The record, at the next place where `written` stands in the page."""
        line, column = self.positions.at(self.search(written))
        return replace(record, line=line, column=column)

    def search(self, written: str) -> int:
        """The next offset where `written` stands, the current one where it does not stand below."""
        found = self.source.text.find(written, self.place, self.place + 20_000)
        return found if found >= 0 else self.place


def classes(node: etree._Element) -> set[str]:
    """The classes of an element."""
    return set((node.get("class") or "").split())
