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
    found: list[Opcode] = []
    a = c = 0
    for place, other in (*find_anchors(first, second), (len(first), len(second))):
        found += range_opcodes(first, second, a, place, c, other)
        found.append(("equal", place, place + 1, other, other + 1))
        a, c = place + 1, other + 1
    return join_equal(found[:-1])


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


def range_opcodes(
    first: Sequence[Hashable], second: Sequence[Hashable], a: int, b: int, c: int, d: int
) -> Iterator[Opcode]:
    """The opcodes between two cuts; what is long is one replacement."""
    if (b - a) * (d - c) > CELLS_BETWEEN:
        yield "replace", a, b, c, d
    elif b > a or d > c:
        for tag, i, j, k, m in SequenceMatcher(None, first[a:b], second[c:d], autojunk=False).get_opcodes():
            yield tag, a + i, a + j, c + k, c + m


def join_equal(opcodes: Sequence[Opcode]) -> list[Opcode]:
    """Opcodes with those of equal items that follow one another joined."""
    found: list[Opcode] = []
    for each in opcodes:
        if found and found[-1][0] == each[0] == "equal":
            each = ("equal", found[-1][1], each[2], found.pop()[3], each[4])
        found.append(each)
    return found
