"""Figures of measurements that are neither a reference into the evidence nor have a source beside them."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.rules.numbers.parsing import plain_digits
from hexapla.pages import Block, Page

UNIT = (
    r"(?:[kKMGT]i?B(?:/s)?|ms|µs|s|seconds?|percent|times|tokens?(?:/s| per second| a second))(?![A-Za-z0-9_])"
    r"|×(?! ?\d)|%|倍|毫秒|微秒|ミリ秒|マイクロ秒|秒|トークン/秒|个?(?:词元|token) ?/ ?(?:秒|s)"
)
FIGURE = re.compile(rf"(?<![A-Za-z0-9_.,])\d+(?:[.,]\d+){{0,9}}[ \u00a0-]?(?:{UNIT})")
UNMEASURED = re.compile(r"(?:0|100) ?%|1 ?秒|2 ?倍")  # all or nothing, a second, twice
FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,80}\](?!:)")
CELLS = {"td", "th"}


def figure_unbound(context: RuleContext) -> Iterator[Violation]:
    """Figures with a unit of measurement in the prose and tables of a page.

    A source is a link to another site or a footnote, in the same paragraph, item or row, in the head of the table, or
    in the paragraph above or below it.
    """
    page = context.page
    sourced = blocks_with_sources(page)
    tables = [table.line for table in page.tables]
    parts = [(number, [*blocks]) for number, blocks in groupby(
        page.blocks, key=lambda block: bisect_right(tables, block.line) if block.kind in CELLS else 0)]
    around = [[], *(blocks for _, blocks in parts), []]
    for (table, blocks), before, after in zip(parts, around, around[2:], strict=False):
        if not table:
            yield from (found for block in blocks if id(block) not in sourced for found in figures_in_block(block))
            continue
        caption = [block for block in (*before[-1:], *after[:1]) if block.kind == "p"]
        head = [block for block in blocks if block.kind == "th"]
        if not any(id(block) in sourced for block in (*caption, *head)):
            rows = {block.line for block in blocks if id(block) in sourced}
            yield from (found for block in blocks if block.line not in rows for found in figures_in_block(block))


def figures_in_block(block: Block) -> Iterator[Violation]:
    for found in FIGURE.finditer(plain_digits(block.text)):
        if not UNMEASURED.fullmatch(found[0]):
            figure = block.text[found.start() : found.end()]
            yield Violation("figure-unbound", figure, f"{figure!r} is neither out of the evidence nor has a source",
                            "refer to the evidence that has it, or link to its source in this paragraph",
                            block.line, block.column)


def blocks_with_sources(page: Page) -> set[int]:
    """The identities of the blocks that a link to another site or a footnote stands in."""
    places = [(link.line, link.column) for link in page.links if "://" in link.target]
    if "[^" in page.text:
        places += [(number, found.start() + 1) for number, line in enumerate(page.lines, 1)
                   for found in FOOTNOTE.finditer(line)]
    start = attrgetter("line", "column")
    ordered = sorted(page.blocks, key=start)
    indices = (bisect_right(ordered, place, key=start) - 1 for place in places)
    return {id(ordered[index]) for index in indices if index >= 0}
