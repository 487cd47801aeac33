"""Put translations from a catalog into a page: unsafe ones are refused, with the reason, the rest is taken over."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hexapla.git import blob_name
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.exchange.catalog_merge import has_own_translation, mark_of
from hexapla.translation.memory.catalog import Catalog, Message, pair_up
from hexapla.translation.page_assembly import assemble_page
from hexapla.translation.records.records import Key, Record, record_of
from hexapla.translation.sections.section_problems import Judge
from hexapla.translation.sections.sections import SectionSpan, translation_digest
from hexapla.translation.sections.segments import MessageKey, Segment, by_section, is_for_translators, put_messages
from hexapla.translation.site_text import SiteText
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

CHANGED = "the page has another translation since this was exported: export again, and look at both"


class Refusal(NamedTuple):
    """What was not taken over: the file and the line there, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


class Plan(NamedTuple):
    """What an import makes of one page: its text (None where it stays), the records of finished sections, refusals.

    `doubts` are those of sections that were taken over and need review, `refused` the messages that were not taken
    over, the reasons in their remarks; `puts` are the texts beside the pages with their new translations.
    """

    language: str
    page: str
    path: str
    text: str | None
    records: Mapping[Key, Record]
    refusals: tuple[Refusal, ...]
    doubts: tuple[Refusal, ...]
    refused: tuple[Message, ...] = ()
    puts: tuple[tuple[SiteText, str], ...] = ()


@dataclass
class PageImport:
    """A page while an import puts it together, from the texts of the source's page and of the translation `here`."""

    tree: TranslationTree
    page: PageStatus
    file: str
    source: str
    here: str
    judge: Judge
    sections: dict[str, str] = field(default_factory=dict)  # new Markdown of sections
    lines: dict[str, int] = field(default_factory=dict)     # of a section's first message in the file
    refusals: list[Refusal] = field(default_factory=list)
    doubts: dict[str, str] = field(default_factory=dict)    # of sections that need review: the reasons
    refused: list[Message] = field(default_factory=list)

    def refuse_messages(self, line: int, reason: str, messages: Iterable[Message]) -> None:
        """Note that something in the file is not taken over."""
        self.refusals.append(Refusal(self.file, line, reason))
        self.refused += (refused_message(each, reason) for each in messages if has_own_translation(each))

    def usable_messages(
        self, catalog: Catalog, today: Mapping[MessageKey, str]
    ) -> Iterator[tuple[MessageKey, Message]]:
        """The messages that can be used; the others become refusals, where they have a translation at all.

        `today` are the source's messages with what the page has for them. A translation that is as it was exported
        and still marked as fuzzy was an offer; so exported, it does not replace what was put into the page since.
        """
        marked = any(each.exported for each in catalog.messages)
        for each in catalog.messages:
            if not each.problem and (not each.target or (each.fuzzy and not has_own_translation(each))):
                continue
            here = today.get(each.key, "")
            elsewhere = marked and here and mark_of(here) != each.exported and here != each.target
            if elsewhere and not has_own_translation(each):
                continue
            reason = find_objection(each, today.keys()) or (CHANGED if elsewhere else "")
            if reason:
                self.refuse_messages(each.line, reason, [each])
            else:
                yield each.key, each

    def put_section(
        self, status: SectionStatus, given: Mapping[Segment, Message], whole: bool, ours: Sequence[Segment],
        theirs: Sequence[Segment],
    ) -> None:
        """Put translations into the page's section, or into a `whole` section of the source where that is not alike."""
        self.lines[status.id] = min(message.line for message in given.values())
        new = {index: given[unit].target for index, unit in enumerate(ours) if unit in given}
        if status.line and [unit.kind for unit in ours] == [unit.kind for unit in theirs]:
            span = self.tree.spans(self.page.language, self.page.page)[status.here]
            self.take_section(status, section_with(self.here, span, theirs, new), given.values())
        elif status.line and any(each.exported for each in given.values()):  # it was built alike when that went out
            if any(map(has_own_translation, given.values())):
                self.refuse_messages(self.lines[status.id], CHANGED, given.values())
        elif whole and (section := self.tree.section(self.page.page, status.id)):
            self.take_section(status, section_with(self.source, section.span, ours, new), given.values())
        else:
            self.refuse_messages(
                self.lines[status.id],
                f"only {len(given)} messages of the section {status.id!r} are translated, and the page has no such "
                f"section to put them into: translate the others too", given.values(),
            )

    def take_section(self, status: SectionStatus, text: str, messages: Iterable[Message]) -> None:
        """Take over a section's text, unless the judge finds an error in it."""
        old = self.tree.section_text(self.page.language, self.page.page, status.here)
        judged = self.judge(self.page.language, self.page.page, status.id, text.rstrip(), old)
        for fault in judged.errors[:1]:
            reason = f"the section {status.id!r} is not taken over: {fault.message}"
            self.refuse_messages(self.lines[status.id], reason, messages)
        if not judged.errors:
            self.sections[status.id] = text
            if judged.doubts:
                self.doubts[status.id] = judged.reason

    def is_recorded_anew(self, status: SectionStatus, finished: Collection[str]) -> bool:
        """Whether a section is recorded anew: it is finished, or in doubt now, and not as it went out."""
        new = self.sections.get(status.id)
        if new is None:
            return False
        same = new == self.tree.section_text(self.page.language, self.page.page, status.here)
        if same and status.record and status.state in {TranslationState.CURRENT, TranslationState.REVIEW}:
            return False
        return status.id in finished or (status.state is TranslationState.CURRENT and status.id in self.doubts)


