"""How long translations are, without what both texts keep."""

import re
from collections.abc import Iterable
from functools import lru_cache
from math import exp, log
from statistics import median, quantiles
from typing import NamedTuple

from hexapla.checks.rules.sentences.kept import CODE

PART = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]+")
LONG = 20        # letters of a source whose translation's length can be told
NARROWEST = 0.3  # spread of lengths where all are as long as each other
FREEDOM = 4      # degrees of freedom of the lengths: some translations are far longer than usual


class Lengths(NamedTuple):
    """The usual ratio of the lengths, and the spread of their difference by the root of the length."""

    ratio: float = 1.0
    spread: float = 1.0

    def swap_sides(self) -> "Lengths":
        """What was learned, with source and translation in each other's place."""
        return Lengths(1 / self.ratio, self.spread / self.ratio**1.5)

    def weigh(self, source: int, target: int) -> float:
        """How likely the lengths are those of a text and its translation, as a logarithm; nought for the likeliest."""
        away = (target - self.ratio * source) / (self.spread * max(source, 1) ** 0.5)
        return -(FREEDOM + 1) / 2 * log(1 + away**2 / FREEDOM)


def learn_lengths(pairs: Iterable[tuple[str, str]]) -> Lengths:
    """The lengths of a language, from texts and their translations."""
    both = ((plain_length(one, kept), plain_length(other, kept)) for one, other in pairs
            for kept in [shared_parts(one, other)])
    known = [(one, other) for one, other in both if one > LONG and other]
    if len(known) < 2:
        return Lengths()
    ratio = exp(median(log(other / one) for one, other in known))
    lower, upper = quantiles([(other - ratio * one) / one**0.5 for one, other in known], n=6)[::4]
    return Lengths(ratio, max((upper - lower) / 2, NARROWEST))


@lru_cache(maxsize=1 << 14)
def parts_of(text: str) -> tuple[str, ...]:
    """The words in letters of an alphabet, and what stands between them; code is none."""
    return tuple(PART.findall(CODE.sub("", text.lower())))


def shared_parts(one: str, other: str) -> frozenset[str]:
    """What two texts have as it is: it is as long in any language."""
    return frozenset(parts_of(one)).intersection(parts_of(other))


def plain_length(text: str, shared: frozenset[str] = frozenset()) -> int:
    """The letters of a text but for code and for what is `shared`.

    >>> plain_length("Set `a` to GPU 2", frozenset(["gpu", "2"]))
    5
    """
    return sum(len(part) for part in parts_of(text) if part not in shared)
