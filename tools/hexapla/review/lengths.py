"""How long translations are, of texts and sentence by sentence (Gale and Church 1993), without what both texts keep."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, inf, log
from statistics import median, quantiles
from typing import NamedTuple

from hexapla.checks.rules.sentences.kept import CODE

PART = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]+")
LONG = 20        # letters of a source whose translation's length can be told
NARROWEST = 0.3  # spread of lengths where all are as long as each other
FREEDOM = 4      # degrees of freedom of the lengths: some translations are far longer than usual
MOST = 30        # sentences of a text that are aligned
WORST = 30.0     # what speaks against an alignment at most
# Sentences of a text and of its translation that stand for each other, with the logarithm of how usual it is.
BEADS = ((1, 1, 0.0), (1, 2, -2.0), (2, 1, -2.0), (2, 2, -4.0), (1, 3, -5.0), (3, 1, -5.0))


class Lengths(NamedTuple):
    """The usual ratio of the lengths, and the spread of their difference by the root of the length."""

    ratio: float = 1.0
    spread: float = 1.0

    def turned(self) -> "Lengths":
        """The same of the translation as source."""
        return Lengths(1 / self.ratio, self.spread / self.ratio**1.5)

    def weigh(self, source: int, target: int) -> float:
        """How likely the lengths are those of a text and its translation, as a logarithm; nought for the likeliest."""
        away = (target - self.ratio * source) / (self.spread * max(source, 1) ** 0.5)
        return -(FREEDOM + 1) / 2 * log(1 + away**2 / FREEDOM)


def learn_lengths(pairs: Iterable[tuple[str, str]]) -> Lengths:
    """The lengths of a language, from texts and their translations."""
    shared = [(one, other, shared_parts(one, other)) for one, other in pairs]
    both = [(plain_length(one, kept), plain_length(other, kept)) for one, other, kept in shared]
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


class Alignment:
    """How well the sentences of a text, by their lengths, are those of another one, as they are or without some."""

    def __init__(self, source: Sequence[int], target: Sequence[int], lengths: Lengths) -> None:
        self.before = align_lengths(source, target, lengths)
        self.after = [row[::-1] for row in align_lengths(source[::-1], target[::-1], lengths)[::-1]]
        self.whole = max(self.before[-1][-1], -WORST)

    def weigh_absence(self, start: int, end: int) -> float:
        """How much better they fit without the sentences of the text from `start` to before `end`."""
        best = max(one + other for one, other in zip(self.before[start], self.after[end], strict=True))
        return max(best, -2 * WORST) - self.whole


def align_lengths(source: Sequence[int], target: Sequence[int], lengths: Lengths) -> list[list[float]]:
    """How well the first sentences of a text are the first ones of another, by the numbers of both."""
    here, there = ([*accumulate(side, initial=0)] for side in (source, target))
    best = [[-inf] * len(there) for _ in here]
    best[0][0] = 0.0
    for one, row in enumerate(best):
        for other, known in enumerate(row):
            for some, others, usual in BEADS if known > -inf else ():
                to, end = one + some, other + others
                if to < len(here) and end < len(there):
                    fit = known + usual + lengths.weigh(here[to] - here[one], there[end] - there[other])
                    best[to][end] = max(best[to][end], fit)
    return best
