"""The stretch of a text that its translation does not say: what explains words, kept tokens, length and sentences best.

A sentence may be dropped in the middle of a longer one, so a stretch is made of clauses. Each part of the evidence is
the logarithm of a ratio of probabilities, as usual in this tree, so that a limit means the same in all of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import NamedTuple

from hexapla.review.habits import Habits, spoken_length
from hexapla.review.lexicon import EAST, kept_kinds, words_of
from hexapla.review.said_pairs import SaidPair, SaidText

CLAUSE = re.compile(r"`[^`]*`|[。！？，、；：]+|[.!?;:,)]+(?=\s)|(?=[（(])")  # code, or where a clause ends
MOST = 10              # clauses of a stretch, and stretches of a text
SHORTEST = 8           # letters of one
WHOLE = 2.0            # whole sentences are dropped and added more often than clauses
# Weights, set on the guide and on FastAPI's Chinese and Japanese: words of a sentence are no witnesses of their own.
WORD, LETTERS, KEPT, LENGTH = 0.5, 0.25, 0.7, 0.8
SURE = {"code", "number", "name"}  # kinds of tokens that translators keep


class Clause(NamedTuple):
    """A part of a sentence; whether a sentence begins and ends with it."""

    text: str
    words: frozenset[str]
    length: int
    first: bool
    last: bool


class Stretch(NamedTuple):
    """Clauses from `start` to before `end`, and what speaks for their being absent: above nought they rather are."""

    start: int
    end: int
    evidence: float


def absent_stretches(one: SaidText, other: SaidText, habits: Habits) -> Iterator[str]:
    """What of a text the other does not say, the most certain first."""
    left = [*text_clauses(one)]
    for _ in range(MOST):
        found = worst_stretch(left, other, habits)
        if found is None or found.evidence <= habits.missing:
            return
        yield "".join(clause.text for clause in left[found.start : found.end]).strip()
        left[found.start : found.end] = []


def worst_absence(pairs: Iterable[SaidPair], habits: Habits) -> list[float]:
    """The evidence for the likeliest absence in the targets of a section, none where nothing can be absent."""
    found = [stretch.evidence for source, target in pairs if source and target
             if (stretch := worst_stretch([*text_clauses(source)], target, habits))]
    return [max(found)] if found else []


def worst_stretch(clauses: Sequence[Clause], other: SaidText, habits: Habits) -> Stretch | None:
    """The stretch that is most likely absent; None where there is none, as a text may be said freely as a whole."""
    weights = [-each for each in weigh_clauses(clauses, other, habits)]
    whole, there = sum(clause.length for clause in clauses), spoken_length(other.text)
    before, more = habits.weigh_length(whole, there), sum(each.last for each in clauses) - len(other.sentences)
    best = None
    for start, opening in enumerate(clauses):
        words, length, ended = 0.0, 0, 0
        for end, clause in enumerate(clauses[start : start + MOST], start + 1):
            words, length, ended = words + weights[end - 1], length + clause.length, ended + clause.last
            if length < SHORTEST or end - start == len(clauses):
                continue
            evidence = words + LENGTH * (habits.weigh_length(whole - length, there) - before)
            if opening.first and clause.last:
                evidence += WHOLE + log(habits.usual(more - ended) / habits.usual(more))
            if best is None or evidence > best.evidence:
                best = Stretch(start, end, evidence)
    return best


def weigh_clauses(clauses: Sequence[Clause], other: SaidText, habits: Habits) -> Iterator[float]:
    """What the words of each clause that no other has say for its being translated by a text."""
    often = Counter(word for clause in clauses for word in clause.words)
    there, sentences = words_of(other.text), len(other.sentences)
    for clause in clauses:
        kinds, found = kept_kinds(clause.text), 0.0
        for word in clause.words:
            if often[word] == 1 and (known := habits.forth.evidence(word, kinds.get(word))):
                weight = KEPT if kinds.get(word) in SURE else LETTERS if EAST.match(word) else WORD
                found += weight * known.weigh(there, sentences)
        yield found


def text_clauses(text: SaidText) -> Iterator[Clause]:
    return (clause for sentence in text.sentences for clause in clauses_of(sentence))


@lru_cache(maxsize=1 << 14)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """The clauses of a sentence.

    >>> [clause.text for clause in clauses_of("If it fits, set `a, b` to 2 (or 3).")]
    ['If it fits,', ' set `a, b` to 2 ', '(or 3).']
    """
    ends = [match.end() for match in CLAUSE.finditer(sentence) if not match[0].startswith("`")]
    places = sorted({0, *ends, len(sentence)})
    texts = [text for a, b in pairwise(places) if (text := sentence[a:b]).strip()]
    return tuple(Clause(text, words_of(text), spoken_length(text), number == 0, number == len(texts) - 1)
                 for number, text in enumerate(texts))
