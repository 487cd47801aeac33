"""Pairs of a section of the source and its translation: paragraphs, list items, cells, titles, headings, code."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from hexapla.pages.blocks import BlockKind, read_blocks
from hexapla.pages.lines import Closes, closes_same
from hexapla.pages.verbatim import replace_verbatim
from hexapla.translation.sections.segments import all_segments

CODE = {BlockKind.FENCE_MARK, BlockKind.FENCED, BlockKind.CODE}
VERBATIM_KIND = "verbatim"
OPENER = re.compile(r"[ \t>]*(?:!!!|\?\?\?\+?|===|/{3,})[ \t]*\w")
TARGET = re.compile(r"\]\([^\s)]*")


class MemoryEntry(NamedTuple):
    """A text of the source and its translation in a section; `finished` says that somebody has read both together."""

    source: str
    target: str
    page: str
    section: str
    path: str
    finished: bool
    kind: str = ""

    @property
    def key(self) -> str:
        """What a pair is found by in the memory."""
        return self.source if self.kind == VERBATIM_KIND else memory_key(self.source)

    @property
    def place(self) -> str:
        return f"{self.path}#{self.section}" if self.section else self.path


def memory_key(text: str) -> str:
    """What makes two texts of the source the same: their words and code, not their white space nor link targets."""
    plain = replace_verbatim(lambda match: "](" if match.group().startswith("](") else match.group(), text)
    return " ".join(plain.split())


def replace_link_targets(translation: str, old: str, new: str) -> str:
    """A translation with the link targets of today's source: `old` and `new` are the source's text then and now."""
    before, now = TARGET.findall(old), TARGET.findall(new)
    if before == now or len(before) != len(now):
        return translation
    known: dict[str, str] = dict(zip(before, now, strict=True))
    return TARGET.sub(lambda match: known.get(match.group(), match.group()), translation)


class VerbatimPiece(NamedTuple):
    """What a translation may have in other words and no segment holds: code, and the line that opens a call-out."""

    text: str
    start: int
    end: int
    code: bool
    titled: bool = False


def verbatim_pieces(text: str, closes_fence: Closes = closes_same) -> Iterator[VerbatimPiece]:
    """The pieces of a text in order: fences with their marks, indented code, lines that open call-outs."""
    for code, run in groupby(read_blocks(text, closes_fence), lambda block: block.kind in CODE):
        blocks = list(run)
        for piece in [blocks] if code else [[block] for block in blocks if OPENER.match(block.line.text)]:
            whole = "".join(block.line.text for block in piece).rstrip()
            start = piece[0].start
            yield VerbatimPiece(whole, start, start + len(whole), code, piece[0].kind is BlockKind.TITLE)


def pair_section(
    source: str, translation: str, closes_fence: Closes = closes_same
) -> Iterator[tuple[str, str, str]]:
    """The pairs of a section: source, translation and kind; of kinds in which the two are not built alike, none.

    A call-out without a title may have one in the translation.
    """
    ours, theirs = (list(all_segments(text, closes_fence)) for text in (source, translation))
    pieces, there = (list(verbatim_pieces(text, closes_fence)) for text in (source, translation))
    openers, translated = ([each for each in found if not each.code] for found in (pieces, there))
    alike = len(openers) == len(translated)
    if alike:
        added = [two for one, two in zip(openers, translated, strict=True) if two.titled and not one.titled]
        theirs = [unit for unit in theirs if not any(each.start <= unit.start < each.end for each in added)]
    if [unit.kind for unit in ours] == [unit.kind for unit in theirs]:
        yield from ((one.text, other.text, str(one.kind)) for one, other in zip(ours, theirs, strict=True))
        both = zip(openers, translated, strict=True) if alike else ()
        yield from ((one.text, two.text, VERBATIM_KIND) for one, two in both if not one.titled)
    code, changed = ([each.text for each in found if each.code] for found in (pieces, there))
    if len(code) == len(changed):
        yield from ((one, other, VERBATIM_KIND) for one, other in zip(code, changed, strict=True))
