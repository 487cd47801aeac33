"""Which sentences of a text stand for which of its translation, by their words and lengths (Gale and Church 1993).

The evidence is that of a logistic regression: logarithms of ratios of probabilities, each with a weight, as they depend
on each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, log
from typing import NamedTuple

from hexapla.review.habits import Habits, WordHabits
from hexapla.review.lengths import plain_length, shared_parts
from hexapla.review.lexicon import EAST, WordEvidence, kept_kinds, words_of

# Sentences of a text and of its translation that stand for each other.
BEADS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (1, 4), (4, 1))
ASIDE = 4  # sentences that stand for each other are so far from their places at most
SURE = {"code", "number", "name"}  # kinds of tokens that translators keep

# Weights, set by the regression on the trees that `benchmarks/review/trees.yml` names for it.
KEPT, LETTERS, WORD = 0.79, 0.15, 0.59  # of a word's absence: one that is kept, of East Asia, or another one
THERE = 0.7                             # as much of its presence
BACK = 0.25                             # as much of the words of the translation
LENGTH, NUMBER = 0.69, 0.4              # of lengths, and of how many sentences stand for each other


class WeighedText(NamedTuple):
    """A sentence or several: what is known of its words, each with its weight; all its words, its length."""

    known: Mapping[str, tuple[WordEvidence, float]]
    words: frozenset[str]
    length: int


def weigh_text(text: str, habits: WordHabits, shared: frozenset[str]) -> WeighedText:
    kinds, words = kept_kinds(text), words_of(text)
    known = {word: (evidence, KEPT if kinds.get(word) in SURE else LETTERS if EAST.match(word) else WORD)
             for word in words if (evidence := habits.evidence(word, kinds.get(word)))}
    return WeighedText(known, words, plain_length(text, shared))


def join_texts(passages: Sequence[WeighedText]) -> WeighedText:
    """Several passages as one, in which a word counts once."""
    if len(passages) == 1:
        return passages[0]
    known = {word: value for passage in passages for word, value in passage.known.items()}
    return WeighedText(known, frozenset[str]().union(*(passage.words for passage in passages)),
                   sum(passage.length for passage in passages))


def weigh_words(passage: WeighedText, there: frozenset[str], sentences: int) -> float:
    """What the words of a passage say for its being translated by sentences with the words `there`."""
    values = ((evidence.weigh(there, sentences), weight) for evidence, weight in passage.known.values())
    return sum(value * weight * (THERE if value > 0 else 1) for value, weight in values)


def weigh_pair(one: WeighedText, other: WeighedText, sizes: tuple[int, int], habits: Habits) -> float:
    """What speaks for two passages of so many sentences being a translation of each other."""
    return (weigh_words(one, other.words, sizes[1]) + BACK * weigh_words(other, one.words, sizes[0])
            + LENGTH * habits.lengths.weigh(one.length, other.length))


class Alignment:
    """How well the sentences of a text are those of another one, as they are or without some."""

    def __init__(self, texts: Sequence[str], others: Sequence[str], habits: Habits) -> None:
        self.shared = shared_parts("".join(texts), "".join(others))
        self.habits = habits
        self.one = [weigh_text(text, habits.forth, self.shared) for text in texts]
        self.other = [weigh_text(text, habits.back, self.shared) for text in others]
        rows, columns = len(self.one), len(self.other)
        self.before, self.after = ([[-inf] * (columns + 1) for _ in range(rows + 1)] for _ in range(2))
        self.before[0][0] = self.after[rows][columns] = 0.0
        self.beads = [*self.weigh_beads()]
        for (here, to), (there, end), fit in self.beads:
            self.before[to][end] = max(self.before[to][end], self.before[here][there] + fit)
        for (here, to), (there, end), fit in reversed(self.beads):
            self.after[here][there] = max(self.after[here][there], self.after[to][end] + fit)
        self.whole = self.before[rows][columns]

    def weigh_beads(self) -> Iterator[tuple[tuple[int, int], tuple[int, int], float]]:
        """Sentences near each other's place that may stand for each other, from where to where, and how well."""
        rows, columns = len(self.one), len(self.other)
        mine, theirs = ({(start, size): join_texts(side[start : start + size])
                         for size in range(1, 5) for start in range(len(side) - size + 1)}
                        for side in (self.one, self.other))
        for here in range(rows):
            for there in range(columns):
                if abs(here * columns - there * rows) <= ASIDE * max(rows, columns):
                    for size in BEADS:
                        if here + size[0] <= rows and there + size[1] <= columns:
                            fit = weigh_pair(mine[here, size[0]], theirs[there, size[1]], size, self.habits)
                            yield ((here, here + size[0]), (there, there + size[1]),
                                   fit + NUMBER * log(self.habits.usual(size[0] - size[1]) / self.habits.usual(0)))

    def weigh_absence(self, start: int, end: int) -> float:
        """How much better they fit without the sentences of the text from `start` to before `end`."""
        return max(one + other for one, other in zip(self.before[start], self.after[end], strict=True)) - self.whole

    def best_beads(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Which sentences stand for which, from the first to the last."""
        place = 0, 0
        for (here, to), (there, end), fit in self.beads:
            if place == (here, there) and self.before[here][there] + fit + self.after[to][end] > self.whole - 1e-6:
                place = to, end
                yield (here, to), (there, end)
