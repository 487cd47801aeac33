"""The paragraphs, items and cells of a section, each beside the one that stands for it in the translation."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hexapla.checks.alignment import align
from hexapla.checks.rules.sentences.splitting import cut_sentences
from hexapla.translation.sections.segments import Segment

Affinity = Callable[[str, str], float]  # of a text and its translation: above nought where they say the same
# Up to a colon or semicolon, of which a translation makes a full stop; code is passed over.
STATEMENT = re.compile(r"(?:`[^`]*`|[;:](?!\s|$)|[^;:；：])+[;:；：]?")
LIKE = 8.0  # affinity of two texts that are certainly, or certainly not, a translation of each other


class SaidText(NamedTuple):
    """A paragraph, item, cell or heading as it is read; its sentences, and the line that it starts in."""

    kind: str
    text: str
    sentences: tuple[str, ...]
    line: int


def cut_statements(text: SaidText) -> list[str]:
    """The sentences of a text, cut at colons and semicolons too.

    >>> cut_statements(SaidText("", "", ("Faster: `a: b` runs; `c` waits.",), 1))
    ['Faster:', ' `a: b` runs;', ' `c` waits.']
    """
    return [part for sentence in text.sentences for part in STATEMENT.findall(sentence) if part.strip()]


class SaidPair(NamedTuple):
    """A text of the source and the one that stands for it; None where one side has nothing."""

    source: SaidText | None
    target: SaidText | None


def read_texts(segments: Sequence[Segment], language: str) -> list[SaidText]:
    """What a reader reads of a section's messages, in sentences."""
    texts = [(segment, segment.said) for segment in segments]
    return [SaidText(segment.kind, text, cut_sentences(text, language) or ((text,) if text else ()), segment.line)
            for segment, text in texts]


def pair_texts(source: Sequence[SaidText], target: Sequence[SaidText], affinity: Affinity) -> list[SaidPair]:
    """The texts that stand for each other, in order; by place where both sides are of one shape."""
    if [text.kind for text in source] == [text.kind for text in target]:
        return [SaidPair(one, other) for one, other in zip(source, target, strict=True)]

    def score(one: SaidText, other: SaidText) -> float:
        return max(min(affinity(one.text, other.text), LIKE), -LIKE) / (2 * LIKE) - (one.kind != other.kind)

    return [SaidPair(one, other) for one, other in align(source, target, score, 0.3)]
