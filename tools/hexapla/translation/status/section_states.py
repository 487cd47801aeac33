"""Where each section of each translation stands today: current, behind and by how much, missing, extra."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from hexapla.cache import key_of
from hexapla.translation.records.draft_inputs import DraftChanges
from hexapla.translation.records.records import Key, Record, Records, choose_record, orphaned_records
from hexapla.translation.sections.sections import Section, SectionSpan, align_sections, cut_sections, translation_digest
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.verdicts import Doubt


class TranslationState(StrEnum):
    """What a translation of a section is worth."""

    CURRENT = "current"        # made from today's source, or read against it
    BEHIND = "behind"          # the source has changed since
    MISSING = "missing"        # not translated
    MOVED = "moved"            # all that it says is translated, elsewhere in the tree
    EXTRA = "extra"            # the source has no such section
    DRAFT = "draft"            # a machine wrote it, nobody has read it
    REVIEW = "needs-review"    # kept in spite of a doubt, which its record names
    EDITED = "edited"          # current when it was recorded, and edited since
    RENAMED = "renamed"        # current, but its heading has another id than the source's now
    UNRECORDED = "unrecorded"  # translated, but from what nobody has said

    __hash__ = str.__hash__  # Enum's own is slow, and all sections of a tree are counted by their states


class Change(StrEnum):
    """What has changed in the source, the weightiest first."""

    TEXT = "text"
    CODE = "code"
    OUTPUT = "output"
    MARKUP = "markup"  # links, ids, attributes; told where git alone is asked, else `check` compares them


STATES = {str(state): state for state in TranslationState}
CHANGES: dict[str | None, Change | None] = {None: None, **{str(change): change for change in Change}}
RENAMES = "renames"  # kept in the place of sections that depend on renames, which are part of their key then


class SectionStatus(NamedTuple):
    """A section of a page in one language; `here` is its id in the translation, a line is 0 where it is not there.

    `words` are those that a translator has to look at, None where the source's old text is not known; `touched` is what
    is another since a draft was made, `doubts` what a review has recorded, both where that was asked for.
    """

    id: str
    title: str
    state: TranslationState
    change: Change | None = None
    words: int | None = 0
    here: str = ""
    line: int = 0
    source_line: int = 0
    record: Record | None = None
    note: str = ""
    touched: DraftChanges | None = None
    doubts: tuple[Doubt, ...] = ()


class OpenPullRequest(NamedTuple):
    """A pull request that nobody has merged or closed."""

    number: int
    title: str


@dataclass(frozen=True)
class PageStatus:
    """A page in one language; a path is "" where there is no such file."""

    page: str
    language: str
    path: str
    source_path: str
    sections: tuple[SectionStatus, ...]
    pull_requests: tuple[OpenPullRequest, ...] = ()

    @cached_property
    def state(self) -> TranslationState:
        """Missing without a file, extra without a source, current where all sections of either are, else behind."""
        if not self.source_path:
            return TranslationState.EXTRA
        if not self.path:
            return TranslationState.MISSING
        done = all(section.state is TranslationState.CURRENT for section in self.sections)
        return TranslationState.CURRENT if done else TranslationState.BEHIND

    def section(self, name: str) -> SectionStatus | None:
        """The section with an id of the source, or of the translation where it is extra; None where there is none."""
        return next((each for each in self.sections if each.id == name), None)

    @cached_property
    def words(self) -> int:
        """The words that a translator has to look at, as far as they are known."""
        return sum(section.words or 0 for section in self.sections)


@dataclass
class Renames:
    """The records of a language whose section the source does not have under that name any more.

    Finding them takes all pages of the source: `used` says that an answer needed them.
    """

    tree: TranslationTree
    records: Records
    used: bool = False

    @cached_property
    def orphans(self) -> Mapping[Key, tuple[Record, ...]]:
        """Those records by their old names."""
        return orphaned_records(self.records, self.tree.section_keys) if self.records.of else {}

    @cached_property
    def by_content(self) -> Mapping[tuple[str, str, str], Sequence[Key]]:
        """The old names by the hashes of what was translated."""
        made: defaultdict[tuple[str, str, str], list[Key]] = defaultdict(list)
        for key in sorted(self.orphans):
            for each in self.orphans[key]:
                made[each[:3]].append(key)
        return made

    @cached_property
    def old_pages(self) -> Mapping[str, str]:
        """The old names of pages by their names today: the page that most of its sections were recorded on."""
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        known = {page for page, _ in self.records.of}
        for name, source in self.tree.source.items() if self.orphans else ():
            for section in source.sections if name not in known else ():
                pages = self.by_content.get((section.title, section.text, section.code), ())
                votes[name].update(page for page, _ in pages
                                   if page not in self.tree.source and (section.text or section.code))
        return {name: max(count, key=lambda page: (count[page], page)) for name, count in votes.items() if count}

    @cached_property
    def state(self) -> tuple[object, ...]:
        """All that an answer given here depends on."""
        return sorted(self.orphans.items()), sorted(self.old_pages.items())

    def page_today(self, old: str) -> str | None:
        """The name today of a page that was renamed."""
        self.used = True
        return {once: name for name, once in self.old_pages.items()}.get(old)

    def record(self, name: str, section: Section, here: str) -> Record | None:
        """The record of a section that was on another page, or had another id than `here`, when it was translated."""
        self.used = True
        old = self.old_pages.get(name)
        if old and (old, section.span.id) in self.orphans:
            return self.orphans[old, section.span.id][0]
        keys = self.by_content.get((section.title, section.text, section.code), ())
        if not (section.text or section.code):  # a title alone says little: it counts on its own page
            keys = tuple(key for key in keys if key[0] == name)
        key = keys[0] if keys else (name, here)
        return self.orphans[key][0] if key in self.orphans else None


def find_statuses(
    tree: TranslationTree, languages: Sequence[str] = (), names: Sequence[str] = ()
) -> Iterator[PageStatus]:
    """Every page in every language (or those named), the source's in its order, then those of translations alone."""
    for language in languages or tree.languages:
        renames = Renames(tree, tree.records[language])
        here = tree.files[language]
        for name in (*tree.source, *sorted(here.keys() - tree.source.keys())):
            if (not names or name in names) and (name in here or language not in tree.layout.derived):
                yield page_status(tree, language, name, renames)


