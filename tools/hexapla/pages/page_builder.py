"""What has been read of a rendered page so far, and where in the page's text that is."""

import re
from collections.abc import Mapping
from html import unescape
from typing import TypeVar

from hexapla.pages.html_vocabulary import (
    CALLOUT,
    CONTAINER_END,
    HEADINGS,
    IDLESS,
    OBJECT,
    OPEN_IDS,
    SCRIPTED,
    TEXT_BLOCKS,
)
from hexapla.pages.model import Admonition, Anchor, Block, Code, Heading, Link, Listing, Markup, Page, Table
from hexapla.pages.source_markers import FIRST, MARK, Marked, Positions

Record = TypeVar("Record", Anchor, Markup)
AT_MARKS = re.compile(f"({MARK.pattern})")
WRITTEN_OTHERWISE = re.compile(r"[\n&<>]")  # what may be an entity in the page, where parsers cut a text
REACH = 20_000  # characters in which a text without a mark is looked for
NEAR = 200  # characters between the marks of a call-out and its text
LEADING = {"action", "data", "formaction", "href", "src", "xlink:href"}  # attributes that may hold a script
TEXT_PARTS = {"a", "code"}


class Open:
    """An element whose end has not come: the text it has so far, where that starts, and where the element does.

    `words` and `offset` are those places, -1 where nothing has told them; `words` is that of the text since the last
    block inside. `extent` is where the target of a link stands. `items` counts the items of a list; `rows` has, for a
    table or a row, the cells of each row and how many of them are heads.
    """

    def __init__(self, kind: str, extent: tuple[int, int] = (-1, -1)) -> None:
        self.kind, self.extent = kind, extent
        self.offset, self.words, self.items = -1, -1, 0
        self.parts: list[str] = []
        self.rows: list[list[int]] = []


def find_beginning(parts: list[str]) -> str:
    """The first words of a text as they stand in the page; "" where code, an image or a call-out's name opens it."""
    first = next((part for part in parts if part.strip()), "").lstrip()
    first = WRITTEN_OTHERWISE.split(first, 1)[0][:40].rstrip()
    return "" if first.startswith(OBJECT) or CALLOUT.match(first) else first


