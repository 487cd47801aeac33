"""References of a page into the evidence: inline code that the site replaces by a figure in the page's language.

    The peak falls to `{evidence} memory/techniques_t5_3b > checkpointing > sum as 0.00 GB`.

It is written as Quarto writes inline code that is to be evaluated, so that every other tool takes it for code: readers
of Markdown show it as it is, and exports to translators, conversions and drafts protect it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hexapla.pages.lines import Line, read_once, split_lines
from hexapla.pages.source_markers import Positions, code_extents

OPENING = "{evidence"
LINE_END = re.compile(r"\r\n?|\n")


class EvidenceReference(NamedTuple):
    """A reference; `code` is what stands between the backticks, white space as single spaces.

    `start` and `end` are the offsets of its backticks in the page's text.
    """

    code: str
    start: int
    end: int
    line: int
    column: int


def evidence_references(text: str, known: Sequence[Line] = ()) -> Iterator[EvidenceReference]:
    """The references in a page's prose, in order: inline code between single backticks that opens with {evidence.

    `known` are the lines of the text, where it has been read.
    """
    if f"`{OPENING}" not in text:
        return
    lines = list(known or read_once(text))
    positions = Positions(lines)
    for start, end, ticks in code_extents(text, lines):
        if ticks == 1 and text.startswith(OPENING, start):
            line, column = positions.at(start - 1)
            yield EvidenceReference(" ".join(text[start:end].split()), start - 1, end + 1, line, column)


def insert_figures(lines: Sequence[Line], figure: Callable[[str], str]) -> Sequence[Line]:
    """The lines of a page with each reference replaced by `figure` of its code; no line is added or lost."""
    text = "".join(line.text for line in lines)
    pieces, position = [], 0
    for reference in evidence_references(text, lines):
        ends = LINE_END.findall(text, reference.start, reference.end)
        pieces += [text[position : reference.start], figure(reference.code), *ends]
        position = reference.end
    filled = split_lines("".join([*pieces, text[position:]])) if pieces else []
    return [line._replace(text=new) for line, new in zip(lines, filled, strict=True)] if pieces else lines
