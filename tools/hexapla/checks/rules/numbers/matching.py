"""Numbers of two texts taken off against each other: what is left is missing or added."""

from collections import deque
from collections.abc import Callable

from hexapla.checks.rules.numbers.parsing import Number


def unexplained(
    missing: list[Number], added: list[Number], words: list[Number], others: list[Number]
) -> tuple[list[Number], list[Number]]:
    """What is left of both when number words of the source (`words`) and of the translation are taken into account."""
    # A word that stands for the source's word is not free to stand for its digits; but one is said of anything.
    plain, free = split(others)
    said_alike, unsure = split(words)
    unsaid, left = pair(said_alike, plain)
    return pair(missing, left + free)[0], pair(added, unsaid + unsure)[0]


def split(words: list[Number]) -> tuple[list[Number], list[Number]]:
    """The number words that stand for just one number, and it not 1; and the others."""
    plain = [word for word in words if len({value.rstrip("%") for value in word.values} | {"1"}) == 2]
    kept = {id(word) for word in plain}
    return plain, [word for word in words if id(word) not in kept]


def pair(first: list[Number], second: list[Number]) -> tuple[list[Number], list[Number]]:
    """What is left of each when equal numbers are taken off in pairs, the first free one of `second` each time."""
    by_value: dict[str, deque[int]] = {}
    for index, number in enumerate(second):
        for value in number.values:
            by_value.setdefault(value, deque()).append(index)
    taken: set[int] = set()
    left = []
    for number in first:
        firsts = (first_free(by_value.get(value, deque()), lambda place: place not in taken) for value in number.values)
        free = [place for place in firsts if place is not None]
        if free:
            taken.add(min(free))
        else:
            left.append(number)
    return left, [number for index, number in enumerate(second) if index not in taken]


def first_free(queue: deque[int], is_free: Callable[[int], bool]) -> int | None:
    """The first of a queue that is free, None for none; those before it go, so that each is looked at once."""
    while queue and not is_free(queue[0]):
        queue.popleft()
    return queue[0] if queue else None