def refused_message(message: Message, reason: str) -> Message:
    """A message with the reason why it was not taken over in its remark."""
    return message._replace(remark="\n".join(filter(None, (message.remark, reason))))


def plan_import(tree: TranslationTree, page: PageStatus, catalog: Catalog, file: str, judge: Judge) -> Plan:
    """What to write of one catalog. `file` is what it is called in refusals."""
    source, here = tree.text(page.source_path), tree.text(page.path) if page.path else ""
    work = PageImport(tree, page, file, source, here, judge)
    path = page.path or tree.layout.path(page.language, page.page)
    ours, theirs = (by_section(tree.segments(each)) for each in (page.source_path, page.path))
    wanted = {name: [unit for unit in found if is_for_translators(unit)] for name, found in ours.items()}
    usable = dict(work.usable_messages(catalog, known_translations(page, ours, theirs)))
    finished: list[str] = []
    for status in page.sections:
        given = {unit: usable[unit.key] for unit in wanted.get(status.id, ()) if unit.key in usable}
        if given and status.state is not TranslationState.EXTRA:
            whole = len(given) == len(wanted[status.id])
            work.put_section(status, given, whole, ours[status.id], theirs[status.here])
            finished += [status.id] * whole
    text = assemble_page(page, here, work.sections, tree.layout.closes_fence(path)) if work.sections else here
    made = {
        (page.page, each.id): record_of(
            section, blob_name(tree.data(page.source_path)), work.doubts.get(each.id, ""),
            translation_digest(work.sections[each.id]))
        for each in page.sections
        if (section := tree.section(page.page, each.id)) and work.is_recorded_anew(each, finished)
    }
    doubts = tuple(
        Refusal(file, work.lines[name], f"the section {name!r} needs review: {work.doubts[name]}")
        for _, name in made if name in work.doubts
    )
    return Plan(page.language, page.page, path, text if text != here else None, made, tuple(work.refusals), doubts,
                tuple(work.refused))


def known_translations(
    page: PageStatus, ours: Mapping[str, Sequence[Segment]], theirs: Mapping[str, Sequence[Segment]]
) -> dict[MessageKey, str]:
    """The messages of the source with what the page has for them, "" for nothing."""
    found = {unit.key: "" for units in ours.values() for unit in units if is_for_translators(unit)}
    for status in page.sections if page.path else ():
        known = pair_up(ours.get(status.id, ()), theirs.get(status.here, ())) if status.line else {}
        found |= {(status.id, *key): target for key, target in known.items() if (status.id, *key) in found}
    return found


def find_objection(message: Message, known: Collection[MessageKey]) -> str:
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
    whole = put_messages(text, {index: words.replace("\r", "") for index, words in new.items()}, found)
    return whole[span.start : len(whole) - (len(text) - span.end)]
