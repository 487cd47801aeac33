"""Draft what a tree lacks and what is behind: a section is drafted whole or stays as it is, no other one waits for it.

Answers that were accepted are kept in the cache, so that a run that was interrupted is not paid for twice.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from datetime import date
from difflib import unified_diff
from functools import partial
from typing import NamedTuple

from hexapla.cache import key_of
from hexapla.drafts.endpoint import Endpoint, start_thread
from hexapla.drafts.local_model import LocalDrafter
from hexapla.drafts.placeholders import UntrustedAnswer, restore_kept
from hexapla.drafts.requests import ModelAnswer, Revision, SectionRequest, request_of
from hexapla.drafts.token_counts import Tokens
from hexapla.errors import ConfigError
from hexapla.files import ChangedError
from hexapla.report_text import plural
from hexapla.translation.exchange.catalog_import import Plan, Refusal, plan_import
from hexapla.translation.history.changes import source_history
from hexapla.translation.history.infer_from_git import adopted_record
from hexapla.translation.memory.catalog import Catalog, Message, unit_message
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.records.draft_inputs import DraftMaterial
from hexapla.translation.sections.section_problems import Judge, Judgement
from hexapla.translation.sections.sections import cut_sections, whole_digest
from hexapla.translation.sections.segments import by_section, is_for_translators
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.status.touched_drafts import is_free
from hexapla.translation.tracking import require_readable, tree_status
from hexapla.translation.translation_tree import TranslationTree, require_unrecorded, write_page, write_records

Drafter = Endpoint | LocalDrafter
Wants = Callable[[PageStatus, SectionStatus], bool]  # whether a section is one to draft
Progress = Callable[[int, int, str], None]  # sections done, all of them, what is spent


class Attempt(NamedTuple):
    """What became of one answer: the section's messages, what is wrong with them, and the answer's translations."""

    messages: tuple[Message, ...]
    errors: tuple[Refusal, ...] = ()
    doubts: tuple[str, ...] = ()
    translations: tuple[str, ...] = ()


@dataclass
class SectionDraft:
    """A section while it is drafted; `revision` is what the model is to correct, None at first."""

    page: PageStatus
    request: SectionRequest
    attempts: list[Attempt] = field(default_factory=list)
    revision: Revision | None = None
    begun: bool = False
    done: bool = False

    @property
    def best(self) -> Attempt:
        """The attempt with the fewest errors, then doubts."""
        return min(self.attempts, key=lambda each: (len(each.errors), len(each.doubts)))

    def refuse(self, line: int, reason: str) -> Refusal:
        """What is wrong with the message in a line of the source's page."""
        return Refusal(self.page.source_path, line, reason)


def plan_page(tree: TranslationTree, page: PageStatus, messages: Sequence[Message], judge: Judge) -> Plan:
    """What a page becomes with messages of it translated."""
    catalog = Catalog(page.page, page.language, tree.layout.source, page.source_path, "", tuple(messages))
    return plan_import(tree, page, catalog, page.source_path, judge)


class Draft(NamedTuple):
    """The draft of one page: its plan, how many sections were wanted, what was refused, the ids of those answered."""

    plan: Plan
    wanted: int
    refusals: tuple[Refusal, ...]
    difference: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()


class PageDraft(NamedTuple):
    """A page while its sections are drafted, as many as have something to translate of those `wanted`."""

    page: PageStatus
    wanted: int
    sections: Sequence[SectionDraft]


