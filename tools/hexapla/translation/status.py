"""Where each section of each translation stands today: current, behind and by how much, missing, extra."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from hexapla.translation.alignment import align
from hexapla.translation.kept import name_of
from hexapla.translation.records import Record, Records
from hexapla.translation.renames import Moves
from hexapla.translation.sections import Section, SectionSpan, cut
from hexapla.translation.translation_tree import Tree


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


STATES = {str(state): state for state in State}
CHANGES: dict[str | None, Change | None] = {None: None, **{str(change): change for change in Change}}
CURRENT = 4  # how much is kept of a section that is current, see `packed`
MOVED = "moved"  # kept in the place of sections that depend on what moved, which is part of their key then


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
    """One page in one language, as it was found before where nothing that it stands on has changed."""
    path, source = tree.files[language].get(name, ""), tree.files[tree.layout.source].get(name, "")
    data = tree.data(path) if path else b""
    today = tree.source.page(name).digest if source else ""
    stands_on = (name, path and name_of(data), today, *moved.found.lines.get(name, ()))
    key = f"standing {name_of(repr(stands_on).encode('utf-8', 'surrogatepass'))}"
    kept = tree.kept.get(key)
    if kept == MOVED:
        key = f"{key} {moved.name}"
        kept = tree.kept.get(key)
    if kept is not None:
        found = moved.found
        known = [current(name, found, *row) if len(row) == CURRENT else unpacked(row) for row in kept]
        return PageStanding(name, language, path, source, tuple(known))
    moved.asked = False
    made = sections(tree, name, cut(tree.decoded(data, path)), moved)
    if path not in tree.unreadable and source not in tree.unreadable:
        if moved.asked and not key.endswith(moved.name):
            tree.kept.put(key, MOVED)
            key = f"{key} {moved.name}"
        tree.kept.put(key, [packed(each, name, moved.found) for each in made])
    return PageStanding(name, language, path, source, made)


def packed(standing: Standing, page: str, found: Records) -> tuple[object, ...]:
    """What is kept of a standing: of a section that is current, as most are, what its record does not say already."""
    one, title, line, source_line = standing.id, standing.title, standing.line, standing.source_line
    is_plain = current(page, found, one, title, line, source_line) == standing
    return (one, title, line, source_line) if is_plain else standing


def unpacked(row: Sequence[Any]) -> Standing:
    """The standing of a section that is not current, out of what was kept of it."""
    name, title, state, change, words, here, line, source_line, record, note = row
    known = Record._make(record) if record else None
    return Standing(name, title, STATES[state], CHANGES[change], words, here, line, source_line, known, note)


def current(page: str, found: Records, name: str, title: str, line: int, source_line: int) -> Standing:
    """A current section that has the same id on both sides and a record under it."""
    record = found.of.get((page, name), (None,))[0]
    return Standing(name, title, State.CURRENT, None, 0, name, line, source_line, record)


def sections(tree: Tree, name: str, spans: Sequence[SectionSpan], moved: Moves) -> tuple[Standing, ...]:
    """The sections of a page; `spans` are those of the translation."""
    source = tree.source.get(name, ())

    def renamed(today: str, once: str) -> bool:
        moved.asked = True
        section = next(section for section in source if section.span.id == today)
        return any(
            section.title == record.title or (section.text and section.text == record.text)
            for record in moved.lost.get((moved.renamed.get(name, name), once), ())
        )

    places = align([section.span for section in source], spans, renamed)
    made = [one(section, places.get(section.span.id), moved, name) for section in source]
    if len(places) < len(spans):
        taken = {span.id for span in places.values()}
        extra = [span for span in spans if span.id not in taken]
        today = moved.today(name)
        note = f"the source's page is called {today!r} now: move this one after it" if today else ""
        made += [
            Standing(span.id, span.title, State.EXTRA, here=span.id, line=span.line, note=twice(span) or note)
            for span in extra
        ]
    return tuple(made)


def one(section: Section, here: SectionSpan | None, moved: Moves, name: str) -> Standing:
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


def twice(span: SectionSpan, where: str = "this page") -> str:
    """What to say of a heading whose id stands on its page already."""
    return f"the id {span.id.partition('~')[0]!r} stands on {where} twice: rename one" if span.twice else ""
