"""`hexapla sync --moves`: translated sections put where the source has them now, and their records with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hexapla.git import blob_name
from hexapla.translation.history.changes import source_history
from hexapla.translation.memory.moved_sections import MovedSections, is_open
from hexapla.translation.memory.store import Assembly
from hexapla.translation.page_assembly import assemble_page
from hexapla.translation.records.records import Key, Record, orphaned_records, record_of
from hexapla.translation.sections.section_problems import Judge, Judgement, Note
from hexapla.translation.sections.sections import cut_sections, translation_digest
from hexapla.translation.sections.segments import Kind
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState, find_statuses
from hexapla.translation.tracking import Sync, SyncedSection, chosen_pages, chosen_sections, is_named, require_readable
from hexapla.translation.translation_tree import TranslationTree, write_page, write_records

LEFT_BEHIND = "taken out, since it stands where the source has it"


@dataclass
class MovePlan:
    """What following the moves of a language writes: the texts of pages by path, records, and what was done.

    `used` are the texts taken of each section, `taken` those taken whole, `wanted` those that an incomplete one needs.
    """

    tree: TranslationTree
    language: str
    texts: dict[str, str] = field(default_factory=dict)
    records: dict[Key, Record | None] = field(default_factory=dict)
    done: list[SyncedSection] = field(default_factory=list)
    used: dict[Key, set[str]] = field(default_factory=dict)
    wanted: dict[Key, str] = field(default_factory=dict)
    taken: set[Key] = field(default_factory=set)

    def text_of(self, path: str) -> str:
        """A page's text as the plan has it so far, "" for one that is not there."""
        if path not in self.texts:
            self.texts[path] = self.tree.text(path) if (self.tree.layout.root / path).is_file() else ""
        return self.texts[path]

    def put_sections(
        self, page: PageStatus, moved: Iterable[tuple[SectionStatus, Assembly]], judge: Judge | None
    ) -> None:
        """Put a page's moved sections into it, but for those that have errors."""
        accepted: dict[str, str] = {}
        for status, made in moved:
            old = self.tree.section_text(self.language, page.page, status.here) if status.line else ""
            judged = judge(self.language, page.page, status.id, made.text.rstrip(), old) if judge else Judgement()
            if status.line and (first := self.wanted.get((page.page, status.here))) is not None:
                why = f"the section {first!r} needs texts of it: translate the rest of that one first"
                judged = Judgement((Note(status.line, why),))
            elif made.whole:
                judged = Judgement(judged.errors)
            if not judged.errors:
                accepted[status.id] = made.text
                self.note_section(page, status, made, judged.reason)
            self.done.append(SyncedSection(
                self.language, page.page, status.id, f"moved {status.note}", *judged.outcome))
        if accepted:
            path = page.path or self.tree.layout.path(self.language, page.page)
            self.texts[path] = assemble_page(page, self.text_of(path), accepted, self.tree.layout.closes_fence(path))

    def note_section(self, page: PageStatus, status: SectionStatus, made: Assembly, reason: str) -> None:
        """Record a section, and from where its texts are."""
        section = self.tree.section(page.page, status.id)
        if section is None:
            return
        record = record_of(section, blob_name(self.tree.data(page.source_path)), reason, translation_digest(made.text))
        if made.whole:
            then = made.whole.record
            record = record._replace(output=then.output, draft=then.draft, review=then.review,
                                     reviewer=then.reviewer, drafted=then.drafted)
            self.taken.add((made.whole.page, made.whole.section))
        self.records[page.page, status.id] = record
        for entry in made.entries:
            self.used.setdefault((entry.page, entry.section), set()).add(entry.key)

    def keep_wanted(self, pages: Iterable[PageStatus], moves: MovedSections) -> None:
        """Note the sections that others need which cannot be put together yet."""
        for page in pages:
            for status in page.sections:
                made = moves.assemble_section(page, status) if is_open(status) else None
                for entry in made.entries if made else ():
                    if (entry.page, entry.section) != (page.page, status.here):
                        self.wanted[(entry.page, entry.section)] = status.id

    def take_out(self, pages: Iterable[PageStatus], moves: MovedSections) -> None:
        """Take sections out of the pages that they were moved from: those of which nothing is left behind."""
        by_place = moves.memory_of(self.language).by_place
        for page in pages:
            spent = set()
            for status in page.sections if page.path else ():
                if status.state is not TranslationState.EXTRA:
                    continue
                key = (page.page, status.here)
                texts = {each.key for each in by_place.get(key, ()) if each.kind != Kind.HEADING}
                used = key in self.taken or (key in self.used and texts <= self.used[key])
                if used or self.is_copied(key):
                    spent.add(status.here)
                    self.records[key] = None
                if not used and status.here in spent:
                    self.done.append(SyncedSection(self.language, *key, "moved", LEFT_BEHIND))
            if spent:
                text = self.text_of(page.path)
                sections = cut_sections(text, self.tree.layout.closes_fence(page.path))
                self.texts[page.path] = "".join(
                    text[span.start : span.end] for span in sections if span.id not in spent
                )

    def is_copied(self, key: Key) -> bool:
        """Whether a section stands already where the source has it now: a run before was ended in between."""
        tree, text = self.tree, self.tree.section_text(self.language, *key)
        for record in tree.records[self.language].section(*key):
            if place := tree.sections_by_words.get((record.title, record.text)):
                there = tree.section_text(self.language, place[0], place[1].span.id)
                return translation_digest(there.lstrip("#")) == translation_digest(text.lstrip("#"))
        return False

    def forget_moved(self) -> None:
        """Take out the records of sections that are neither in the source nor in the translation, and moved."""
        known, keys = self.tree.records[self.language], self.tree.section_keys
        standing = {each[:3] for key in keys for each in known.section(*key)}
        for key, found in orphaned_records(known, keys).items():
            gone = key not in self.records and key[1] not in self.tree.spans(self.language, key[0])
            if gone and any(each[:3] in standing for each in found):
                self.records[key] = None
                self.done.append(SyncedSection(self.language, *key, "a record", LEFT_BEHIND))