class PageBuilder:
    """Collects the records of one page. `waiting` has the open elements that say something, outermost first."""

    def __init__(self, page: Page, marked: Marked, positions: Positions) -> None:
        self.source, self.marked, self.positions = page, marked, positions
        self.written = {heading.line: heading for heading in page.headings}
        self.place, self.number = marked.start, -1  # of the last mark that came by
        self.waiting = [Open("body")]
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
        return self.source._replace(
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
        """Whether the page holds a directive that makes ids, code aside, or MyST's that brings another page."""
        if any(fence.language == "include" for fence in self.source.fences):
            return True
        contains = CONTAINER_END.search(self.source.text)
        lines = [self.positions.at(match.start())[0] for match in OPEN_IDS.finditer(self.source.text)
                 if not (contains and match["object"])]
        fenced = [(fence.line, fence.end_line or fence.line) for fence in self.source.fences]
        return any(not any(first <= line <= last for first, last in fenced) for line in lines)

    def block(self) -> Open:
        """The innermost open element that is a block."""
        for opened in reversed(self.waiting):
            if opened.kind not in TEXT_PARTS:
                break
        return opened

    def text(self, value: str) -> None:
        """Text of the innermost open element; its marks say where we are."""
        parts = self.waiting[-1].parts
        for index, piece in enumerate(AT_MARKS.split(value)):
            if index % 2:
                self.see_mark(ord(piece) - FIRST)
            elif piece:
                parts.append(piece)

    def see_mark(self, number: int) -> None:
        """A mark came by: the text of the innermost block starts here, or where its first words are found above."""
        if number >= len(self.marked.places):
            return
        before, self.place, self.number = self.place, self.marked.places[number], number
        start = self.marked.extents.get(number, (self.place, 0))[0]
        block, begins = self.block(), start
        if block.words < 0:
            if block.parts and (first := find_beginning(block.parts)):
                above = self.source.text.rfind(first, before, start)
                begins = above if above >= 0 else start
            block.words = begins
        if self.waiting[-1].offset < 0:
            self.started(start, begins)

    def started(self, here: int, block: int) -> None:
        """Links and code whose place is not known start here, and blocks where the innermost of them does."""
        for opened in reversed(self.waiting):
            if opened.offset >= 0:
                break
            opened.offset = here if opened.kind in TEXT_PARTS else block

    def flush(self, opened: Open, kind: str = "") -> None:
        """Give out the text a block has so far."""
        if not opened.parts:
            return
        text = " ".join("".join(opened.parts).split())
        first, offset = "" if opened.words >= 0 else find_beginning(opened.parts), opened.words
        opened.parts.clear()
        opened.words = -1
        if not text:
            return
        line, column = self.positions.at(offset if offset >= 0 else self.unmarked_start(first))
        if text[0] in "[:{" and (callout := CALLOUT.match(text)):
            name = callout["github"] or callout["colons"] or ("alert" if callout["hugo"] is not None else "")
            if name:
                opened_at = self.opening(callout.group().rstrip(), offset)
                self.admonitions.append(Admonition(name.lower(), *self.positions.at(opened_at)))
            text = text[callout.end() :]
        if text:
            kind = kind or (opened.kind if opened.kind in TEXT_BLOCKS else "p")
            self.blocks.append(Block(kind, text, line, column, self.depth))

    def opening(self, marks: str, offset: int) -> int:
        """Where the marks of a call-out stand whose text starts at an offset, -1 where nothing told that."""
        if offset < 0:
            return self.unmarked_start(marks)
        above = self.source.text.rfind(marks, max(offset - NEAR, 0), offset)
        return above if above >= 0 else offset

    def heading(self, tag: str, attributes: Mapping[str, str], closed: Open) -> None:
        """A heading with the id its readers get."""
        line, column = self.positions.at(closed.offset if closed.offset >= 0 else self.place)
        anchor, level = MARK.sub("", attributes.get("id", "")), int(tag[1])
        written = self.written.pop(line, None) if closed.offset >= 0 else self.next_written(line, level)
        text = " ".join("".join(closed.parts).split())
        explicit = written is None or written.id or attributes.get("data-explicit")
        found = written or Heading(level, text, anchor or None, line, column)
        self.headings.append(found._replace(id=anchor or None if explicit else None, anchor=anchor, level=level))
        self.flush(closed, tag)

    def next_written(self, line: int, level: int) -> Heading | None:
        """The heading that stands below `line` and came back without a mark: it holds no letter to put one at."""
        below = min((number for number in self.written if number >= line), default=0)
        return self.written.pop(below) if below and self.written[below].level == level else None

    def code(self, closed: Open) -> None:
        """Inline code; its mark stands at its end."""
        if closed.offset < 0:
            block = self.block()
            if block.words < 0 and (first := find_beginning(block.parts)):
                block.words = self.unmarked_start(first)
            closed.offset = self.unmarked_start(find_beginning(closed.parts))
        line, column = self.positions.at(closed.offset)
        self.codes.append(Code("".join(closed.parts).strip(), line, column))

    def target(self, value: str) -> tuple[int, int]:
        """Where a target stands in the page, (-1, -1) where it does not; without a mark it is looked for."""
        if mark := MARK.search(value):
            number = ord(mark.group()) - FIRST
            start, end = self.marked.extents.get(number, (-1, -1))
            if start >= 0 and self.source.text[max(start - 8, 0) : start].rstrip(" \t<")[-1:] != ":":
                self.see_mark(number)  # not so for a reference: it is defined elsewhere
            return start, end
        start = self.source.text.find(value, self.place) if value else -1
        return start, start + len(value) if start >= 0 else -1

    def link(self, value: str, text: str, extent: tuple[int, int], image: bool) -> None:
        """A link or an image."""
        start, end = extent
        line, column = self.positions.at(start if start >= 0 else self.place)
        written = self.source.text[start:end] if start >= 0 else ""
        self.links.append(Link(MARK.sub("", value).strip(), MARK.sub("", text), image, line, column, start, written))

    def attributes(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Ids and what can run."""
        for name, value in attributes.items():
            if name in {"id", "name"} and tag not in HEADINGS and tag not in IDLESS and value:
                if name == "id" or tag == "a":
                    quoted = self.source.text.find(f'"{value}"', self.place, self.place + REACH)
                    start = quoted + 1 if quoted >= 0 else self.search(value)
                    self.anchors.append(Anchor(MARK.sub("", value), *self.positions.at(start)))
            elif name.startswith("on") or name in LEADING or name == "srcdoc":
                self.note_script(tag, name, value)

    def note_script(self, tag: str, name: str, value: str) -> None:
        """Note an attribute that runs script."""
        bare = MARK.sub("", value)
        if name[:2] == "on" or name == "srcdoc" or SCRIPTED.match(unescape(bare) if "&" in bare else bare):
            start = self.target(value)[0] if MARK.search(value) else self.search(f"{name}=")
            self.markup.append(Markup(tag, name, bare, *self.positions.at(start)))

    def locate_record(self, record: Record, written: str) -> Record:
        """The record, at the next place where `written` stands in the page."""
        line, column = self.positions.at(self.search(written))
        return record._replace(line=line, column=column)

    def unmarked_start(self, words: str) -> int:
        """Where text without a mark starts: between the last mark and the next, or as far as it is found."""
        if not words:
            return self.place
        following = min((*self.marked.places[self.number + 1 : self.number + 2], self.place + REACH))
        found = self.source.text.find(words, self.place, following)
        if found < 0:
            return self.search(words)
        self.started(found, found)
        self.place = found + len(words)
        return found

    def search(self, written: str) -> int:
        """The next offset where `written` stands, the current one where it does not stand below."""
        found = self.source.text.find(written, self.place, self.place + REACH)
        return found if found >= 0 else self.place
