"""The paragraphs, items and cells of a section, each beside the one that stands for it in the translation."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hexapla.checks.alignment import align
from hexapla.checks.rules.sentences.splitting import cut_pieces
from hexapla.translation.sections.segments import Segment

Affinity = Callable[[str, str], float]  # of a text and its translation: above nought where they say the same
STATEMENT = re.compile(r"(?:`[^`]*(?:`|$)|;(?!\s|$)|[^;；])+[;；]?")  # up to a semicolon, but for those in code
MOST = 40   # statements of a text
LIKE = 8.0  # affinity of two texts that are certainly, or certainly not, a translation of each other


class SaidText(NamedTuple):
    """A paragraph, item, cell or heading as it is read; its sentences, and the line that it starts in."""

    kind: str
    text: str
    sentences: tuple[str, ...]
    line: int


def cut_statements(text: SaidText) -> list[str]:
    """The sentences of a text, cut at semicolons too, of which translations make full stops; several in one if there
    are very many.

    >>> cut_statements(SaidText("", "", ("`a; b` runs; `c` waits.", "Go."), 1))
    ['`a; b` runs;', ' `c` waits.', 'Go.']
    """
    parts = [part for sentence in text.sentences for part in STATEMENT.findall(sentence) if part.strip()]
    size = max(-(-len(parts) // MOST), 1)
    return ["".join(parts[start : start + size]) for start in range(0, len(parts), size)]


class SaidPair(NamedTuple):
    """A text of the source and the one that stands for it; None where one side has nothing."""

    source: SaidText | None
    target: SaidText | None


def read_texts(segments: Sequence[Segment], language: str) -> list[SaidText]:
    """What a reader reads of a section's messages, in sentences."""
    return [SaidText(segment.kind, text, cut_pieces(text, language) or ((text,) if text else ()), segment.line)
            for segment in segments for text in [segment.said]]


def pair_texts(source: Sequence[SaidText], target: Sequence[SaidText], affinity: Affinity) -> list[SaidPair]:
    """The texts that stand for each other, in order; by place where both sides are of one shape."""
    if [text.kind for text in source] == [text.kind for text in target]:
        return [SaidPair(one, other) for one, other in zip(source, target, strict=True)]

    def score(one: SaidText, other: SaidText) -> float:
        return max(min(affinity(one.text, other.text), LIKE), -LIKE) / (2 * LIKE) - (one.kind != other.kind)

    return [SaidPair(one, other) for one, other in align(source, target, score, 0.3)]
