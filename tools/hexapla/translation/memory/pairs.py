"""Pairs of a section of the source and its translation: paragraphs, list items, cells, titles, headings and code."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from hexapla.pages.blocks import VERBATIM, BlockKind, SourceBlock, read_blocks
from hexapla.translation.exchange.segments import every

CODE = {BlockKind.FENCE_MARK, BlockKind.FENCED, BlockKind.CODE}
CODE_KIND = "code"
TARGET = re.compile(r"\]\([^\s)]*")


class MemoryEntry(NamedTuple):
    """A text of the source and its translation, in the section `section` of the translated page `page` at `path`.

    `section` is the id there. `finished` is False for what nobody has recorded as read against this source. `kind` is
    that of a segment, CODE_KIND for code.
    """

    source: str
    target: str
    page: str
    section: str
    path: str
    finished: bool
    kind: str = ""

    @property
    def key(self) -> str:
        """What it is found by."""
        return self.source if self.kind == CODE_KIND else memory_key(self.source)

    @property
    def place(self) -> str:
        """Where the translation stands."""
        return f"{self.path}#{self.section}" if self.section else self.path


def memory_key(text: str) -> str:
    """What makes two texts of the source the same: their words and code, not their white space nor link targets."""
    return " ".join(VERBATIM.sub(lambda match: "](" if match.group().startswith("](") else match.group(), text).split())


def retargeted(translation: str, old: str, new: str) -> str:
    """A translation with the link targets of today's source: `old` and `new` are the source's text then and now."""
    before, now = TARGET.findall(old), TARGET.findall(new)
    if before == now or len(before) != len(now):
        return translation
    known: dict[str, str] = dict(zip(before, now, strict=True))
    return TARGET.sub(lambda match: known.get(match.group(), match.group()), translation)


def code_pieces(text: str) -> tuple[str, ...]:
    """The pieces of code in a text: fences with their marks, and indented code."""
    runs = groupby(read_blocks(text), lambda block: block.kind in CODE)
    return tuple(joined_lines(run).rstrip("\n") for code, run in runs if code)


def joined_lines(blocks: Iterable[SourceBlock]) -> str:
    """The text of blocks as it stands."""
    return "".join(block.line.text for block in blocks)


def paired(source: str, translation: str) -> Iterator[tuple[str, str, str]]:
    """The pairs of a section: source, translation and kind. None where the two are not built alike."""
    ours, theirs = every(source), every(translation)
    if [unit.kind for unit in ours] == [unit.kind for unit in theirs]:
        yield from ((one.text, other.text, str(one.kind)) for one, other in zip(ours, theirs, strict=True))
    code, translated = code_pieces(source), code_pieces(translation)
    if len(code) == len(translated):
        yield from ((one, other, CODE_KIND) for one, other in zip(code, translated, strict=True))
