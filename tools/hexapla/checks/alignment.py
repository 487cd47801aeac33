"""Which heading, block or listing of a translation stands for which of its source."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Protocol, TypeVar

from hexapla.checks.engine.memo import memoized
from hexapla.pages import Block, Heading, Page

T = TypeVar("T")
Pair = tuple[T | None, T | None]


CELLS = 400_000
BOTH, UP, LEFT = 0, 1, 2  # a pair, one of the first sequence alone, one of the second alone


class Placed(Protocol):
    """Anything that stands on a line."""

    @property
    def line(self) -> int: ...


P = TypeVar("P", bound=Placed)


def align(first: Sequence[T], second: Sequence[T], score: Callable[[T, T], float], gap: float = 0.0) -> list[Pair[T]]:
    """Pairs in order, None where one side has nothing, so that the scores' sum is greatest (Needleman and Wunsch 1970).

    `score` is positive for two things that may stand for each other; `gap` is what leaving one alone costs. Where the
    table of scores would take seconds to fill, things are paired by position. Of two that are alike the second is left
    alone: the table is filled from the end.
    """
    if len(first) * len(second) > CELLS:
        return list(zip_longest(first, second))
    best = [-gap * column for column in range(len(second) + 1)]
    moves = [[LEFT] * (len(second) + 1)]
    for one in reversed(first):
        line, row = [best[0] - gap], [UP]
        for column, other in enumerate(reversed(second)):
            options = (best[column] + score(one, other), best[column + 1] - gap, line[column] - gap)
            row.append(max((BOTH, UP, LEFT), key=options.__getitem__))
            line.append(options[row[-1]])
        best = line
        moves.append(row)
    pairs: list[Pair[T]] = []
    rows, columns = len(first), len(second)
    while rows or columns:
        move = moves[rows][columns]
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
    shared = kept_words(source.text) & kept_words(target.text)
    either = kept_words(source.text) | kept_words(target.text)
    return score + (2 * len(shared) / len(either) if either else 0)


@lru_cache(maxsize=4096)
def kept_words(text: str) -> frozenset[str]:
    """The words and numbers of a text in Latin letters."""
    return frozenset(re.findall(r"[a-z0-9_]{2,}", text.lower()))


def by_section(page: Page, things: Iterable[P]) -> dict[int, list[P]]:
    """Things by the index of the heading they stand under, -1 above the first."""
    lines = [heading.line for heading in page.headings]
    found: dict[int, list[P]] = {}
    for thing in things:
        found.setdefault(bisect_right(lines, thing.line) - 1, []).append(thing)
    return found


def sections(source: Page, target: Page) -> list[tuple[int, int]]:
    """The indices of the headings that stand for each other, (-1, -1) for what stands above the first."""
    first = {id(heading): index for index, heading in enumerate(source.headings)}
    second = {id(heading): index for index, heading in enumerate(target.headings)}
    pairs = headings(source.headings, target.headings)
    return [(-1, -1), *((first[id(a)], second[id(b)]) for a, b in pairs if a is not None and b is not None)]


def section_pairs(source: Page, target: Page, first: Iterable[P], second: Iterable[P]) -> list[
    tuple[int, list[P], list[P]]
]:
    """The things of the source and of the translation, section by section; the number is the translation's section."""
    left, right = by_section(source, first), by_section(target, second)
    return [(b, left.get(a, []), right.get(b, [])) for a, b in sections(source, target) if a in left or b in right]


def blocks(source: Sequence[Block], target: Sequence[Block]) -> list[tuple[Block, Block]]:
    """The blocks of one section that stand for each other."""
    if [block.kind for block in source] == [block.kind for block in target]:
        return list(zip(source, target, strict=True))
    return [(a, b) for a, b in align(source, target, block_score, 0.2) if a is not None and b is not None]


def landing(source: Page, target: Page, line: int) -> int:
    """The line of the translation where something of the source belongs: that of the block above it, or the heading."""
    section, matched = source.section(line), dict(sections(source, target))
    if section not in matched:
        nearest = max(one for one in matched if one < section)
        return target.headings[matched[nearest]].line if nearest >= 0 else 1
    other = matched[section]
    first = [block for block in source.blocks if source.section(block.line) == section]
    second = [block for block in target.blocks if target.section(block.line) == other]
    above = [b.line for a, b in blocks(first, second) if a.line <= line]
    return max(above, default=target.headings[other].line if other >= 0 else 1)


def beside(source: Page, target: Page, line: int) -> int:
    """The line of the translation's block whose own in the source is nearest to a line, in the section or above it."""
    section, matched = source.section(line), dict(sections(source, target))
    if section not in matched:
        return landing(source, target, line)
    first = [block for block in source.blocks if source.section(block.line) == section]
    second = [block for block in target.blocks if target.section(block.line) == matched[section]]
    found = min(blocks(first, second), key=lambda pair: abs(pair[0].line - line), default=None)
    return found[1].line if found else landing(source, target, line)


def below(page: Page, line: int) -> int:
    """The first empty line after a block's line, the last of the page where there is none."""
    lines = page.lines
    return next((number for number in range(line, len(lines) + 1) if not lines[number - 1].strip()), max(len(lines), 1))


def block_score(source: Block, target: Block) -> float:
    """Blocks of a kind that share numbers, names and code, and are of a length, may stand for each other."""
    if source.kind != target.kind:
        return -1.0
    shared, either = kept_words(source.text) & kept_words(target.text), kept_words(target.text)
    marks = source.text.count("\ufffc") == target.text.count("\ufffc")
    return 0.3 + 0.3 * marks + (len(shared) / len(either) if either else 0.2)


def likeness(source: Block, target: Block) -> int:
    """How many words in Latin letters two blocks share."""
    return len({word for word in kept_words(source.text) & kept_words(target.text) if not word.isdigit()})
