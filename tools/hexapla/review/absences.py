"""The stretch of a text that its translation does not say: what explains words, kept tokens, length and sentences best.

A sentence may be dropped in the middle of a longer one, so a stretch is made of clauses. The evidence is that of a
logistic regression: a sum of logarithms of ratios of probabilities, each with a weight, as they depend on each other.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import log
from typing import NamedTuple

from hexapla.review.habits import Habits, within
from hexapla.review.lengths import MOST as ALIGNED
from hexapla.review.lengths import Alignment, plain_length, shared_parts
from hexapla.review.lexicon import EAST, kept_kinds, words_of
from hexapla.review.said_pairs import SaidText

CLAUSE = re.compile(r"`[^`]*`|[。！？，、；：]+|[.!?;:,)]+(?=\s)|(?=[（(])")  # code, or where a clause ends
MOST = 10              # clauses of a stretch, and stretches of a text
SHORTEST = 8           # letters of one
SURE = {"code", "number", "name"}  # kinds of tokens that translators keep


# Weights, set by the regression on the trees that `benchmarks/review/trees.yml` names for it.
KEPT, LETTERS, WORD = 0.79, 0.15, 0.59          # of a word's absence: one that is kept, of East Asia, or another one
THERE = 0.7                                     # as much of its presence
LENGTH, ALIGNMENT, FURTHEST = 0.51, 0.27, 10.0  # of the whole text; of its sentences, and the most that those say
WHOLE, SENTENCES, MORE = 3.22, 0.6, 0.62        # a whole sentence; numbers of sentences without it, and with it
UNSAID = 0.22                                   # what the other text says and this one does not: it is said freely
LIMIT = 7.5                                     # evidence of an absence that is doubted


class Clause(NamedTuple):
    """A part of a sentence; whether a sentence begins and ends with it."""

    text: str
    words: frozenset[str]
    length: int
    first: bool
    last: bool


class Stretch(NamedTuple):
    """Clauses from `start` to before `end`, and what speaks for their being absent."""

    start: int
    end: int
    evidence: float


def absent_stretches(one: SaidText, other: SaidText, habits: Habits) -> Iterator[str]:
    """What of a text the other does not say, the most certain first."""
    left, there = [*text_clauses(one)], [*text_clauses(other)]
    for _ in range(MOST):
        found = worst_stretch(left, there, habits)
        if found is None or found.evidence <= LIMIT:
            return
        yield "".join(clause.text for clause in left[found.start : found.end]).strip()
        left[found.start : found.end] = []


def worst_stretch(clauses: Sequence[Clause], there: Sequence[Clause], habits: Habits) -> Stretch | None:
    """The stretch that is most likely absent; None where there is none, as a text may be said freely as a whole."""
    if len(clauses) < 2:
        return None
    lacking = weigh_clauses(clauses, there, habits)
    shared = shared_parts(*("".join(each.text for each in side) for side in (clauses, there)))
    lengths = [plain_length(each.text, shared) for each in clauses]
    whole, target = sum(lengths), sum(plain_length(each.text, shared) for each in there)
    before, here = habits.lengths.weigh(whole, target), [*accumulate((each.last for each in clauses), initial=0)]
    more = here[-1] - sum(each.last for each in there)
    freely = UNSAID * worst_run(weigh_clauses(there, clauses, habits.turned())) + MORE * within(more)
    alignment, best = align_clauses(clauses, there, habits, shared), None
    for start, opening in enumerate(clauses):
        evidence, length, letters = -freely, 0, 0
        for end, clause in enumerate(clauses[start : start + MOST], start + 1):
            evidence, length = evidence + lacking[end - 1], length + lengths[end - 1]
            letters += clause.length
            if letters < SHORTEST or end - start == len(clauses):
                continue
            found = evidence + LENGTH * (habits.lengths.weigh(whole - length, target) - before)
            if opening.first and clause.last:
                usual, absent = (habits.usual(number) for number in (more, more - here[end] + here[start]))
                fit = alignment.weigh_absence(here[start], here[end]) if alignment else 0.0
                found += WHOLE + SENTENCES * log(absent / usual) + ALIGNMENT * max(min(fit, FURTHEST), -FURTHEST)
            if best is None or found > best.evidence:
                best = Stretch(start, end, found)
    return best


def weigh_clauses(clauses: Sequence[Clause], other: Sequence[Clause], habits: Habits) -> list[float]:
    """What the words of each clause that no other has say for its being absent from another text."""
    often = Counter(word for clause in clauses for word in clause.words)
    there = frozenset[str]().union(*(clause.words for clause in other))
    sentences, found = sum(clause.last for clause in other) or 1, list[float]()
    for clause in clauses:
        kinds, evidence = kept_kinds(clause.text), 0.0
        for word in clause.words:
            if often[word] == 1 and (known := habits.forth.evidence(word, kinds.get(word))):
                value = known.weigh(there, sentences)
                weight = KEPT if kinds.get(word) in SURE else LETTERS if EAST.match(word) else WORD
                evidence -= weight * value * (THERE if value > 0 else 1)
        found.append(evidence)
    return found


def worst_run(evidence: Sequence[float]) -> float:
    """The largest sum of numbers in a row."""
    best = run = 0.0
    for each in evidence:
        run = max(run + each, 0.0)
        best = max(best, run)
    return best


def align_clauses(
    clauses: Sequence[Clause], other: Sequence[Clause], habits: Habits, shared: frozenset[str]
) -> Alignment | None:
    """The alignment of the sentences of two texts, None where there are too few or too many."""
    one, there = (sentence_lengths(side, shared) for side in (clauses, other))
    return Alignment(one, there, habits.lengths) if 1 < len(one) <= ALIGNED >= len(there) else None


def sentence_lengths(clauses: Sequence[Clause], shared: frozenset[str]) -> list[int]:
    found, length = list[int](), 0
    for clause in clauses:
        length += plain_length(clause.text, shared)
        if clause.last:
            found.append(length)
            length = 0
    return found


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
    return tuple(Clause(text, words_of(text), plain_length(text), number == 0, number == len(texts) - 1)
                 for number, text in enumerate(texts))
