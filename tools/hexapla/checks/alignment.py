"""Which heading, block or listing of a translation stands for which of its source."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple, Protocol, TypeVar

from hexapla.checks.memo import memoized
from hexapla.pages import Block, Heading, Page
from hexapla.sequences import find_anchors

T = TypeVar("T")
Pair = tuple[T | None, T | None]
CELLS = 200_000  # of the table that is filled, whatever the page
BAND = 60        # cells to either side of the diagonal
LONG = 1_000     # blocks of a section that are aligned as a whole, while the table still has as many cells
WORDS = re.compile(r"[a-z0-9_]{2,}")
NEVER = float("-inf")
BOTH, UP, LEFT = 0, 1, 2  # a pair, one of the first sequence alone, one of the second alone


class Placed(Protocol):
    """Anything that stands on a line."""

    @property
    def line(self) -> int: ...


P = TypeVar("P", bound=Placed)


def align(first: Sequence[T], second: Sequence[T], score: Callable[[T, T], float], gap: float = 0.0) -> list[Pair[T]]:
    """Pairs in order, None where one side has nothing, so that the scores' sum is greatest (Needleman and Wunsch 1970).

    `score` is positive for two things that may stand for each other; `gap` is what leaving one alone costs. Of two that
    are alike the second is left alone: the table is filled from the end. Of long sequences only cells near the diagonal
    are filled, so that the time is linear.
    """
    rows, columns = len(first), len(second)
    reach = max(min(BAND, CELLS // (2 * rows + 1)), -(-columns // max(rows, 1)))
    low, best = 0, [-gap * column for column in range(columns + 1)]
    moves = [(low, [LEFT] * (columns + 1))]
    for number, one in enumerate(reversed(first), 1):
        start, middle = low, number * columns // rows
        low, high = max(middle - reach, 0), min(middle + reach, columns)
        above = [NEVER] * (low <= start) + best[max(low - 1 - start, 0) : high + 1 - start]
        above += [NEVER] * (high - low + 2 - len(above))
        line, row, value = list[float](), list[int](), NEVER
        for column, (diagonal, upper) in enumerate(pairwise(above), low):
            both = diagonal + score(one, second[columns - column]) if column else NEVER
            up, left = upper - gap, value - gap
            move, value = (BOTH, both) if both >= up and both >= left else (UP, up) if up >= left else (LEFT, left)
            row.append(move)
            line.append(value)
        best = line
        moves.append((low, row))
    pairs: list[Pair[T]] = []
    while rows or columns:
        start, row = moves[rows]
        move = row[columns - start]
        pairs.append((first[len(first) - rows] if move != LEFT else None,
                      second[len(second) - columns] if move != UP else None))
        rows -= move != LEFT
        columns -= move != UP
    return pairs


@memoized
def headings(source: tuple[Heading, ...], target: tuple[Heading, ...]) -> tuple[Pair[Heading], ...]:
    """The headings of both pages, paired by id, level, position and the words that no translation changes."""
    if [heading.level for heading in source] == [heading.level for heading in target]:
        return tuple(zip(source, target, strict=True))
    found = align(source, target, heading_score, 0.5)
    return tuple(found)


def heading_score(source: Heading, target: Heading) -> float:
    """At least 0.5 for two headings of one level, much more where ids or words agree, negative where ids disagree."""
    score = 1.0 if source.level == target.level else 0.1
    if source.id and target.id:
        score += 4 if source.id == target.id else -3
    elif target.id and target.id == source.anchor:
        score += 4
    theirs, ours = kept_words(source.text), kept_words(target.text)
    return score + (2 * len(theirs & ours) / len(theirs | ours) if theirs or ours else 0)


@lru_cache(maxsize=4096)
def kept_words(text: str) -> frozenset[str]:
    """The words and numbers of a text in Latin letters."""
    return frozenset(WORDS.findall(text.lower()))


@memoized
def by_section(page: Page, things: Iterable[P]) -> dict[int, list[P]]:
    """Things by the index of the heading they stand under, -1 above the first."""
    lines = [heading.line for heading in page.headings]
    found: dict[int, list[P]] = {}
    for thing in things:
        found.setdefault(bisect_right(lines, thing.line) - 1, []).append(thing)
    return found


@memoized
def matched_sections(source: Page, target: Page) -> dict[int, int]:
    """The translation's section for each of the source's that has one, in the source's order, -1 above the first."""
    first = {id(heading): index for index, heading in enumerate(source.headings)}
    second = {id(heading): index for index, heading in enumerate(target.headings)}
    pairs = headings(source.headings, target.headings)
    return {-1: -1} | {first[id(a)]: second[id(b)] for a, b in pairs if a is not None and b is not None}


