"""Sections that the source has elsewhere now, followed by what they say: moved, split, merged, renamed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hexapla.cache import key_of
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.memory.pairs import memory_key
from hexapla.translation.memory.store import Assembly, TranslationMemory, assembled_section
from hexapla.translation.sections.segments import by_section
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

SHOWN = 3  # places that a note names


@dataclass
class MovedSections:
    """The memories of a tree's languages, and what they make of sections that are not current."""

    tree: TranslationTree
    history: SourceHistory
    known: Mapping[str, Sequence[PageStatus]] = field(default_factory=dict)
    memories: dict[str, TranslationMemory] = field(default_factory=dict)
    known_keys: dict[str, Mapping[str, list[str]]] = field(default_factory=dict)

    def memory_of(self, language: str) -> TranslationMemory:
        if language not in self.memories:
            self.memories[language] = TranslationMemory(self.tree, language, self.history, True, self.known)
        return self.memories[language]

    def follow_sections(self, pages: Iterable[PageStatus]) -> Iterator[PageStatus]:
        """The pages, their sections that are all translated elsewhere marked as moved, with a note from where."""
        for page in pages:
            odd = any(is_open(each) or each.state is TranslationState.EXTRA for each in page.sections)
            if odd and self.tree.records[page.language].of:
                page = replace(page, sections=tuple(self.judge_section(page, each) for each in page.sections))
            yield page

    def judge_section(self, page: PageStatus, status: SectionStatus) -> SectionStatus:
        """A section with what the memory knows of it."""
        if status.state is TranslationState.EXTRA:
            return status if status.note else status._replace(note=self.note_today(page, status))
        made = self.assemble_section(page, status) if is_open(status) else None
        if made is None or not made.places:
            return status
        rest = len(made.places) - SHOWN
        places = ", ".join(made.places[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        if not made.unknown:
            own = status.line and made.places == (f"{page.path}#{status.here}",)
            note = f"within {page.path}" if own else f"from {places}"
            return status._replace(state=TranslationState.MOVED, change=None, words=0, note=note)
        fewer = made.words if status.words is None else min(made.words, status.words)
        note = status.note or f"the rest is in {places}" if status.state is TranslationState.MISSING else status.note
        return status._replace(words=fewer, note=note)

    def assemble_section(self, page: PageStatus, status: SectionStatus) -> Assembly | None:
        """A section from the memory of its language, None where that has nothing of it."""
        section, memory = self.tree.section(page.page, status.id), self.memory_of(page.language)
        if section is None or not memory.sections:
            return None
        known = any(key in memory.entries for key in self.keys_of(page.page).get(status.id, ()))
        return assembled_section(memory, page.page, section) if known or memory.whole(section) else None

    def keys_of(self, name: str) -> Mapping[str, list[str]]:
        """What the texts of a page of the source are found by, by section; from the cache where it has not changed."""
        if name not in self.known_keys:
            page = self.tree.source[name]
            closes = self.tree.layout.closes_fence(page.path)
            key = key_of("memory keys", page.digest, closes)
            kept = self.tree.cache.get(key)
            if kept is None:
                units = by_section(self.tree.segments(page.path))
                kept = {section: [memory_key(unit.text) for unit in found] for section, found in units.items()}
                self.tree.cache.put(key, kept)
            self.known_keys[name] = kept
        return self.known_keys[name]

    @cached_property
    def places_today(self) -> Mapping[str, list[str]]:
        """Where the source says each of its texts today."""
        found: dict[str, list[str]] = {}
        for name, page in self.tree.source.items():
            for section, keys in self.keys_of(name).items():
                for key in keys:
                    found.setdefault(key, []).append(f"{page.path}#{section}")
        return found

    def note_today(self, page: PageStatus, status: SectionStatus) -> str:
        """Where the source has what a section of a translation alone says, "" where it has it no more."""
        entries = self.memory_of(page.language).by_place.get((page.page, status.here), ())
        keys = {each.key for each in entries}
        votes = Counter(place for key in keys for place in dict.fromkeys(self.places_today.get(key, ())))
        return f"its text is in {votes.most_common(1)[0][0]} now" if votes else ""


def is_open(status: SectionStatus) -> bool:
    """Whether a section's text is to be translated."""
    return status.state is TranslationState.MISSING or status.change is Change.TEXT
