"""How a language of a tree is translated: its words, what it keeps, its lengths and numbers of sentences."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log
from statistics import median, quantiles
from types import MappingProxyType
from typing import NamedTuple

from hexapla.checks.rules.sentences.kept import CODE
from hexapla.review.lexicon import Lexicon, WordEvidence, kept_kinds, learn_lexicon, weigh_words, words_of
from hexapla.review.said_pairs import SaidPair

LONG = 30        # characters of a source whose translation's length can be told
LONGEST = 200    # words of a sentence or paragraph that words are learned from: a longer one says nothing of each
FURTHEST = 3     # sentences more or less that are told apart
NARROWEST = 0.3  # spread of lengths where all are as long as each other
FREEDOM = 4      # degrees of freedom of the lengths: some translations are far longer than usual
RARE = 0.01      # how usual a token is in any sentence that is kept and not known from elsewhere
LIMIT = 7.0      # evidence of an absence that is doubted, where nothing is known of the tree


class WordHabits(NamedTuple):
    """Which words stand for which in one direction, and how often tokens of a kind are kept as they are."""

    words: Lexicon = MappingProxyType({})
    kept: Mapping[str, float] = MappingProxyType({})

    def evidence(self, word: str, kind: str | None) -> WordEvidence | None:
        """What is known of a word, or else of its kind; None for nothing."""
        if (known := self.words.get(word)) or kind is None or kind not in self.kept:
            return known
        return WordEvidence(frozenset([word]), self.kept[kind], RARE)


class Habits(NamedTuple):
    """What is usual between two languages: words there and back; the ratio of the lengths, and the spread of the
    difference by the root of the length (Gale and Church 1993); how often the source has how many sentences more.

    `missing` and `added` are the limits above which an absence on either side is doubted.
    """

    forth: WordHabits = WordHabits()
    back: WordHabits = WordHabits()
    ratio: float = 1.0
    spread: float = 1.0
    sentences: Mapping[int, int] = {}
    missing: float = LIMIT
    added: float = LIMIT

    def affinity(self, source: str, target: str) -> float:
        """What the words of two texts say for their being a translation of each other; negative for that they are not.
        """
        one, other = words_of(source), words_of(target)
        return weigh_words(one, self.forth.words, other) + weigh_words(other, self.back.words, one)

    def turned(self) -> "Habits":
        """The same of the translation as source."""
        return Habits(self.back, self.forth, 1 / self.ratio, self.spread / self.ratio**1.5,
                      {-key: n for key, n in self.sentences.items()}, self.added, self.missing)

    def weigh_length(self, source: int, target: int) -> float:
        """How likely the lengths are those of a text and its translation, as a logarithm; nought for the likeliest."""
        away = (target - self.ratio * source) / (self.spread * max(source, 1) ** 0.5)
        return -(FREEDOM + 1) / 2 * log(1 + away**2 / FREEDOM)

    def usual(self, more: int) -> float:
        """How usual it is that the source has so many sentences more."""
        return self.sentences.get(within(more), 0) + 1


def within(more: int) -> int:
    return max(min(more, FURTHEST), -FURTHEST)


def spoken_length(text: str) -> int:
    """The length of a text without its code, which is as long in any language."""
    return len(CODE.sub("", text))


def learn_habits(pairs: Iterable[SaidPair]) -> Habits:
    """The habits of a language, from all its paired texts."""
    known = [(source, target) for source, target in pairs if source and target and source.text and target.text]
    beside: list[tuple[frozenset[str], frozenset[str]]] = []
    for source, target in known:
        both = [source.sentences, target.sentences]
        if len(both[0]) != len(both[1]):
            both = [(source.text,), (target.text,)]
        beside += [(words_of(one), words_of(other)) for one, other in zip(*both, strict=True)]
    beside = [both for both in beside if max(map(len, both)) <= LONGEST]
    lengths = [(spoken_length(one.text), spoken_length(other.text)) for one, other in known]
    lengths = [(one, other) for one, other in lengths if one > LONG and other]
    ratio = exp(median(log(other / one) for one, other in lengths)) if lengths else 1.0
    away = [(other - ratio * one) / one**0.5 for one, other in lengths]
    lower, upper = quantiles(away, n=6)[::4] if len(away) > 1 else (-1.0, 1.0)
    return Habits(
        WordHabits(learn_lexicon(beside), kept_rates([(one.text, other.text) for one, other in known])),
        WordHabits(learn_lexicon([(other, one) for one, other in beside]),
                   kept_rates([(other.text, one.text) for one, other in known])),
        ratio, max((upper - lower) / 2, NARROWEST),
        Counter(within(len(one.sentences) - len(other.sentences)) for one, other in known if len(one.sentences) > 1))


def kept_rates(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """How often a token of each kind stands in the other text too."""
    found, kept = Counter[str](), Counter[str]()
    for one, other in pairs:
        there = words_of(other)
        for word, kind in kept_kinds(one).items():
            found[kind] += 1
            kept[kind] += word in there
    return {kind: (kept[kind] + 1) / (often + 2) for kind, often in found.items()}
