"""The translation memory of a language: the pairs of its tree and of TMX files, and where the source has them today."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from hexapla.cache import key_of
from hexapla.pages.blocks import BlockKind, read_blocks
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.memory.pairs import (
    VERBATIM_KIND,
    MemoryEntry,
    memory_key,
    pair_section,
    replace_link_targets,
    verbatim_pieces,
)
from hexapla.translation.memory.tmx import tmx_pairs
from hexapla.translation.records.records import Record
from hexapla.translation.sections.sections import Section
from hexapla.translation.sections.segments import Segment, all_segments, is_for_translators, put_messages
from hexapla.translation.status.section_states import PageStatus, TranslationState, find_statuses
from hexapla.translation.translation_tree import TranslationTree

DISPLACED = {TranslationState.EXTRA, TranslationState.BEHIND}
Hashes = tuple[str, str, str]  # of a section's title, text and code


class TranslatedSection(NamedTuple):
    """A section as it was translated: where it stands in the translation, its record, and its state there."""

    page: str
    section: str
    path: str
    source_path: str
    record: Record
    state: TranslationState

    @property
    def place(self) -> str:
        return f"{self.path}#{self.section}" if self.section else self.path


@dataclass(frozen=True)
class TranslationMemory:
    """What a tree has translated into a language; everything in it is found on first use.

    If `displaced`, it holds only sections whose source changed or is elsewhere now: a large tree is not read for these.
    """

    tree: TranslationTree
    language: str
    history: SourceHistory
    displaced: bool = False
    known: Mapping[str, Sequence[PageStatus]] = field(default_factory=dict)

    @cached_property
    def sections(self) -> Sequence[TranslatedSection]:
        """The translated sections of which somebody has recorded what they were made from."""
        records = self.tree.records[self.language].of
        found = []
        for page in self.known.get(self.language) or find_statuses(self.tree, (self.language,)):
            for status in page.sections if page.path else ():
                if self.displaced and status.state not in DISPLACED:
                    continue
                record = status.record or next(iter(records.get((page.page, status.here), ())), None)
                if status.line and record:
                    source = page.source_path
                    found.append(TranslatedSection(page.page, status.here, page.path, source, record, status.state))
        return found

    @cached_property
    def by_content(self) -> Mapping[Hashes, Sequence[TranslatedSection]]:
        """The translated sections by what they were made from; those that their page lacks in the source come first."""
        found: dict[Hashes, list[TranslatedSection]] = defaultdict(list)
        for each in sorted(self.sections, key=lambda each: each.state is not TranslationState.EXTRA):
            found[each.record.title, each.record.text, each.record.code].append(each)
        return found

    @cached_property
    def entries(self) -> Mapping[str, Sequence[MemoryEntry]]:
        """The pairs by what makes two texts of the source the same, those of the tree first."""
        found: dict[str, list[MemoryEntry]] = defaultdict(list)
        brought = () if self.displaced else tmx_pairs(self.tree.layout, self.language)
        for each in (*self.tree_entries(), *brought):
            found[each.key].append(each)
        return found

    @cached_property
    def texts(self) -> Sequence[str]:
        """What the pairs are found by, those of code and the like left out."""
        return [key for key, found in self.entries.items() if found[0].kind != VERBATIM_KIND]

    @cached_property
    def by_place(self) -> Mapping[tuple[str, str], Sequence[MemoryEntry]]:
        """The pairs of each translated section, by its page and its id there."""
        found: dict[tuple[str, str], list[MemoryEntry]] = defaultdict(list)
        for entries in self.entries.values():
            for each in entries:
                found[each.page, each.section].append(each)
        return found

    def tree_entries(self) -> Iterator[MemoryEntry]:
        self.history.fetch_pages((each.record.blob, each.source_path) for each in self.sections
                           if each.state is not TranslationState.CURRENT)
        for each in self.sections:
            translation = self.tree.section_text(self.language, each.page, each.section)
            finished = not (each.record.draft or each.record.review)
            for ours, theirs, kind in self.pairs(self.source_text(each), translation, each.path):
                yield MemoryEntry(ours, theirs, each.page, each.section, each.path, finished, kind)

    def pairs(self, source: str, translation: str, path: str) -> Sequence[tuple[str, str, str]]:
        """The pairs of a section of the translation at `path`, from the cache."""
        closes = self.tree.layout.closes_fence(path)
        key = key_of("memory pairs", source, translation, closes)
        kept = self.tree.cache.get(key)
        if kept is None:
            kept = list(pair_section(source, translation, closes))
            self.tree.cache.put(key, kept)
        return [tuple(each) for each in kept]

    def source_text(self, section: TranslatedSection) -> str:
        """The source's section that a translation was made from, "" where neither the tree nor git has it.

        That of a section which has moved is looked for in git first: its links have other targets today.
        """
        record = section.record
        place = self.tree.sections_by_words.get((record.title, record.text))
        today = self.tree.source_text(*place) if place else ""
        if today and section.state is not TranslationState.EXTRA:
            return today
        self.history.fetch_pages([(record.blob, section.source_path)])
        then = self.history.pages.get(record.blob, {}).get((record.title, record.text))
        if then is None and not today:
            then = self.history.section(record, section.source_path)
        return then.text if then else today

    def whole(self, section: Section) -> TranslatedSection | None:
        """A translation of just this section that stands elsewhere, or under another id."""
        known = self.by_content.get((section.title, section.text, section.code), ())
        return known[0] if known and (section.text or section.code) else None

    def exact(self, keys: Sequence[str], page: str) -> list[MemoryEntry | None]:
        """The best finished pair for each text: from the section that has most of them, then from the same page."""
        found = [[each for each in self.entries.get(key, ()) if each.finished] for key in keys]
        votes = Counter(place for among in found for place in {(each.page, each.section) for each in among})

        def rank_entry(entry: MemoryEntry) -> tuple[int, bool]:
            return votes[entry.page, entry.section], entry.page == page

        return [max(among, key=rank_entry, default=None) for among in found]


class Assembly(NamedTuple):
    """A section in the other language, in the source's words where `unknown`, or the `whole` one that was found."""

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
    closes = memory.tree.layout.closes_fence(memory.tree.source[page].path)
    segments = [unit for unit in all_segments(text, closes) if not unit.text.isspace()]
    known = memory.exact([memory_key(unit.text) for unit in segments], page)
    new = {
        number: replace_link_targets(entry.target, entry.source, unit.text)
        for number, (unit, entry) in enumerate(zip(segments, known, strict=True)) if entry
    }
    lacking = (unit for unit, entry in zip(segments, known, strict=True) if entry is None)
    unknown = tuple(filter(is_for_translators, lacking))
    made = put_messages(text, new, segments)
    pieces = list(verbatim_pieces(made, closes))  # they are the source's as yet
    verbatim = memory.exact([each.text for each in pieces], page)
    for piece, entry in reversed(list(zip(pieces, verbatim, strict=True))):
        if entry and entry.kind == VERBATIM_KIND and not piece.titled:
            made = made[: piece.start] + entry.target + made[piece.end :]
    return Assembly(made, unknown, tuple(filter(None, (*known, *verbatim))))


