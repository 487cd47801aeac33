"""Numbers of two texts taken off against each other: what is left is missing or added."""

from collections.abc import Iterable, Sequence

from hexapla.checks.rules.numbers.parsing import Number


def differences(source: Sequence[Number], target: Sequence[Number]) -> tuple[list[Number], list[Number]]:
    """The certain numbers of each side that nothing on the other side stands for: (missing, added)."""
    missing, added = pair([n for n in source if n.certain], [n for n in target if n.certain])
    words, others = [n for n in source if not n.certain], [n for n in target if not n.certain]
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


def said(number: Number, others: Iterable[Number]) -> bool:
    """Whether one of `others` may be the number."""
    return any(not number.values.isdisjoint(other.values) for other in others)


def pair(first: list[Number], second: list[Number]) -> tuple[list[Number], list[Number]]:
    """What is left of each when equal numbers are taken off in pairs."""
    by_value: dict[str, list[int]] = {}
    for index, number in enumerate(second):
        for value in number.values:
            by_value.setdefault(value, []).append(index)
    taken: set[int] = set()
    left = []
    for number in first:
        free = min((index for value in number.values for index in by_value.get(value, ()) if index not in taken),
                   default=None)
        if free is None:
            left.append(number)
        else:
            taken.add(free)
    return left, [number for index, number in enumerate(second) if index not in taken]
