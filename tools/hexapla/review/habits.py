"""How a language of a tree is translated: its words, what it keeps, its lengths and numbers of sentences."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType
from typing import NamedTuple

from hexapla.review.lengths import Lengths, learn_lengths
from hexapla.review.lexicon import Lexicon, WordEvidence, kept_kinds, learn_lexicon, words_of
from hexapla.review.said_pairs import SaidPair, cut_statements

LONGEST = 200  # words of a sentence or paragraph that words are learned from: a longer one says nothing of each
FURTHEST = 3   # sentences more or less that are told apart
RARE = 0.01    # how usual a token is in any sentence that is kept and not known from elsewhere
BothWords = tuple[frozenset[str], frozenset[str]]  # of a sentence and of its translation


class WordHabits(NamedTuple):
    """Which words stand for which in one direction, and what is kept; `held` is without a section that is judged."""

    words: Lexicon = MappingProxyType({})
    kept: Lexicon = MappingProxyType({})
    held: Mapping[str, WordEvidence | None] = MappingProxyType({})

    def evidence(self, word: str, kind: str | None = None) -> WordEvidence | None:
        """What is known of a word, or else of its kind; None for nothing."""
        known = self.held[word] if word in self.held else self.words.get(word)
        if known or kind is None or kind not in self.kept:
            return known
        return self.kept[kind]._replace(renderings=frozenset([word]))

    def weigh(self, words: Iterable[str], there: Set[str]) -> float:
        """What words say for their being translated by sentences with the words `there`; below nought against it."""
        return sum(known.weigh(there) for word in words if (known := self.evidence(word)))

    def without(self, pairs: Iterable[BothWords]) -> "WordHabits":
        """The habits without what some sentences taught: what is wrong in them would be taken for usual."""
        own: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        for one, other in pairs:
            for word in one & self.words.keys():
                own[word].append(other)
        held = {word: self.words[word].without(beside) for word, beside in own.items()}
        return self._replace(held={word: each if each.is_known() else None for word, each in held.items()})


class Habits(NamedTuple):
    """What is usual between two languages: words there and back, lengths, how many sentences more the source has."""

    forth: WordHabits = WordHabits()
    back: WordHabits = WordHabits()
    lengths: Lengths = Lengths()
    sentences: Mapping[int, int] = {}

    def affinity(self, source: str, target: str) -> float:
        """What the words of two texts say for their being a translation of each other; below nought against it."""
        one, other = words_of(source), words_of(target)
        return self.forth.weigh(one, other) + self.back.weigh(other, one)

    def without(self, pairs: Iterable[SaidPair]) -> "Habits":
        """The habits as they are but for what the pairs of a section said of its words."""
        beside = list(sentence_words(pairs))
        return self._replace(forth=self.forth.without(beside),
                             back=self.back.without((other, one) for one, other in beside))

    def swap_sides(self) -> "Habits":
        """What was learned, with source and translation in each other's place."""
        return Habits(self.back, self.forth, self.lengths.swap_sides(), {-key: n for key, n in self.sentences.items()})

    def usual(self, more: int) -> float:
        """How usual it is that the source has so many sentences more."""
        return self.sentences.get(within(more), 0) + 1


def within(more: int) -> int:
    return max(min(more, FURTHEST), -FURTHEST)


def learn_habits(pairs: Iterable[SaidPair]) -> Habits:
    """The habits of a language, from all its paired texts."""
    known = [(source, target) for source, target in pairs if source and target and source.text and target.text]
    beside = list(sentence_words(SaidPair(*both) for both in known))
    texts = [(one.text, other.text) for one, other in known]
    return Habits(
        WordHabits(learn_lexicon(beside), kept_rates(texts)),
        WordHabits(learn_lexicon([both[::-1] for both in beside]), kept_rates([both[::-1] for both in texts])),
        learn_lengths(texts),
        Counter(within(len(one) - len(other)) for one, other in
                ([*map(cut_statements, both)] for both in known) if len(one) > 1))


def sentence_words(pairs: Iterable[SaidPair]) -> Iterator[BothWords]:
    """The words of the sentences that stand for each other, or of whole texts that have not as many."""
    for source, target in pairs:
        if source and target and source.text and target.text:
            alike = len(source.sentences) == len(target.sentences)
            both = (source.sentences, target.sentences) if alike else ((source.text,), (target.text,))
            for one, other in zip(*both, strict=True):
                words = words_of(one), words_of(other)
                if max(map(len, words)) <= LONGEST:
                    yield words


def kept_rates(pairs: Sequence[tuple[str, str]]) -> dict[str, WordEvidence]:
    """How often a token of each kind stands in the other text too."""
    found, kept = Counter[str](), Counter[str]()
    for one, other in pairs:
        there = words_of(other)
        for word, kind in kept_kinds(one).items():
            found[kind] += 1
            kept[kind] += word in there
    return {kind: WordEvidence(frozenset(), kept[kind], often, RARE) for kind, often in found.items()}
