"""Differences of two sequences, as `difflib` tells them, in a time that no sequence makes quadratic."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher

Opcode = tuple[str, int, int, int, int]  # "equal", "replace", "delete" or "insert", and the two ranges
# Pairs of items that difflib compares, of whole sequences and between two cuts: it takes up to 0.4 s for so many.
CELLS, CELLS_BETWEEN = 100_000, 10_000


def opcodes(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[Opcode]:
    """What turns the first sequence into the second, as `SequenceMatcher.get_opcodes` tells it.

    Long sequences are cut at items that each has once; what is still long between two cuts is one replacement.
    """
    if len(first) * len(second) <= CELLS:
        return [*SequenceMatcher(None, first, second, autojunk=False).get_opcodes()]
    equal = list[tuple[int, int]]()
    for a, b, c, d in ranges_between(first, second, find_anchors(first, second)):
        equal += equal_places(first, second, a, b, c, d)
    return list(opcodes_of(equal, len(first), len(second)))


def find_anchors(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The places of equal items that both begin and end with, and the longest rising run of items each has once."""
    shorter = min(len(first), len(second))
    start = next((place for place in range(shorter) if first[place] != second[place]), shorter)
    end = next((place for place in range(shorter - start) if first[-1 - place] != second[-1 - place]), shorter - start)
    counted, others = (Counter(side[start : len(side) - end]) for side in (first, second))
    places = {item: place for place, item in enumerate(second[start : len(second) - end], start) if others[item] == 1}
    unique = [(place, places[item]) for place, item in enumerate(first[start : len(first) - end], start)
              if counted[item] == 1 and item in places]
    head = [(place, place) for place in range(start)]
    tail = [(len(first) - place, len(second) - place) for place in range(end, 0, -1)]
    return [*head, *longest_rising(unique), *tail]


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second places rise as the first do (patience sorting)."""
    ends: list[int] = []     # the smallest last place of a run of each length
    last: list[int] = []     # the pair that it belongs to
    before: list[int] = []   # for each pair, the one before it in its run
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1], last[length : length + 1] = [place], [index]
    found, index = [], last[-1] if last else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def ranges_between(
    first: Sequence[Hashable], second: Sequence[Hashable], fixed: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """The ranges between fixed pairs, each with the pair that ends it."""
    a = c = 0
    for place, other in fixed:
        yield a, place, c, other
        yield place, place + 1, other, other + 1
        a, c = place + 1, other + 1
    yield a, len(first), c, len(second)


def equal_places(
    first: Sequence[Hashable], second: Sequence[Hashable], a: int, b: int, c: int, d: int
) -> Iterator[tuple[int, int]]:
    """The places of equal items in two ranges; none in ranges that are long."""
    if b - a == d - c == 1:
        if first[a] == second[c]:
            yield a, c
    elif b > a and d > c and (b - a) * (d - c) <= CELLS_BETWEEN:
        for one, other, size in SequenceMatcher(None, first[a:b], second[c:d], autojunk=False).get_matching_blocks():
            yield from ((a + one + step, c + other + step) for step in range(size))


def opcodes_of(equal: Sequence[tuple[int, int]], rows: int, columns: int) -> Iterator[Opcode]:
    """Opcodes of the places of equal items."""
    a = c = 0
    start: tuple[int, int] | None = None
    for place, other in (*equal, (rows, columns)):
        if start is not None and (place, other) != (a, c):
            yield "equal", start[0], a, start[1], c
            start = None
        if (place, other) != (a, c):
            yield ("replace" if place > a and other > c else "delete" if place > a else "insert"), a, place, c, other
        if (place, other) == (rows, columns):
            break
        start = start or (place, other)
        a, c = place + 1, other + 1
    if start is not None:
        yield "equal", start[0], a, start[1], c
