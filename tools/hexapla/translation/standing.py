"""Where each section of each translation stands today: current, behind and by how much, missing, extra."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from hexapla.translation.alignment import align
from hexapla.translation.records import Key, Record, Records, orphans
from hexapla.translation.sections import Section, Span
from hexapla.translation.tree import Tree


class State(StrEnum):
    """What a translation of a section is worth."""

    CURRENT = "current"        # made from today's source, or read against it
    BEHIND = "behind"          # the source has changed since
    MISSING = "missing"        # not translated
    EXTRA = "extra"            # the source has no such section
    DRAFT = "draft"            # a machine wrote it, nobody has read it
    UNRECORDED = "unrecorded"  # translated, but from what nobody has said

    __hash__ = str.__hash__  # Enum's own is slow, and all sections of a tree are counted by their states


class Change(StrEnum):
    """What has changed in the source, the weightiest first."""

    TEXT = "text"
    CODE = "code"
    OUTPUT = "output"


class Standing(NamedTuple):
    """A section of a page in one language.

    `here` is its id in the translation and `line` its line there (0 where it is missing), `source_line` its line in
    the source (0 where it is extra). `words` counts what a translator has to look at: words changed, or all words of a
    missing section or of a draft; None where the source's old text is not known. `record` is what the translation was
    made from.
    """

    id: str
    title: str
    state: State
    change: Change | None = None
    words: int | None = 0
    here: str = ""
    line: int = 0
    source_line: int = 0
    record: Record | None = None
    note: str = ""


@dataclass(frozen=True)
class PageStanding:
    """A page in one language; `path` and `source_path` are "" where there is no such file."""

    page: str
    language: str
    path: str
    source_path: str
    sections: tuple[Standing, ...]

    @cached_property
    def state(self) -> State:
        """Missing where there is no file, current where all sections are, extra without a source, else behind."""
        if not self.source_path:
            return State.EXTRA
        if not self.path:
            return State.MISSING
        done = {section.state for section in self.sections} <= {State.CURRENT, State.EXTRA}
        return State.CURRENT if done else State.BEHIND

    @cached_property
    def words(self) -> int:
        """The words that a translator has to look at, as far as they are known."""
        return sum(section.words or 0 for section in self.sections)


@dataclass(frozen=True)
class Moves:
    """Records whose section the source does not have under that name any more: pages and sections that moved.

    Finding them takes a look at all pages of the source; it is taken when one is asked for.
    """

    tree: Tree
    found: Records

    @cached_property
    def lost(self) -> Mapping[Key, tuple[Record, ...]]:
        """Those records by their old names."""
        return orphans(self.found, self.tree.keys) if self.found.of else {}

    @cached_property
    def by_content(self) -> Mapping[tuple[str, str, str], tuple[Key, ...]]:
        """The old names by what was translated."""
        made: dict[tuple[str, str, str], tuple[Key, ...]] = {}
        for key in sorted(self.lost):
            for record in self.lost[key]:
                if record.text or record.code:
                    content = (record.title, record.text, record.code)
                    made[content] = (*made.get(content, ()), key)
        return made

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The names that records have of pages, by their names today: that of the most sections that stand there."""
        votes: dict[str, dict[str, int]] = {}
        known = {page for page, _ in self.found.of}
        for name, sections in self.tree.source.items() if self.lost else ():
            for section in sections if name not in known else ():
                for page, _ in self.by_content.get((section.title, section.text, section.code), ()):
                    if page not in self.tree.source:
                        count = votes.setdefault(name, {})
                        count[page] = count.get(page, 0) + 1
        return {name: max(count, key=lambda page: (count[page], page)) for name, count in votes.items()}

    def today(self, once: str) -> str | None:
        """The name today of a page that was renamed."""
        return {old: name for name, old in self.renamed.items()}.get(once)

    def record(self, name: str, section: Section, here: str) -> Record | None:
        """The record of a section that was elsewhere, or had another id, when it was translated.

        `here` is its id in the translation.
        """
        old = self.renamed.get(name)
        if old and (old, section.span.id) in self.lost:
            return self.lost[old, section.span.id][0]
        keys = self.by_content.get((section.title, section.text, section.code), ())
        key = keys[0] if keys else (name, here)
        return self.lost[key][0] if key in self.lost else None


def standings(tree: Tree, languages: Sequence[str] = (), names: Sequence[str] = ()) -> Iterator[PageStanding]:
    """Every page in every language (or those named), the source's in its order, then those of translations alone.

    Words of changed sections are not counted yet: `counted` in history.py does that.
    """
    for language in languages or tree.languages:
        moved = Moves(tree, tree.records[language])
        only = sorted(tree.files[language].keys() - tree.source.keys())
        wanted = [name for name in (*tree.source, *only) if not names or name in names]
        for name in wanted:
            if language in tree.layout.derived and name not in tree.files[language]:
                continue
            yield page(tree, language, name, moved)


def page(tree: Tree, language: str, name: str, moved: Moves) -> PageStanding:
    """One page in one language."""
    sections = tree.source.get(name, ())
    spans = tree.spans(language, name) or ()
    path, source = tree.files[language].get(name, ""), tree.files[tree.layout.source].get(name, "")

    def renamed(today: str, once: str) -> bool:
        section = next(section for section in sections if section.span.id == today)
        return any(
            section.title == record.title or (section.text and section.text == record.text)
            for record in moved.lost.get((moved.renamed.get(name, name), once), ())
        )

    places = align([section.span for section in sections], spans, renamed)
    made = [one(section, places.get(section.span.id), moved, name) for section in sections]
    if len(places) < len(spans):
        taken = {span.id for span in places.values()}
        extra = [span for span in spans if span.id not in taken]
        today = moved.today(name)
        note = f"the source's page is called {today!r} now: move this one after it" if today else ""
        made += [
            Standing(span.id, span.title, State.EXTRA, here=span.id, line=span.line, note=twice(span) or note)
            for span in extra
        ]
    return PageStanding(name, language, path, source, tuple(made))


def one(section: Section, here: Span | None, moved: Moves, name: str) -> Standing:
    """One section."""
    span = section.span
    if here is None:
        return Standing(
            span.id, span.title, State.MISSING, None, section.words, source_line=span.line,
            note=twice(span, "the source's page"),
        )
    known = moved.found.of.get((name, span.id)) or (moved.record(name, section, here.id),)
    record = known[0]
    if len(known) > 1:
        record = next((each for each in known if each and each.matches(section)), record)
    state, change = state_of(record, section)
    words: int | None = 0
    if state is State.DRAFT:
        words = section.words
    elif state is State.UNRECORDED or change is Change.TEXT:
        words = None
    return Standing(
        span.id, span.title, state, change, words, here.id, here.line, span.line, record, twice(here),
    )


def state_of(record: Record | None, section: Section) -> tuple[State, Change | None]:
    """What a record says of a section of today's source."""
    if record is None:
        return State.UNRECORDED, None
    if record.matches(section):
        return (State.DRAFT if record.draft else State.CURRENT), None
    if (record.title, record.text) != (section.title, section.text):
        return State.BEHIND, Change.TEXT
    return State.BEHIND, Change.CODE if record.code != section.code else Change.OUTPUT


def twice(span: Span, where: str = "this page") -> str:
    """What to say of a heading whose id stands on its page already."""
    return f"the id {span.id.partition('~')[0]!r} stands on {where} twice: rename one" if span.twice else ""