class Drafting:
    """The drafting of pages of a tree: each is put in place once its sections are done, where it is to `write`.

    `wants` says which sections, `limit` how many at most; `halted` is what stopped it before the last one.
    """

    def __init__(
        self, tree: TranslationTree, language: str, material: DraftMaterial, drafter: Drafter, judge: Judge,
        pages: Sequence[PageStatus], wants: Wants, limit: int | None = None, write: bool = True,
    ) -> None:
        self.tree, self.drafter, self.judge, self.material = tree, drafter, judge, material
        self.pages, self.limit, self.wants, self.write = pages, limit, wants, write
        self.memory = TranslationMemory(tree, language, source_history(tree))
        self.wanted = sum(self.wants(page, each) for page in pages for each in page.sections)
        self.begun = self.done = 0  # sections
        self.aside: dict[int, Tokens] = {}  # by section, for requests that are under way
        self.halted = ""

    def make_drafts(self, progress: Progress | None = None) -> Iterator[Draft]:
        """The drafts of pages, each as soon as it is done. Raises ConfigError where the model can be asked no more.

        Whatever ends it early, Ctrl+C too, the pages that were begun are written as far as they are.
        """
        open_pages: list[PageDraft] = []
        waiting = self.sections_to_ask(open_pages)
        asked: dict[Future[ModelAnswer], SectionDraft] = {}
        spending = self.drafter.spending
        stopped: ConfigError | KeyboardInterrupt | None = None
        while True:
            # The first one is asked for alone where there is a budget, to learn what one costs.
            jobs = 1 if spending.budget is not None and not spending.usage.requests else self.drafter.jobs
            while not (stopped or self.halted) and len(asked) < jobs and (section := next(waiting, None)):
                if self.can_afford(section):
                    asked[self.ask_model(section)] = section
            for page in [each for each in open_pages if all(section.done for section in each.sections)]:
                open_pages.remove(page)
                yield self.finish_page(page)
            if not asked:
                break
            try:
                wait(asked, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt as interruption:
                stopped = interruption
                break
            answer = next(each for each in asked if each.done())
            section = asked.pop(answer)
            spending.release_tokens(self.aside.pop(id(section)))
            try:
                if self.accept_answer(section, answer) or stopped or not self.can_afford(section):
                    section.done, self.done = True, self.done + 1
                else:
                    asked[self.ask_model(section)] = section
            except ConfigError as error:
                stopped = error
            if progress:
                progress(self.done, min(self.wanted, self.limit or self.wanted), str(spending.usage))
        yield from map(self.finish_page, open_pages)
        if stopped:
            raise stopped

    def can_afford(self, section: SectionDraft) -> bool:
        """Whether the budget has the tokens of a section's next request, which are set aside then."""
        spending = self.drafter.spending
        expected = spending.correct_estimate(self.drafter.estimate_tokens(section.request, section.revision))
        if spending.set_aside(expected):
            self.aside[id(section)] = expected
            return True
        self.halted = (f"--budget {spending.budget}: the next request takes about {expected.total} tokens, and "
                       f"{max(spending.left, 0)} are left")
        return False

    def ask_model(self, section: SectionDraft) -> Future[ModelAnswer]:
        """Ask the model for a section, in a thread."""
        return start_thread(partial(self.drafter.translate_section, section.request, section.revision))

    def sections_to_ask(self, open_pages: list[PageDraft]) -> Iterator[SectionDraft]:
        """The sections that the model has to be asked for, page by page; a page is open once it was reached."""
        for page in self.pages:
            made = self.request_page(page)
            open_pages.append(made)
            for section in made.sections:
                if self.begun == self.limit:
                    self.halted = f"the limit of {plural(self.begun, 'section')}"
                    return
                self.begun, section.begun = self.begun + 1, True
                if self.is_answered(section):
                    section.done, self.done = True, self.done + 1
                else:
                    yield section

    def request_page(self, page: PageStatus) -> PageDraft:
        """A page with the requests for its sections."""
        found = by_section(filter(is_for_translators, self.tree.segments(page.source_path)))
        wanted = [each for each in page.sections if self.wants(page, each)]
        sections = [
            SectionDraft(page, request_of(self.tree, page, each, found[each.id], self.memory, self.material))
            for each in wanted if each.id in found
        ]
        return PageDraft(page, len(wanted), sections)

    def is_answered(self, section: SectionDraft) -> bool:
        """Whether the model need not be asked: nothing is to be translated, or it has answered that before."""
        key = self.answer_key(section.request)
        kept = (self.tree.cache.get(key) if key else None) if section.request.messages else []
        if not isinstance(kept, list) or len(kept) != len(section.request.messages):
            return False
        attempt = self.judge_answer(section, ModelAnswer(tuple(kept)))
        if attempt.errors and section.request.messages:
            return False
        section.attempts.append(attempt)
        return True

    def answer_key(self, request: SectionRequest) -> str:
        """The key of an accepted answer in the cache, "" where none is kept."""
        depends_on = self.drafter.answer_inputs(request)
        return key_of("draft", *depends_on) if depends_on else ""

    def accept_answer(self, section: SectionDraft, asked: Future[ModelAnswer]) -> bool:
        """Whether a section is done with an answer, else the model is to correct it. Raises ConfigError."""
        try:
            answer = asked.result()
            attempt, text = self.judge_answer(section, answer), answer.text
        except UntrustedAnswer as error:
            refusal = section.refuse(section.request.messages[0].unit.line, str(error))
            attempt, text = Attempt((), (refusal,)), error.text
        section.attempts.append(attempt)
        faults = tuple(dict.fromkeys([*(each.reason for each in attempt.errors), *attempt.doubts]))
        if faults and text and self.drafter.revises and section.revision is None:
            section.revision = Revision(text, faults)
            return False
        key = self.answer_key(section.request)
        if key and not section.best.errors:
            self.tree.cache.put(key, list(section.best.translations))
            self.tree.cache.flush()
        return True

    def judge_answer(self, section: SectionDraft, answer: ModelAnswer) -> Attempt:
        """An answer with its code, links and tags in their places, as the judge of sections finds it."""
        made = [unit_message(unit, target) for unit, target in section.request.kept]
        errors = []
        for each, text in zip(section.request.messages, answer.translations, strict=True):
            try:
                made.append(unit_message(each.unit, restore_kept(self.drafter.protect_message(each.unit.text), text)))
            except UntrustedAnswer as error:
                errors.append(section.refuse(each.unit.line, str(error)))
        if errors:
            return Attempt((), tuple(errors))
        found: list[Judgement] = []

        def note_findings(*given: str) -> Judgement:
            found.append(self.judge(*given))
            return found[-1]

        refusals = plan_page(self.tree, section.page, made, note_findings).refusals
        line = min((each.line for each in made), default=1)
        errors = [section.refuse(line, f"{section.request.section!r}: {fault.message}")
                  for each in found for fault in each.errors]
        doubts = tuple(fault.message for each in found for fault in each.doubts)
        return Attempt(tuple(made), tuple(errors) or refusals, doubts, answer.translations)

    def finish_page(self, page: PageDraft) -> Draft:
        """The draft of a page whose sections are done, put in place."""
        best = [section.best for section in page.sections if section.attempts]
        messages = [message for each in best if not each.errors for message in each.messages]
        made = plan_page(self.tree, page.page, messages, self.judge)
        today = date.today().isoformat()
        inputs = {each.request.section: each.request.make_inputs(self.material, self.drafter.model, today)
                  for each in page.sections}
        before = self.tree.text(page.page.path) if page.page.path else ""
        after = before if made.text is None else made.text
        closes = self.tree.layout.closes_fence(page.page.path or page.page.source_path)
        texts = {span.id: whole_digest(after[span.start : span.end])
                 for span in cut_sections(after, closes) if span.pinned}
        records = {key: record._replace(draft=True, review="", drafted=str(
            inputs[key[1]]._replace(text=texts.get(key[1], "")))) for key, record in made.records.items()}
        made, refusals = made._replace(records=records), made.refusals
        lines = before.splitlines(), after.splitlines()
        difference = tuple(unified_diff(*lines, f"a/{made.path}", f"b/{made.path}", lineterm="", n=1))
        try:
            if self.write:
                write_draft(self.tree, page.page, made)
        except ChangedError as error:  # what was paid for is kept, and taken over the next time
            made, refusals = made._replace(records={}), (*refusals, Refusal(made.path, 1, str(error)))
        answered = tuple(section.request.section for section in page.sections if section.attempts)
        errors = (error for each in best for error in each.errors)
        return Draft(made, page.wanted, (*errors, *refusals), difference, answered)


def is_wanted(tree: TranslationTree, page: PageStatus, section: SectionStatus) -> bool:
    """Whether a section is one to draft: it is missing, or its source's words changed and nobody has edited it."""
    behind = section.state is TranslationState.BEHIND and section.change is Change.TEXT
    return section.state is TranslationState.MISSING or (behind and is_free(tree, page, section))


def is_outdated(tree: TranslationTree, page: PageStatus, section: SectionStatus) -> bool:
    """Whether a section is a draft that nobody has changed and that would be made with something else today."""
    drafted = section.record is not None and section.record.draft
    return bool(section.touched) or (drafted and is_wanted(tree, page, section))


def write_draft(tree: TranslationTree, page: PageStatus, made: Plan) -> None:
    """Write a page, its records, and what git said of its other sections, which the page's next commit would hide."""
    require_unrecorded(tree, made.language, made.records)
    if made.text is not None:
        write_page(tree, made.path, made.text)
    if made.records:
        known = {(page.page, each.id): record for each in page.sections
                 if (record := adopted_record(tree, page, each)) and (page.page, each.id) not in made.records}
        write_records(tree, made.language, known | {**made.records})


def drafting_of(
    tree: TranslationTree, language: str, material: DraftMaterial, drafter: Drafter, judge: Judge, *,
    given: Sequence[str] = (), limit: int | None = None, stale: bool = False, write: bool = True,
) -> Drafting:
    """The drafting of what pages of a language lack or have behind, or of `stale` drafts. Raises ConfigError."""
    pages = tree_status(tree, given, None, language)
    require_readable(tree, pages)
    wants = partial(is_outdated if stale else is_wanted, tree)
    wanted = [page for page in pages if any(wants(page, each) for each in page.sections)]
    return Drafting(tree, language, material, drafter, judge, wanted, wants, limit, write)