def follow_moves(tree: TranslationTree, wanted: Sync) -> list[SyncedSection]:
    """Put moved sections of pages into their places, but for those that have errors there. Raises ConfigError."""
    places, sections = chosen_sections(tree, wanted.given)
    names, languages = chosen_pages(tree, places, wanted.language)
    history = source_history(tree)
    done: list[SyncedSection] = []
    for code in languages:
        every = list(find_statuses(tree, (code,)))
        moves = MovedSections(tree, history, {code: every})
        pages = list(moves.follow_sections(page for page in every if not names or page.page in names))
        require_readable(tree, pages)
        plan = MovePlan(tree, code)
        plan.keep_wanted(pages, moves)
        for page in pages:
            named = (each for each in page.sections
                     if is_named(sections, page.page, each.id) and each.state is TranslationState.MOVED)
            moved = ((each, made) for each in named if (made := moves.assemble_section(page, each)))
            plan.put_sections(page, moved, wanted.judge)
        put = dict(plan.texts)
        plan.take_out(every, moves)
        plan.forget_moved()
        done += plan.done
        if wanted.write:
            write_plan(plan, put, {page.path for page in every if not page.source_path})
    return done


def write_plan(plan: MovePlan, put: Mapping[str, str], sourceless: set[str]) -> None:
    """Write a plan's records and pages; a page that is empty now goes where the source has none of its name.

    Nothing is taken out before all is `put` where it belongs, and recorded: a run that is ended in between is finished
    by the next one.
    """
    tree = plan.tree
    write_records(tree, plan.language, {key: record for key, record in plan.records.items() if record})
    for path, text in put.items():
        write_page(tree, path, text)
    for path, text in plan.texts.items():
        if text != put.get(path):
            write_page(tree, path, text if text.strip() or path not in sourceless else None)
    write_records(tree, plan.language, {key: record for key, record in plan.records.items() if not record})
