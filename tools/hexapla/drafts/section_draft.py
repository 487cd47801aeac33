"""One section while it is drafted: the answers that a model gave, judged, and the best of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hexapla.drafts.placeholders import UntrustedAnswer, restore
from hexapla.drafts.requests import Drafter, ModelAnswer, Revision, SectionRequest
from hexapla.translation.exchange.imports import Plan, Refusal, plan
from hexapla.translation.memory.catalog import Catalog, Message
from hexapla.translation.sections.judgement import Judge, Judgement
from hexapla.translation.sections.segments import Segment
from hexapla.translation.status.status import PageStatus
from hexapla.translation.translation_tree import TranslationTree


class Attempt(NamedTuple):
    """What became of one answer: the section's messages, what is wrong with them, and the answer's translations."""

    messages: tuple[Message, ...]
    errors: tuple[Refusal, ...] = ()
    doubts: tuple[str, ...] = ()
    translations: tuple[str, ...] = ()


@dataclass
class SectionDraft:
    """A section while it is drafted; `revision` is what the model is to correct, None at first.

    It is `begun` once its turn has come.
    """

    page: PageStatus
    request: SectionRequest
    attempts: list[Attempt] = field(default_factory=list)
    revision: Revision | None = None
    begun: bool = False

    @property
    def best(self) -> Attempt:
        """The attempt with the fewest errors, then doubts."""
        return min(self.attempts, key=lambda each: (len(each.errors), len(each.doubts)))

    def take(
        self, answer: ModelAnswer | UntrustedAnswer, drafter: Drafter, tree: TranslationTree, judge: Judge
    ) -> bool:
        """Take an answer; whether that was the last. Where it was not, the model is to correct what was found."""
        if isinstance(answer, UntrustedAnswer):
            line = self.request.messages[0].unit.line
            attempt = Attempt((), (Refusal(self.page.source_path, line, str(answer)),))
        else:
            attempt = self.judged(answer, drafter, tree, judge)
        self.attempts.append(attempt)
        faults = tuple(dict.fromkeys([*(each.reason for each in attempt.errors), *attempt.doubts]))
        if faults and answer.text and drafter.revises and self.revision is None:
            self.revision = Revision(answer.text, faults)
            return False
        return True

    def judged(self, answer: ModelAnswer, drafter: Drafter, tree: TranslationTree, judge: Judge) -> Attempt:
        """An answer with its code, links and tags in their places, as the judge of sections finds it."""
        made = [message(unit, target) for unit, target in self.request.kept]
        errors = []
        for each, text in zip(self.request.messages, answer.translations, strict=True):
            try:
                made.append(message(each.unit, restore(drafter.protect(each.unit.text), text)))
            except UntrustedAnswer as error:
                errors.append(Refusal(self.page.source_path, each.unit.line, str(error)))
        if errors:
            return Attempt((), tuple(errors))
        found: list[Judgement] = []

        def noted(language: str, page: str, section: str, text: str, old: str) -> Judgement:
            found.append(judge(language, page, section, text, old))
            return found[-1]

        refusals = plan_page(tree, self.page, made, noted).refusals
        line = min((each.line for each in made), default=1)
        wrong = [fault.message for each in found for fault in each.errors]
        errors = [Refusal(self.page.source_path, line, f"{self.request.section!r}: {fault}") for fault in wrong]
        doubts = tuple(fault.message for each in found for fault in each.doubts)
        return Attempt(tuple(made), tuple(errors) or refusals, doubts, answer.translations)


def plan_page(tree: TranslationTree, page: PageStatus, messages: Sequence[Message], judge: Judge) -> Plan:
    """What a page becomes with messages of it translated."""
    catalog = Catalog(page.page, page.language, tree.layout.source, page.source_path, "", tuple(messages))
    return plan(tree, page, catalog, page.source_path, judge)


def message(unit: Segment, target: str) -> Message:
    """A message with its translation."""
    return Message(unit.section, unit.text, unit.number, target, unit.line)
