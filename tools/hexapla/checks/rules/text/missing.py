"""Text of the source that a translation has nowhere: paragraphs, and items and cells that were emptied."""

from collections.abc import Iterator
from typing import NamedTuple

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.rules.text.length import FLOWING, MARK, usual_share
from hexapla.checks.rules.text.prose import find_readable, shortened
from hexapla.pages import Block, Page

CELLS = frozenset({"td", "th"})
NAMES = {"li": "the text of a list item", "td": "the text of a cell", "th": "the text of a cell"}
LETTERS = 8  # of a block that says something
# The least part of a text that is there where it was put into its neighbours, which may be shorter than usual; less
# where all inline code is there. Chosen on half of FastAPI's pages and the guide's.
WITHOUT_CODE, WITH_CODE = 0.3, 0.2


class Gap(NamedTuple):
    """Blocks of both sides without a counterpart, and the pairs above and below them."""

    above: tuple[Block, Block] | None
    source: list[Block]
    target: list[Block]
    below: tuple[Block, Block] | None


def text_missing(context: RuleContext) -> Iterator[Violation]:
    """Blocks of the source that have no counterpart and were not put into the ones beside them either."""
    original, page = context.original, context.page
    share, told = usual_share(context), kinds_counted_elsewhere(original, page)
    for number, there, here in alignment.section_pairs(
        original, page, find_readable(original.blocks), find_readable(page.blocks)
    ):
        kinds = (FLOWING | CELLS) - told.get(number, frozenset())
        first, second = ([block for block in side if block.kind in kinds] for side in (there, here))
        if alignment.have_same_shape(first, second):
            continue
        for gap in find_gaps(align_blocks(first, second, share)):
            if is_held_beside(original, gap, share):
                continue
            for block in gap.source:
                if sum(map(str.isalpha, block.text)) >= LETTERS:
                    what = NAMES.get(block.kind, "a paragraph")
                    yield Violation("text-missing", absent(shortened(block.text)),
                                    f"this section lacks {what}, maybe {shortened(block.text, 40)!r}", "translate it",
                                    alignment.find_landing(original, page, block.line), 1, block.line)


def kinds_counted_elsewhere(original: Page, page: Page) -> dict[int, frozenset[str]]:
    """The kinds of blocks of which sections of the translation have another number, which rules of their own tell."""
    found: dict[int, frozenset[str]] = {}
    for number, lists, others in alignment.section_pairs(original, page, original.lists, page.lists):
        if sum(one.items for one in lists) != sum(one.items for one in others):
            found[number] = frozenset({"li"})
    for number, tables, theirs in alignment.section_pairs(original, page, original.tables, page.tables):
        if [(one.rows, one.columns) for one in tables] != [(one.rows, one.columns) for one in theirs]:
            found[number] = found.get(number, frozenset()) | CELLS
    return found


def align_blocks(first: list[Block], second: list[Block], share: float) -> list[alignment.Pair[Block]]:
    """The blocks of a section, paired by what does not change in translation and by their lengths."""
    def score(one: Block, other: Block) -> float:
        fit = (len(other.text) + 1) / (share * len(one.text) + 1)
        return alignment.block_score(one, other) + min(fit, 1 / fit)

    return alignment.align(first, second, score, 0.2)


def find_gaps(pairs: list[alignment.Pair[Block]]) -> Iterator[Gap]:
    """The places where the source has blocks without a counterpart."""
    above: tuple[Block, Block] | None = None
    source, target = list[Block](), list[Block]()
    for one, other in [*pairs, (None, None)]:
        if one and not other:
            source.append(one)
        elif other and not one:
            target.append(other)
        else:
            below = (one, other) if one and other else None
            if source:
                yield Gap(above, source, target, below)
            above, source, target = below, [], []


def is_held_beside(original: Page, gap: Gap, share: float) -> bool:
    """Whether the blocks of the translation that are left and those beside the gap are long enough to hold its text."""
    beside = [gap.above] if gap.above and are_neighbours(original, gap.above[0], gap.source[0]) else []
    beside += [gap.below] if gap.below and are_neighbours(original, gap.source[-1], gap.below[0]) else []
    here = "".join(block.text for block in (*gap.target, *(other for _, other in beside)))
    there, lost = ("".join(block.text for block in blocks) for blocks in ([one for one, _ in beside], gap.source))
    if MARK in lost and here.count(MARK) < (there + lost).count(MARK):
        return False
    least = WITH_CODE if MARK in lost else WITHOUT_CODE
    return len(here) >= share * (len(there) + least * len(lost))


def are_neighbours(page: Page, first: Block, second: Block) -> bool:
    """Whether two blocks of a kind have nothing between them but empty lines; text of others was not joined."""
    if (first.kind, first.depth) != (second.kind, second.depth):
        return False
    lines = iter(page.lines[first.line : second.line - 1])
    paragraph_ends = any(not line.strip() for line in lines)
    return not paragraph_ends or first.kind in {"li", *CELLS} or not any(line.strip() for line in lines)
