"""Which words of a source and of its translation stand for each other, learned from the tree's own sentences.

Nothing is installed or fetched for it: what stands beside `batch` again and again is its translation. Each word's
evidence is a ratio of probabilities, so that those of a sentence add up.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from math import log
from typing import NamedTuple

from hexapla.languages import HAN, HANGUL, KANA

TOKEN = re.compile(r"`[^`]*`|[A-Za-z0-9_]+")
WORD = re.compile(rf"[{HAN}{KANA}{HANGUL}]+|[^\W_{HAN}{KANA}{HANGUL}]+")
HANZI = re.compile(f"[{HAN}]")
PHRASE = re.compile(r"`\w+[^\w`][^`]*`")  # code of several words, which is kept as a whole
EAST = re.compile(f"[{HAN}{KANA}{HANGUL}]")
STEM = 6        # letters of a word in an alphabet that tell it from others, whatever its ending
ENOUGH = 2      # sentences of others that it has to stand in
LEAST = 3       # sentences that a word has to stand in before anything is known of it
MOST = 100      # sentences of a word that are looked at
RENDERINGS = 4  # words of the translation that may stand for one
USUAL = 0.15    # share of all sentences in which a word says nothing
SURE = 0.999    # the highest probability: nothing is certain, however long a paragraph is


class WordEvidence(NamedTuple):
    """The words that stand for one: in how many of its sentences, of how many, and how usual in any sentence."""

    renderings: frozenset[str]
    together: float
    sentences: float
    usual: float

    @property
    def likely(self) -> float:
        return (self.together + 0.5) / (self.sentences + 1.5)

    def is_known(self) -> bool:
        """Whether it is enough to go by."""
        return self.sentences >= ENOUGH and self.likely >= 2 * self.usual

    def without(self, beside: Sequence[Set[str]]) -> "WordEvidence":
        """The evidence as if there were none of the sentences `beside` a word."""
        together = sum(not self.renderings.isdisjoint(each) for each in beside)
        return self._replace(together=max(self.together - together, 0), sentences=max(self.sentences - len(beside), 0))

    def weigh(self, there: Set[str], sentences: int = 1) -> float:
        """How much speaks for a word's being translated in sentences with the words `there`; below 0 against it."""
        return find_ratios(self.likely, self.usual, sentences)[self.renderings.isdisjoint(there)]


@lru_cache(maxsize=1 << 15)
def find_ratios(likely: float, usual: float, sentences: int) -> tuple[float, float]:
    """The logarithms of how much likelier a rendering is in a translation than in any sentences, and its absence."""
    usual = min(1 - (1 - usual) ** sentences, SURE)
    likely = min(max(likely, usual), SURE)
    return log(likely / usual), log((1 - likely) / (1 - usual))


Lexicon = Mapping[str, WordEvidence]


@lru_cache(maxsize=1 << 15)
def word_list(text: str) -> tuple[str, ...]:
    """The words of a text as they are counted: the first letters of each, pairs of letters in East Asia, and its
    Chinese characters one by one, as `使う` and `使って` share one.

    >>> word_list("Training on 2 GPUs"), word_list("步骤")
    (('traini', 'on', '2', 'gpus'), ('步骤', '步', '骤'))
    """
    found = list[str]()
    for match in WORD.finditer(text.lower()):
        word = match[0]
        if EAST.match(word):
            found += [word[place : place + 2] for place in range(max(len(word) - 1, 1))]
            found += HANZI.findall(word)
        else:
            found.append(word[:STEM])
    return (*found, *PHRASE.findall(text))


@lru_cache(maxsize=1 << 15)
def words_of(text: str) -> frozenset[str]:
    return frozenset(word_list(text))


@lru_cache(maxsize=1 << 15)
def kept_kinds(text: str) -> Mapping[str, str]:
    """The words of a text that may stand in its translation as they are, each by its kind.

    >>> kept_kinds("Set `x` to 16 on a GPU in PyTorch 2")["gpu"]
    'name'
    """
    found: dict[str, str] = {}
    for match in TOKEN.finditer(text):
        token = match[0]
        kind = ("code" if token[0] == "`" else "digit" if len(token) == 1 and token.isdigit() else
                "number" if token[0].isdigit() else "name" if token[1:] != token[1:].lower() else
                "word" if token[0].islower() else "capital")
        for word in word_list(token):
            found.setdefault(word, kind)
    return found


def learn_lexicon(pairs: Sequence[tuple[Set[str], Set[str]]]) -> Lexicon:
    """What the words of the first of each pair have beside them in the second more often than by chance."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    often = Counter[str]()
    for index, (first, second) in enumerate(pairs):
        often.update(second)
        for word in first:
            places[word].append(index)
    return {
        word: evidence for word, found in places.items()
        if LEAST <= len(found) <= max(USUAL * len(pairs), LEAST)
        and (evidence := weigh_word([pairs[index][1] for index in found[:: len(found) // MOST + 1]], often, len(pairs)))
    }


def weigh_word(beside: Sequence[Set[str]], often: Mapping[str, int], whole: int) -> WordEvidence | None:
    """The evidence of a word, from the sentences beside those that it stands in; None for a word that says nothing."""
    left, chosen = list(beside), list[str]()
    while len(chosen) < RENDERINGS and len(left) > 1:
        counted = Counter(word for each in left for word in each)
        best = max(counted, default="",
                   key=lambda word: (measure_gain(counted[word], len(beside), often[word], whole), word))
        if counted[best] < 2 or measure_gain(counted[best], len(beside), often[best], whole) < 1:
            break
        chosen.append(best)
        left = [each for each in left if best not in each]
    usual = min(sum((often[word] + 1) / (whole + 2) for word in chosen), 0.9)
    found = WordEvidence(frozenset(chosen), len(beside) - len(left), len(beside), usual)
    return found if chosen and found.is_known() else None


def measure_gain(together: int, here: int, there: int, whole: int) -> float:
    """How much more often than by chance, in sentences' worth of surprise."""
    expected = here * there / whole
    return together * log(together / expected) if together > expected else 0.0