def page_status(tree: TranslationTree, language: str, name: str, renames: Renames) -> PageStatus:
    """One page in one language, from the cache where nothing that it depends on has changed."""
    path, source = tree.files[language].get(name, ""), tree.files[tree.layout.source].get(name, "")
    today = tree.source[name].digest if source else None
    if path and path not in tree.digests:
        tree.data(path)

    def make_key(*more: object) -> str:
        read = tree.digests.get(path), today, *map(tree.layout.closes_fence, (path, source))
        return key_of("page status", name, *read, renames.records.texts.get(name, ""), *more)

    kept = tree.cache.get(make_key())
    if kept == RENAMES:
        kept = tree.cache.get(make_key(renames.state))
    if kept is not None:
        return PageStatus(name, language, path, source, tuple(cached_status(row) for row in kept))
    renames.used = False
    text = tree.text(path) if path else ""  # read again, as it is now
    made = section_statuses(tree, name, path, text, renames)
    if path not in tree.unreadable and source not in tree.unreadable:
        if renames.used:
            tree.cache.put(make_key(), RENAMES)
        tree.cache.put(make_key(renames.state) if renames.used else make_key(), made)
    return PageStatus(name, language, path, source, made)


def cached_status(row: Sequence[Any]) -> SectionStatus:
    name, title, state, change, words, here, line, source_line, record, note, *_ = row
    known = Record._make(record) if record else None
    return SectionStatus(name, title, STATES[state], CHANGES[change], words, here, line, source_line, known, note)


def section_statuses(
    tree: TranslationTree, name: str, path: str, text: str, renames: Renames
) -> tuple[SectionStatus, ...]:
    """The sections of a page; `path` and `text` are the translation's, "" where there is none."""
    source, spans = tree.sections(name), cut_sections(text, tree.layout.closes_fence(path))

    def is_renamed(today: str, old: str) -> bool:
        renames.used = True
        section = tree.source[name].by_id[today]
        return any(
            section.title == record.title or (section.text and section.text == record.text)
            for record in renames.orphans.get((renames.old_pages.get(name, name), old), ())
        )

    aligned = align_sections([section.span for section in source], spans, is_renamed)
    made = [section_status(section, aligned.get(section.span.id), text, renames, name) for section in source]
    if len(aligned) < len(spans):
        taken = {span.id for span in aligned.values()}
        today = renames.page_today(name)
        note = f"the source's page is called {today!r} now: move this one after it" if today else ""
        made += [SectionStatus(span.id, span.title, TranslationState.EXTRA, here=span.id, line=span.line,
                               note=duplicate_id(span) or note) for span in spans if span.id not in taken]
    return tuple(made)


def section_status(
    section: Section, here: SectionSpan | None, text: str, renames: Renames, name: str
) -> SectionStatus:
    """One section of the source; `here` is its translation in the page's `text`, None where it has none."""
    span = section.span
    if here is None:
        return SectionStatus(span.id, span.title, TranslationState.MISSING, None, section.words, source_line=span.line,
                             note=duplicate_id(span, "the source's page"))
    known = renames.records.section(name, span.id) or (renames.record(name, section, here.id),)
    translation = translation_digest(text[here.start : here.end])
    made = [each for each in known if each]
    same = (each for each in made if each.matches(section))
    record = choose_record(made, section, translation) or next(same, known[0])
    state, change = state_by_record(record, section)
    note = duplicate_id(here)
    if state is TranslationState.CURRENT and record and not record.is_of(translation):
        state = TranslationState.EDITED
    elif state is TranslationState.CURRENT and here.pinned and span.pinned and here.id != span.id and not here.twice:
        state, note = TranslationState.RENAMED, f"its heading has the id {here.id!r} here"
    unknown = state is TranslationState.UNRECORDED or change is Change.TEXT
    words = None if unknown else section.words if state in {TranslationState.DRAFT, TranslationState.EDITED} else 0
    return SectionStatus(span.id, span.title, state, change, words, here.id, here.line, span.line, record, note)


def state_by_record(record: Record | None, section: Section) -> tuple[TranslationState, Change | None]:
    """The state of a section whose translation was made from what `record` says, and what has changed since."""
    if record is None:
        return TranslationState.UNRECORDED, None
    if record.matches(section):
        state = TranslationState.REVIEW if record.review else TranslationState.CURRENT
        return TranslationState.DRAFT if record.draft else state, None
    if (record.title, record.text) != (section.title, section.text):
        return TranslationState.BEHIND, Change.TEXT
    return TranslationState.BEHIND, Change.CODE if record.code != section.code else Change.OUTPUT


def duplicate_id(span: SectionSpan, where: str = "this page") -> str:
    """A note on a heading whose id is on its page already, "" for any other."""
    return f"the id {span.id.partition('~')[0]!r} stands on {where} twice: rename one" if span.twice else ""
