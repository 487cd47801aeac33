"""How a language of a tree is translated: its words, lengths and numbers of sentences, learned from the tree itself."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from statistics import quantiles
from typing import NamedTuple

from hexapla.review.lexicon import Lexicon, learn_lexicon, weigh_words, words_of
from hexapla.review.said_pairs import SaidPair

LONG = 60        # characters of a source whose translation's length can be told
LONGEST = 200    # words of a sentence or paragraph that words are learned from: a longer one says nothing of each
FURTHEST = 3     # sentences more or less that are told apart
SHARE = 4.0      # of what a length may say at most, for or against
NARROWEST = 0.1  # spread of lengths, as logarithm, where all are as long as each other


class Habits(NamedTuple):
    """What is usual between two languages: which words stand for which, there and back; the logarithm of the lengths'
    ratio and its spread; and how often the source has how many sentences more.
    """

    words: Lexicon
    back: Lexicon
    length: float = 0.0
    spread: float = 0.3
    sentences: Mapping[int, int] = {}

    def affinity(self, source: str, target: str) -> float:
        """What the words of two texts say for their being a translation of each other; negative for that they are not.
        """
        one, other = words_of(source), words_of(target)
        return weigh_words(one, self.words, other) + weigh_words(other, self.back, one)

    def turned(self) -> "Habits":
        """The same of the translation as source."""
        return Habits(self.back, self.words, -self.length, self.spread, {-key: n for key, n in self.sentences.items()})

    def presences(self, said: Sequence[str], other: Sequence[str]) -> list[float]:
        """What speaks for each of the sentences of a paragraph being said by the `other` paragraph.

        Its words that no other sentence has; how long the other is with it and without; and how many sentences it has.
        Each is the logarithm of a ratio of probabilities; below nought the sentence is rather missing.
        """
        words = list(map(words_of, said))
        often = Counter(word for each in words for word in each)
        there = frozenset[str]().union(*map(words_of, other))
        whole, more = sum(map(len, said)), len(said) - len(other)
        away = log(max(sum(map(len, other)), 1) / max(whole, 1)) - self.length
        counts = log(self.usual(more) / self.usual(more - 1))
        found = []
        for text, each in zip(said, words, strict=True):
            evidence = weigh_words((word for word in each if often[word] == 1), self.words, there, len(other))
            without = away - log(max(whole - len(text), 1) / max(whole, 1))
            lengths = (without**2 - away**2) / (2 * self.spread**2)
            found.append(evidence + max(min(lengths, SHARE), -SHARE) + counts)
        return found

    def usual(self, more: int) -> float:
        """How usual it is that the source has so many sentences more."""
        return self.sentences.get(within(more), 0) + 1


def within(more: int) -> int:
    return max(min(more, FURTHEST), -FURTHEST)


def learn_habits(pairs: Iterable[SaidPair]) -> Habits:
    """The habits of a language, from all its paired texts."""
    beside: list[tuple[frozenset[str], frozenset[str]]] = []
    lengths, counts = list[float](), Counter[int]()
    for source, target in pairs:
        if source is None or target is None or not source.text or not target.text:
            continue
        if len(source.sentences) == len(target.sentences):
            beside += [(words_of(one), words_of(other))
                       for one, other in zip(source.sentences, target.sentences, strict=True)]
        else:
            beside.append((words_of(source.text), words_of(target.text)))
        if len(source.text) > LONG:
            lengths.append(log(len(target.text) / len(source.text)))
        if len(source.sentences) > 1:
            counts[within(len(source.sentences) - len(target.sentences))] += 1
    lower, middle, upper = quantiles(lengths, n=6)[::2] if len(lengths) > 1 else (-0.3, 0.0, 0.3)
    beside = [both for both in beside if max(map(len, both)) <= LONGEST]
    return Habits(learn_lexicon(beside), learn_lexicon([(other, one) for one, other in beside]), middle,
                  max((upper - lower) / 2, NARROWEST), counts)
