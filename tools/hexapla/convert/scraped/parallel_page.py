"""The parallel page as what a browser shows of it, a unit for each line of that, each with its place in the source."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from hexapla.convert.scraped.inline import InlineMark, read_marks
from hexapla.pages.blocks import INCLUDE, BlockKind, SourceBlock, read_blocks
from hexapla.pages.lines import indentation

CALL_OUTS = ("!!!", "???")
TAB = "==="


class UnitKind(Enum):
    """What a unit is shown as."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "list item"
    ROW = "row of a table"
    TITLE = "title of a call-out or a tab"
    UNTITLED = "the title that a theme gives a call-out"
    CODE = "line of code"

    __hash__ = object.__hash__


class ParallelUnit(NamedTuple):
    """What a browser shows on a line: the blocks first to last + 1 of the source, and the cells of a row, else one."""

    kind: UnitKind
    first: int
    last: int
    cells: tuple["MarkedText", ...]

    @property
    def shown(self) -> str:
        """What is shown, the cells of a row with a tab between them."""
        return "\t".join(cell.shown for cell in self.cells)


class MarkedText(NamedTuple):
    """What a browser shows of some text, and its marks."""

    shown: str
    marks: tuple[InlineMark, ...]


class ParallelPage(NamedTuple):
    """A page's blocks, and its units in the order in which a browser shows them."""

    blocks: tuple[SourceBlock, ...]
    units: tuple[ParallelUnit, ...]


KINDS = {BlockKind.HEADING: UnitKind.HEADING, BlockKind.PARAGRAPH: UnitKind.PARAGRAPH, BlockKind.ITEM: UnitKind.ITEM,
         BlockKind.ROW: UnitKind.ROW, BlockKind.TITLE: UnitKind.TITLE}
CODES = {BlockKind.FENCED, BlockKind.CODE}


def read_parallel_page(text: str) -> ParallelPage:
    """The parallel page. Its line ends are those of Unix."""
    blocks = read_blocks(text)
    return ParallelPage(tuple(blocks), tuple(labels_first(blocks, list(read_units(text, blocks)))))


def read_units(text: str, blocks: Sequence[SourceBlock]) -> Iterator[ParallelUnit]:
    """The units of a page in the order of its source."""
    at = 0
    while at < len(blocks):
        block, first = blocks[at], at
        at += 1
        kind = KINDS.get(block.kind)
        if block.kind in CODES and block.line.text.strip() and INCLUDE not in block.line.text:
            yield ParallelUnit(UnitKind.CODE, first, at, (MarkedText(block.line.text.strip(), ()),))
        elif block.kind is BlockKind.DIRECTIVE and block.line.text.lstrip(" ").startswith(CALL_OUTS):
            yield ParallelUnit(UnitKind.UNTITLED, first, at, (MarkedText("", ()),))
        elif kind:
            while kind in {UnitKind.PARAGRAPH, UnitKind.ITEM} and at < len(blocks) and blocks[at].continues:
                at += 1
            extents = [blocks[number].words for number in range(first, at)]
            raw = ([text[start:end] for start, end in extents[0]] if kind is UnitKind.ROW
                   else [" ".join(text[start:end] for each in extents for start, end in each)])
            cells = tuple(MarkedText(shown, tuple(marks)) for shown, marks in map(read_marks, raw))
            if any(cell.shown.strip() for cell in cells):
                yield ParallelUnit(kind, first, at, cells)


def labels_first(blocks: Sequence[SourceBlock], units: list[ParallelUnit]) -> list[ParallelUnit]:
    """Units in the order in which a browser shows them: the labels of tabs stand together before the first tab."""
    ordered: list[ParallelUnit] = []
    groups: list[tuple[int, int]] = []  # of open tabs: their indentation, and where the next label goes
    for unit in units:
        line = blocks[unit.first].line.text
        indent = indentation(line)
        while groups and (indent < groups[-1][0] or (indent == groups[-1][0] and not line[indent:].startswith(TAB))):
            groups.pop()
        if unit.kind is UnitKind.TITLE and line[indent:].startswith(TAB):
            if not groups or groups[-1][0] != indent:
                groups.append((indent, len(ordered)))
            at = groups[-1][1]
            ordered.insert(at, unit)
            groups = [(each, place + (place >= at)) for each, place in groups]
        else:
            ordered.append(unit)
    return ordered
