"""References of a page into the evidence: inline code that the site replaces by a figure in the page's language.

    The peak falls to `{evidence} memory/techniques_t5_3b > checkpointing > sum as 0.00 GB`.

It is written as Quarto writes inline code that is to be evaluated, so that every other tool takes it for code: readers
of Markdown show it as it is, and exports to translators, conversions and drafts protect it.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hexapla.pages.lines import read
from hexapla.pages.source_markers import Positions, code_extents

OPENING = "{evidence"


class EvidenceReference(NamedTuple):
    """A reference; `code` is what stands between the backticks, white space as single spaces.

    `start` and `end` are the offsets of its backticks in the page's text.
    """

    code: str
    start: int
    end: int
    line: int
    column: int


def evidence_references(text: str) -> Iterator[EvidenceReference]:
    """The references in a page's prose, in order: inline code between single backticks that opens with {evidence."""
    if f"`{OPENING}" not in text:
        return
    lines = list(read(text))
    positions = Positions(lines)
    for start, end, ticks in code_extents(text, lines):
        if ticks == 1 and text.startswith(OPENING, start):
            line, column = positions.at(start - 1)
            yield EvidenceReference(" ".join(text[start:end].split()), start - 1, end + 1, line, column)


def insert_figures(text: str, figure: Callable[[str], str]) -> str:
    """The page's text with each reference replaced by `figure` of its code; lines stay where they are."""
    pieces, position = [], 0
    for reference in evidence_references(text):
        broken = "\n" * text.count("\n", reference.start, reference.end)
        pieces += [text[position : reference.start], figure(reference.code), broken]
        position = reference.end
    return "".join([*pieces, text[position:]])
