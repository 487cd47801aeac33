"""Tables: as many in a section as in the source, with the same rows and columns."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.memo import memoized
from hexapla.pages import Page, Table


class Row(NamedTuple):
    """A body row and its line as it is written."""

    line: int
    text: str


def table_shape(context: RuleContext) -> Iterator[Violation]:
    """Tables with other numbers of rows or columns than the source's, and those that stand on one side alone."""
    score = partial(table_likeness, context)
    for section, source, target in alignment.section_pairs(
        context.original, context.page, context.original.tables, context.page.tables
    ):
        counts = f"found {len(target)} tables in this section, the source has {len(source)}"
        pairs = list(zip(source, target, strict=True)) if len(source) == len(target) else alignment.align(
            source, target, score, 0.2)
        for one, other in pairs:
            if one is None and other is not None:
                yield Violation("table-shape", table_header(context.page, other), counts,
                                "take the table out, or add it to the source", other.line, other.column)
            elif other is None and one is not None:
                yield Violation(
                    "table-shape", absent(table_header(context.original, one)), counts,
                    "bring the table's header, its line of dashes and the blank line above it back",
                    missing_table_line(context, section, one), 1, one.line,
                )
            elif one and other and table_size(one) != table_size(other):
                line, source_line = odd_row(context, one, other)
                yield Violation("table-shape", table_header(context.page, other),
                                f"found {table_size(other)}, the source has {table_size(one)}",
                                "give the table the source's rows and columns", line, 1, source_line)


def table_size(table: Table) -> str:
    return f"{table.rows} rows and {table.columns} columns"


def table_header(page: Page, table: Table) -> str:
    """The first line of a table as it is written."""
    return page.lines[table.line - 1].strip()


def table_likeness(context: RuleContext, source: Table, target: Table) -> float:
    """How much two tables have in common: their shape and the words that no translation changes."""
    first, second = (" ".join(row.text for row in rows(page, table))
                     for page, table in ((context.original, source), (context.page, target)))
    return 0.2 * (table_size(source) == table_size(target)) + share_words(first, second)


def share_words(source: str, target: str) -> float:
    """How many of the translation's words in Latin letters the source has, from 0 to 1."""
    words = alignment.kept_words(target)
    return len(alignment.kept_words(source) & words) / len(words) if words else 0.2


def rows(page: Page, table: Table) -> list[Row]:
    """The body rows of a table, by the cells that say something."""
    return rows_of_tables(page).get(table.line, [])


@memoized
def rows_of_tables(page: Page) -> dict[int, list[Row]]:
    """The body rows of each of a page's tables, by the line the table starts on."""
    starts, lines = sorted(table.line for table in page.tables), [block.line for block in page.blocks]
    found: dict[int, list[Row]] = {}
    for line, after in zip(starts, [*starts[1:], len(page.text)], strict=True):
        places: list[int] = []
        for index in range(bisect_left(lines, line), len(lines)):
            block = page.blocks[index]
            if block.line >= after or (places and block.line > places[-1] and block.kind != "td"):
                break
            places += [block.line] if block.kind == "td" and places[-1:] != [block.line] else []
        found[line] = [Row(place, page.lines[place - 1]) for place in places]
    return found


def odd_row(context: RuleContext, source: Table, target: Table) -> tuple[int, int]:
    """The first row that stands on one side alone: its line, or where it would be, and the source's."""
    above, there = target.line, source.line
    for one, other in alignment.align(
        rows(context.original, source), rows(context.page, target), lambda a, b: 0.3 + share_words(a.text, b.text), 0.1
    ):
        if one is None or other is None:
            return (other.line, there) if other else (above + 1, one.line if one else there)
        above, there = other.line, one.line
    return target.line, source.line


def missing_table_line(context: RuleContext, section: int, source: Table) -> int:
    """Where a table is missing: its text, if the section shows its bars to the reader, or where it would be."""
    shown = shown_bars(context.page).get(section)
    landing = alignment.find_landing(context.original, context.page, source.line)
    return alignment.find_empty_line(context.page, landing) if shown is None else shown


@memoized
def shown_bars(page: Page) -> dict[int, int]:
    """The line of the first block of each section that shows the bars of a table to the reader."""
    bars = alignment.by_section(page, (block for block in page.blocks if block.text.count("|") > 1))
    return {section: found[0].line for section, found in bars.items()}
