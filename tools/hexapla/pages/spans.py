"""Cut a page into prose and what is not prose, so that a converter touches the one and keeps the other.

Not prose: code, inline code, link targets, ids and attribute lists, HTML, addresses, comments, directives, and front
matter but for the values a reader sees. The spans' texts joined are the page's text.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hexapla.pages.blocks import BLANK, DIRECTIVE, FRONT_MATTER, INCLUDE, SourceBlock, read_blocks
from hexapla.pages.lines import PROSE
from hexapla.pages.verbatim import find_verbatim


class Span(NamedTuple):
    """A run of the page's text; `prose` says whether a reader reads it as language."""

    text: str
    prose: bool


def spans(text: str) -> list[Span]:
    """The page in pieces, in order, neighbours of one kind joined."""
    joined: list[Span] = []
    for span in cut_blocks(read_blocks(text)):
        if joined and joined[-1].prose is span.prose:
            joined[-1] = Span(joined[-1].text + span.text, span.prose)
        elif span.text:
            joined.append(span)
    return joined


def cut_blocks(blocks: Iterable[SourceBlock]) -> Iterator[Span]:
    """Runs of prose lines cut inside, everything else as it stands."""
    run: list[str] = []
    for block in blocks:
        text = block.line.text
        if block.line.kind is PROSE and not (block.kind is DIRECTIVE and INCLUDE in text):
            run.append(text)
            if block.kind is BLANK:  # no inline markup reaches across an empty line
                yield from cut_inline("".join(run))
                run = []
            continue
        yield from cut_inline("".join(run))
        run = []
        if block.kind is FRONT_MATTER and block.words:
            colon = text.index(":") + 1
            yield Span(text[:colon], False)
            yield Span(text[colon:], True)
        else:
            yield Span(text, False)
    yield from cut_inline("".join(run))


def cut_inline(text: str) -> Iterator[Span]:
    """One block of prose, inline code, targets and HTML cut out."""
    position = 0
    for match in find_verbatim(text):
        yield Span(text[position : match.start()], True)
        yield Span(match.group(), False)
        position = match.end()
    yield Span(text[position:], True)