def moved_text(memory: TranslationMemory, whole: TranslatedSection, source: str) -> str:
    """A translated section as it stands, with the link targets, the level and the id of the source's heading."""
    text = memory.tree.section_text(memory.language, whole.page, whole.section)
    closes = memory.tree.layout.closes_fence(whole.path)
    old, new, theirs = (all_segments(each, closes) for each in (memory.source_text(whole), source, text))
    if [memory_key(unit.text) for unit in old] == [memory_key(unit.text) for unit in new] and len(theirs) == len(old):
        changed = {
            number: replace_link_targets(unit.text, before.text, now.text)
            for number, (unit, before, now) in enumerate(zip(theirs, old, new, strict=True))
        }
        text = put_messages(text, changed, theirs)
    return with_heading_of(text, source)


def with_heading_of(text: str, source: str) -> str:
    """A section's text with the marks and the id of the source's heading, where both begin with an ATX heading."""
    own, ours = (next(iter(read_blocks(each)), None) for each in (text, source))
    if not (own and ours and "#" in own.prefix and "#" in ours.prefix and own.kind is ours.kind is BlockKind.HEADING):
        return text
    [(start, end)] = own.words
    return f"{ours.prefix}{text[start:end]}{ours.suffix}{text[len(own.line.text.rstrip()) :]}"
