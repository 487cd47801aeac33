"""Put translations from a catalog into a page: unsafe ones are refused, with the reason, the rest is taken over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from hexapla.git import blob_name
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.exchange.catalog import Catalog, Message, by_section
from hexapla.translation.exchange.segments import MessageKey, Segment, every, replaced, sent
from hexapla.translation.records import Key, Record, record_of
from hexapla.translation.sections import SectionSpan, cut
from hexapla.translation.status import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree


class Fault(NamedTuple):
    """What is wrong with a page: the line, what and why; `check` says these."""

    line: int
    message: str


# A page's path, language, name and text -> the errors that this text has and the page on disk does not have.
Judge = Callable[[str, str, str, str], Sequence[Fault]]


class Refusal(NamedTuple):
    """What was not taken over: the file and the line there, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


class Plan(NamedTuple):
    """What an import makes of one page: its text (None where it stays), the records of finished sections, refusals."""

    language: str
    page: str
    path: str
    text: str | None
    records: Mapping[Key, Record]
    refusals: tuple[Refusal, ...]
    messages: int


@dataclass
class PageImport:
    """A page while an import puts it together: sections by the source's id, in its order.

    `source` and `here` are the texts of the source's page and of the translation.
    """

    tree: TranslationTree
    page: PageStatus
    file: str
    source: str
    here: str
    sections: dict[str, str] = field(default_factory=dict)  # new Markdown of sections
    lines: dict[str, int] = field(default_factory=dict)     # of a section's first message in the file
    refusals: list[Refusal] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Note that something in the file is not taken over."""
        self.refusals.append(Refusal(self.file, line, reason))

    def accepted(self, catalog: Catalog, known: set[MessageKey]) -> Iterator[tuple[MessageKey, Message]]:
        """The messages that can be used; the others become refusals, where they have a translation at all."""
        for each in catalog.messages:
            if not each.problem and (not each.target or (each.fuzzy and each.key not in known)):
                continue
            if reason := objection(each, known):
                self.refuse(each.line, reason)
            else:
                yield each.key, each

    def put(
        self, status: SectionStatus, given: Mapping[Segment, Message], whole: bool, ours: Sequence[Segment],
        theirs: Sequence[Segment],
    ) -> None:
        """Put the translations of one section into the page's own text, or into the source's where that is not alike.

        `whole` says that `given` has all of the section's messages.
        """
        self.lines[status.id] = min(message.line for message in given.values())
        new = {index: given[unit].target for index, unit in enumerate(ours) if unit in given}
        if status.line and [unit.kind for unit in ours] == [unit.kind for unit in theirs]:
            span = self.tree.spans(self.page.language, self.page.page)[status.here]
            self.sections[status.id] = section_with(self.here, span, theirs, new)
        elif whole and (section := self.tree.section(self.page.page, status.id)):
            self.sections[status.id] = section_with(self.source, section.span, ours, new)
        else:
            self.refuse(
                self.lines[status.id],
                f"only {len(given)} messages of the section {status.id!r} are translated, and the page has no such "
                f"section to put them into: translate the others too",
            )


def plan(tree: TranslationTree, page: PageStatus, catalog: Catalog, file: str, judge: Judge) -> Plan:
    """What to write of one catalog. `file` is what it is called in refusals."""
    source, here = tree.text(page.source_path), tree.text(page.path) if page.path else ""
    work = PageImport(tree, page, file, source, here)
    ours, theirs = by_section(every(source)), by_section(every(here))
    wanted = {name: [unit for unit in found if sent(unit)] for name, found in ours.items()}
    usable = dict(work.accepted(catalog, {unit.key for found in wanted.values() for unit in found}))
    finished: list[str] = []
    for status in page.sections:
        given = {unit: usable[unit.key] for unit in wanted.get(status.id, ()) if unit.key in usable}
        if given and status.state is not TranslationState.EXTRA:
            whole = len(given) == len(wanted[status.id])
            work.put(status, given, whole, ours[status.id], theirs.get(status.here, []))
            if whole:
                finished.append(status.id)
    path = page.path or tree.layout.path(page.language, page.page)
    text = judged_text(work, path, judge)
    data = blob_name(tree.data(page.source_path))
    sections = {section.span.id: section for section in tree.sections(page.page)}
    current = {each.id for each in page.sections if each.record and each.state is TranslationState.CURRENT}
    made = {
        (page.page, name): record_of(sections[name], data) for name in finished
        if name in work.sections and name not in current
    }
    return Plan(page.language, page.page, path, text if text != here else None, made, tuple(work.refusals), len(usable))


def objection(message: Message, known: set[MessageKey]) -> str:
    """Why a translation is not taken over, "" for one that can be used; `known` are the source's messages."""
    if message.problem:
        return message.problem
    if message.key not in known:
        return f"the source does not say this any more in the section {message.section!r}: export again"
    if message.fuzzy:
        return "is marked as fuzzy: read it and take the mark off"
    if found := HIDDEN.search(message.target):
        return f"holds the character U+{ord(found.group()):04X}, which nobody sees: take it out"
    if "\n\n" in message.target.replace("\r", ""):
        return "holds an empty line, which would make it two paragraphs: take it out"
    return ""


def section_with(text: str, span: SectionSpan, found: Sequence[Segment], new: Mapping[int, str]) -> str:
    """A section with messages replaced."""
    whole = replaced(text, {index: words.replace("\r", "") for index, words in new.items()}, found)
    return whole[span.start : len(whole) - (len(text) - span.end)]


def assembled(page: PageStatus, here: str, sections: Mapping[str, str]) -> str:
    """The page with sections replaced, and with new ones behind the section that they follow in the source."""
    places = {status.here: status.id for status in page.sections if status.line}
    parts = [(places.get(span.id, ""), here[span.start : span.end]) for span in cut(here)]
    before: str | None = None
    for status in page.sections:
        if status.id in sections:
            index = next((n for n, (name, _) in enumerate(parts) if name == status.id and status.line), None)
            if index is not None:
                parts[index] = (status.id, sections[status.id])
            else:
                after = next((n + 1 for n, (name, _) in enumerate(parts) if name == before), 0 if parts else len(parts))
                parts.insert(after, (status.id, sections[status.id]))
        if status.id in sections or status.line:
            before = status.id
    apart = [name in sections or after in sections for (name, _), (after, _) in pairwise(parts)]
    return "".join(
        text.rstrip("\r\n") + "\n\n" if new and not text.endswith(("\n\n", "\n\r\n")) else text
        for (_, text), new in zip(parts, [*apart, False], strict=True)
    )


def judged_text(work: PageImport, path: str, judge: Judge) -> str:
    """The page's new text without the sections that `check` calls unsafe; they stay as they are."""
    page = work.page
    names = {status.here: status.id for status in page.sections if status.line}
    while work.sections:
        text = assembled(page, work.here, work.sections)
        faults = judge(path, page.language, page.page, text)
        if not faults:
            return text
        bad: dict[str, Fault] = {}
        for fault in faults:
            place = next((span.id for span in reversed(cut(text)) if span.line <= fault.line), "")
            if names.get(place, place) in work.sections:
                bad[names.get(place, place)] = fault
        # What goes wrong elsewhere on the page comes of all of them.
        for name, fault in (bad or dict.fromkeys(work.sections, faults[0])).items():
            del work.sections[name]
            work.refuse(work.lines[name], f"the section {name!r} is not taken over: {fault.message}")
    return work.here
