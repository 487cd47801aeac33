"""Stretches of a text that its translation does not say: without these sentences or clauses both fit best."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import NamedTuple

from hexapla.review.habits import Habits
from hexapla.review.said_pairs import SaidText, cut_statements
from hexapla.review.sentence_alignment import Alignment, join_texts, weigh_pair, weigh_text, weigh_words

CLAUSE = re.compile(r"`[^`]*`|[。！？，、；：]+|[.!?;:,)]+(?=\s)|(?=[（(])")  # code, or where a clause ends
MOST = 10      # stretches of a text, and sentences or clauses of one
LONGEST = 60   # clauses of a sentence that are looked at one by one
SHORTEST = 8   # letters of clauses
WHOLE = 4.7    # evidence of an absence of whole sentences
MOVED = 4.0    # evidence of an absence that may be said elsewhere


class Stretch(NamedTuple):
    """A part of a text, what is left without it, and what speaks for its being absent."""

    text: str
    left: list[str]
    evidence: float


def absent_stretches(one: SaidText, other: SaidText, habits: Habits) -> Iterator[Stretch]:
    """What of a text the other may not say, the most certain first."""
    left, there = cut_statements(one), cut_statements(other)
    for _ in range(MOST):
        alignment = Alignment(left, there, habits)
        found = (*absent_sentences(left, alignment), *absent_clauses(left, alignment)) if alignment.whole > -inf else ()
        worst = max(found, key=lambda stretch: stretch.evidence, default=None)
        if worst is None or worst.evidence <= MOVED:
            return
        yield worst
        left = worst.left


def absent_sentences(texts: list[str], alignment: Alignment) -> Iterator[Stretch]:
    """Stretches of whole sentences."""
    for start, end in stretches_of(texts):
        yield Stretch("".join(texts[start:end]), texts[:start] + texts[end:],
                      WHOLE + alignment.weigh_absence(start, end))


def stretches_of(parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where up to MOST parts of a text begin and end, but for all of them."""
    return ((start, end) for start in range(len(parts))
            for end in range(start + 1, min(start + MOST, len(parts)) + 1) if end - start < len(parts))


def absent_clauses(texts: list[str], alignment: Alignment) -> Iterator[Stretch]:
    """Stretches of clauses of a sentence, which is compared with the sentences that stand for it."""
    habits = alignment.habits
    for (here, to), (first, last) in alignment.best_beads():
        size, there = (to - here, last - first), join_texts(alignment.other[first:last])
        for number in range(here, to):
            if len(clauses := clauses_of(texts[number])) > LONGEST:
                continue
            passages = [weigh_text(clause, habits.forth, alignment.shared) for clause in clauses]
            others = alignment.one[here:number] + alignment.one[number + 1 : to]
            whole = weigh_pair(join_texts([*others, *passages]), there, size, habits)
            lacking = [weigh_words(passage, there.words, size[1]) for passage in passages]
            for start, end in stretches_of(clauses):
                text, rest = "".join(clauses[start:end]), [*others, *passages[:start], *passages[end:]]
                if sum(lacking[start:end]) < 0 and len(text) >= SHORTEST:
                    left = "".join(clauses[:start] + clauses[end:])
                    yield Stretch(text, [*texts[:number], left, *texts[number + 1 :]],
                                  weigh_pair(join_texts(rest), there, size, habits) - whole)


@lru_cache(maxsize=1 << 14)
def clauses_of(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence.

    >>> clauses_of("If it fits, set `a, b` to 2 (or 3).")
    ('If it fits,', ' set `a, b` to 2 ', '(or 3).')
    """
    ends = [match.end() for match in CLAUSE.finditer(sentence) if not match[0].startswith("`")]
    places = sorted({0, *ends, len(sentence)})
    return tuple(text for a, b in pairwise(places) if (text := sentence[a:b]).strip())