def section_pairs(source: Page, target: Page, first: Iterable[P], second: Iterable[P]) -> list[
    tuple[int, list[P], list[P]]
]:
    """The things of the source and of the translation, section by section; the number is the translation's section."""
    left, right = by_section(source, first), by_section(target, second)
    matching = matched_sections(source, target).items()
    return [(b, left.get(a, []), right.get(b, [])) for a, b in matching if a in left or b in right]


def blocks(source: Sequence[Block], target: Sequence[Block]) -> list[tuple[Block, Block]]:
    """The blocks of one section that stand for each other."""
    found: list[tuple[Block, Block]] = []
    for first, second in cut_section(source, target):
        if have_same_shape(first, second):
            found += zip(first, second, strict=True)
        else:
            pairs = align(first, second, block_score, 0.2)
            found += [(a, b) for a, b in pairs if a is not None and b is not None]
    return found


def cut_section(source: Sequence[Block], target: Sequence[Block]) -> Iterator[tuple[Sequence[Block], Sequence[Block]]]:
    """The blocks of one section as a whole, or of a long one of another shape cut where both sides say the same."""
    if len(source) <= LONG or have_same_shape(source, target):
        yield source, target
        return
    first, second = ([(block.kind, block.text) for block in side] for side in (source, target))
    for (a, c), (b, d) in pairwise([(0, 0), *find_anchors(first, second)[1:], (len(first), len(second))]):
        yield source[a:b], target[c:d]


def have_same_shape(source: Sequence[Block], target: Sequence[Block]) -> bool:
    """Whether blocks of a translation have the source's shape."""
    return [block.kind for block in source] == [block.kind for block in target]


@memoized
def blocks_by_section(page: Page) -> dict[int, list[Block]]:
    """The blocks under each heading of a page."""
    return by_section(page, page.blocks)


class BlockLines(NamedTuple):
    """The lines of a section's paired blocks, in order: the source's, the translation's, and the largest so far."""

    source: list[int]
    target: list[int]
    lowest: list[int]


@memoized
def block_lines(source: Page, target: Page) -> Callable[[int], BlockLines]:
    """Where the blocks of a section of the source stand that has one in the translation; each is worked out once."""
    @cache
    def lines_of(section: int) -> BlockLines:
        there = blocks_by_section(source).get(section, [])
        pairs = blocks(there, blocks_by_section(target).get(matched_sections(source, target)[section], []))
        lines = [other.line for _, other in pairs]
        return BlockLines([one.line for one, _ in pairs], lines, list(accumulate(lines, max)))

    return lines_of


def find_landing(source: Page, target: Page, line: int) -> int:
    """The line of the translation where something of the source belongs: that of the block above it, or the heading."""
    section, matched = source.section(line), matched_sections(source, target)
    if section in matched:
        lines = block_lines(source, target)(section)
        if above := bisect_right(lines.source, line):
            return lines.lowest[above - 1]
    else:
        known = list(matched)
        section = known[bisect_left(known, section) - 1]
    return target.headings[matched[section]].line if matched[section] >= 0 else 1


def line_beside(source: Page, target: Page, line: int) -> int:
    """The line of the translation's block whose own in the source is nearest to a line, in the section or above it."""
    section = source.section(line)
    lines = block_lines(source, target)(section) if section in matched_sections(source, target) else None
    if lines is None or not lines.source:
        return find_landing(source, target, line)
    after = bisect_left(lines.source, line)
    near = [bisect_left(lines.source, lines.source[after - 1])] if after else []
    near += [after] if after < len(lines.source) else []
    return lines.target[min(near, key=lambda index: abs(lines.source[index] - line))]


@memoized
def empty_lines(lines: tuple[str, ...]) -> list[int]:
    """The numbers of a page's empty lines."""
    return [number for number, line in enumerate(lines, 1) if not line.strip()]


def find_empty_line(page: Page, line: int) -> int:
    """The first empty line after a block's line, the last of the page where there is none."""
    empty = empty_lines(page.lines)
    after = bisect_left(empty, line)
    return empty[after] if after < len(empty) else max(len(page.lines), 1)


@memoized
def line_starts(lines: tuple[str, ...]) -> list[int]:
    """The offset of each line's first character in the page's text, and the text's length."""
    return list(accumulate(map(len, lines), initial=0))


def block_score(source: Block, target: Block) -> float:
    """Blocks of a kind that share numbers, names and code, and are of a length, may stand for each other."""
    if source.kind != target.kind:
        return -1.0
    ours = kept_words(target.text)
    marks = source.text.count("\ufffc") == target.text.count("\ufffc")
    return 0.3 + 0.3 * marks + (len(kept_words(source.text) & ours) / len(ours) if ours else 0.2)


def count_shared_words(source: Block, target: Block) -> int:
    """How many words in Latin letters two blocks share."""
    return len({word for word in kept_words(source.text) & kept_words(target.text) if not word.isdigit()})
