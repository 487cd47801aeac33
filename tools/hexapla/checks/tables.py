"""Tables: as many in a section as in the source, with the same rows and columns."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.pages import Page, Table


class Row(NamedTuple):
    """A body row and its line as it is written."""

    line: int
    text: str


def table_shape(case: Case) -> Iterator[Found]:
    """Tables with other numbers of rows or columns than the source's, and those that stand on one side alone."""
    score = partial(likeness, case)
    for section, source, target in align.section_pairs(
        case.original, case.page, case.original.tables, case.page.tables
    ):
        counts = f"found {len(target)} tables in this section, the source has {len(source)}"
        pairs = list(zip(source, target, strict=True)) if len(source) == len(target) else align.align(
            source, target, score, 0.2)
        for one, other in pairs:
            if one is None and other is not None:
                yield Found("table-shape", counts, "take the table out, or add it to the source", other.line,
                            other.column)
            elif other is None and one is not None:
                yield Found(
                    "table-shape", counts,
                    "bring the table's header, its line of dashes and the blank line above it back",
                    unmade(case, section, one), 1, one.line,
                )
            elif one and other and shape(one) != shape(other):
                line, source_line = odd_row(case, one, other)
                yield Found("table-shape", f"found {shape(other)}, the source has {shape(one)}",
                            "give the table the source's rows and columns", line, 1, source_line)


def shape(table: Table) -> str:
    """The size of a table in words."""
    return f"{table.rows} rows and {table.columns} columns"


def likeness(case: Case, source: Table, target: Table) -> float:
    """How much two tables have in common: their shape and the words that no translation changes."""
    first, second = (" ".join(row.text for row in rows(page, table))
                     for page, table in ((case.original, source), (case.page, target)))
    return 0.2 * (shape(source) == shape(target)) + alike(first, second)


def alike(source: str, target: str) -> float:
    """How many of the translation's words in Latin letters the source has, from 0 to 1."""
    words = align.kept_words(target)
    return len(align.kept_words(source) & words) / len(words) if words else 0.2


def rows(page: Page, table: Table) -> list[Row]:
    """The body rows of a table, by the cells that say something."""
    after = min((other.line for other in page.tables if other.line > table.line), default=len(page.text))
    lines = page.text.splitlines()
    places: dict[int, None] = {}
    for block in page.blocks:
        if block.kind == "td" and table.line <= block.line < after:
            places[block.line] = None
        elif places and block.line > max(places):
            break
    return [Row(line, lines[line - 1]) for line in places]


def odd_row(case: Case, source: Table, target: Table) -> tuple[int, int]:
    """The first row that stands on one side alone: its line, or where it would be, and the source's."""
    above, there = target.line, source.line
    for one, other in align.align(
        rows(case.original, source), rows(case.page, target), lambda a, b: 0.3 + alike(a.text, b.text), 0.1
    ):
        if one is None or other is None:
            return (other.line, there) if other else (above + 1, one.line if one else there)
        above, there = other.line, one.line
    return target.line, source.line


def unmade(case: Case, section: int, source: Table) -> int:
    """Where a table is missing: its text, if the section shows its bars to the reader, or where it would be."""
    shown = (block.line for block in case.page.blocks
             if block.text.count("|") > 1 and case.page.section(block.line) == section)
    return next(shown, align.below(case.page, align.landing(case.original, case.page, source.line)))
