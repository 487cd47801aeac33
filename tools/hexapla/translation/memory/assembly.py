"""A section of the source put together from the translation memory, as far as that has its texts."""

from typing import NamedTuple

from hexapla.pages.blocks import BlockKind, read_blocks
from hexapla.translation.memory.pairs import (
    VERBATIM_KIND,
    MemoryEntry,
    memory_key,
    replace_link_targets,
    verbatim_pieces,
)
from hexapla.translation.memory.store import TranslatedSection, TranslationMemory
from hexapla.translation.sections.sections import Section
from hexapla.translation.sections.segments import Segment, all_segments, is_for_translators, replaced


class Assembly(NamedTuple):
    """A section in the other language: what the memory lacks stands in the source's words, as `unknown` lists it.

    `entries` are the pairs that were used, `whole` is the translated section that was taken as it stands.
    """

    text: str
    unknown: tuple[Segment, ...] = ()
    entries: tuple[MemoryEntry, ...] = ()
    whole: TranslatedSection | None = None

    @property
    def words(self) -> int:
        """The source's words that are left to translate."""
        return sum(len(each.text.split()) for each in self.unknown)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the translations stand, that which most comes from first."""
        if self.whole:
            return (self.whole.place,)
        weights: dict[str, int] = {}
        for each in self.entries:
            weights[each.place] = weights.get(each.place, 0) + len(each.source)
        return tuple(sorted(weights, key=lambda place: -weights[place]))


def assembled_section(memory: TranslationMemory, page: str, section: Section) -> Assembly:
    """A section of today's source from the memory."""
    text = memory.tree.source_text(page, section)
    if whole := memory.whole(section):
        return Assembly(moved_text(memory, whole, text), whole=whole)
    closes = memory.tree.layout.closes_fence
    segments = [unit for unit in all_segments(text, closes) if not unit.text.isspace()]
    known = memory.exact([memory_key(unit.text) for unit in segments], page)
    new = {
        number: replace_link_targets(entry.target, entry.source, unit.text)
        for number, (unit, entry) in enumerate(zip(segments, known, strict=True)) if entry
    }
    lacking = (unit for unit, entry in zip(segments, known, strict=True) if entry is None)
    unknown = tuple(filter(is_for_translators, lacking))
    made = replaced(text, new, segments)
    pieces = list(verbatim_pieces(made, closes))  # they are the source's as yet
    verbatim = memory.exact([each.text for each in pieces], page)
    for piece, entry in reversed(list(zip(pieces, verbatim, strict=True))):
        if entry and entry.kind == VERBATIM_KIND and not piece.titled:
            made = made[: piece.start] + entry.target + made[piece.end :]
    return Assembly(made, unknown, tuple(filter(None, (*known, *verbatim))))


def moved_text(memory: TranslationMemory, whole: TranslatedSection, source: str) -> str:
    """A translated section as it stands, with the link targets, the level and the id of the source's heading."""
    text = memory.tree.section_text(memory.language, whole.page, whole.section)
    closes = memory.tree.layout.closes_fence
    old, new, theirs = (all_segments(each, closes) for each in (memory.source_text(whole), source, text))
    if [memory_key(unit.text) for unit in old] == [memory_key(unit.text) for unit in new] and len(theirs) == len(old):
        changed = {
            number: replace_link_targets(unit.text, before.text, now.text)
            for number, (unit, before, now) in enumerate(zip(theirs, old, new, strict=True))
        }
        text = replaced(text, changed, theirs)
    return with_heading_of(text, source)


def with_heading_of(text: str, source: str) -> str:
    """A section's text with the marks and the id of the source's heading, where both begin with an ATX heading."""
    own, ours = (next(iter(read_blocks(each)), None) for each in (text, source))
    if not (own and ours and "#" in own.prefix and "#" in ours.prefix and own.kind is ours.kind is BlockKind.HEADING):
        return text
    [(start, end)] = own.words
    return f"{ours.prefix}{text[start:end]}{ours.suffix}{text[len(own.line.text.rstrip()) :]}"
