"""The messages of a page with their translations as they are today, for export."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeVar

from hexapla.pages.invisible import HIDDEN, visible
from hexapla.sequences import opcodes
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.records.records import Record
from hexapla.translation.sections.sections import translation_digest
from hexapla.translation.sections.segments import MessageKey, Segment, all_segments, by_section, is_for_translators
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

SIMILAR = 0.6  # how much of two messages has to be the same for the translation of one to be offered for the other
UNREAD = {TranslationState.UNRECORDED, TranslationState.DRAFT, TranslationState.REVIEW}
Other = TypeVar("Other")


class Message(NamedTuple):
    """A message of the source with its translation, "" for none.

    `fuzzy` says that the translation was made from another text, `previous` where that is known, or that nobody has
    compared the two. `line` is the message's line in the source's page, or in the file it was read from; `problem` says
    why a translation in that file cannot be read. `review` is why its section needs review, `made` who drafted or
    reviewed it, `exported` tells which translation the file had when it was exported, `remark` is what a translator
    noted there, `memory` where the translation memory had the translation, and how near it is.
    """

    section: str
    text: str
    number: int
    target: str
    line: int
    fuzzy: bool = False
    previous: str = ""
    kind: str = ""
    problem: str = ""
    review: str = ""
    exported: str = ""
    remark: str = ""
    memory: str = ""
    made: str = ""

    @property
    def key(self) -> MessageKey:
        return self.section, self.text, self.number

    @property
    def place(self) -> str:
        """Its section, with a number where the section says the same twice: what tools are told of it."""
        return f"{self.section} ({self.number})" if self.number > 1 else self.section


def place_of(place: str) -> tuple[str, int]:
    """The section and the number of a message's place; 0 for a number that is none."""
    if not place.endswith(")") or " (" not in place:
        return place, 1
    section, _, count = place[:-1].rpartition(" (")
    return section, int(count) if count.isdecimal() else 0


class Catalog(NamedTuple):
    """The messages of one page in one language; those that only a file has are `obsolete`, `meta` is its header."""

    page: str
    language: str
    source: str
    source_path: str
    blob: str
    messages: tuple[Message, ...]
    obsolete: tuple[Message, ...] = ()
    meta: Mapping[str, str] = {}


def page_messages(tree: TranslationTree, page: PageStatus, history: SourceHistory) -> tuple[Message, ...]:
    """The messages of a page of the source, with what there is of their translation."""
    source, translation = (by_section(tree.segments(path)) for path in (page.source_path, page.path))
    found: list[Message] = []
    for status in page.sections:
        theirs = translation[status.here] if status.line else []
        text = tree.section_text(page.language, page.page, status.here) if theirs else ""
        made = describe_making(status.record, text) if theirs else ""
        found += (each._replace(made=made) if each.target else each
                  for each in section_messages(source[status.id], theirs, status, page, history))
    return tuple(found)


def describe_making(record: Record | None, text: str) -> str:
    """Who drafted or reviewed a section's text, from which version of the source's page; "" where nobody says so."""
    made, by, day = record.maker if record and record.is_of(translation_digest(text)) else ("", "", "")
    on, source = f" on {day}" if day else "", (record and record.blob) or "an unknown source"
    return made and visible(f"{made} by {by}{on} from {source}")


def section_messages(
    ours: Sequence[Segment], theirs: Sequence[Segment], status: SectionStatus, page: PageStatus, history: SourceHistory
) -> list[Message]:
    """The messages of one section, from the units of both sides."""
    wanted = [unit for unit in ours if is_for_translators(unit)]
    if status.change is Change.TEXT and status.record:
        old = history.section(status.record, page.source_path)
        closes = history.closes_fence(page.source_path)
        return changed_messages(wanted, pair_up(all_segments(old.text, closes), theirs) if old else {})
    known, unread = pair_up(ours, theirs), status.state in UNREAD
    review = status.record.review if status.record else ""
    return [unit_message(unit, known.get(unit.key[1:], ""), unread and unit.key[1:] in known)._replace(review=review)
            for unit in wanted]


def pair_up(ours: Sequence[Segment], theirs: Sequence[Segment]) -> dict[tuple[str, int], str]:
    """Translations by the source's text and number; none where the two sections are not built alike."""
    if [unit.kind for unit in ours] != [unit.kind for unit in theirs]:
        return {}
    both = zip(ours, theirs, strict=True)
    return {(one.text, one.number): other.text for one, other in both if not HIDDEN.search(other.text)}


def unit_message(unit: Segment, target: str, fuzzy: bool = False, previous: str = "") -> Message:
    return Message(unit.section, unit.text, unit.number, target, unit.line, fuzzy, previous, unit.kind)


def changed_messages(ours: Sequence[Segment], known: Mapping[tuple[str, int], str]) -> list[Message]:
    """The messages of a section that has changed: what stayed keeps its translation, what is alike is offered it."""
    left = {key: target for key, target in known.items() if key not in {unit.key[1:] for unit in ours}}
    found = []
    for unit in ours:
        if unit.key[1:] in known:
            found.append(unit_message(unit, known[unit.key[1:]]))
        elif best := find_similar(unit.text, left, itemgetter(0)):
            found.append(unit_message(unit, left.pop(best), True, best[0]))
        else:
            found.append(unit_message(unit, ""))
    return found


def find_similar(text: str, among: Iterable[Other], text_of: Callable[[Other], str]) -> Other | None:
    """Which of others says most of the same as a text, word by word; None where that is less than SIMILAR of both."""
    def measure_similarity(other: Other) -> float:
        before, after = text_of(other).split(), text.split()
        same = sum(last - first for kind, first, last, *_ in opcodes(before, after) if kind == "equal")
        return 2 * same / (len(before) + len(after) or 1)

    best = max(among, key=measure_similarity, default=None)
    return best if best is not None and measure_similarity(best) >= SIMILAR else None
