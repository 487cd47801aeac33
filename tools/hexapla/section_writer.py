"""Write a translated section: it is judged, put into its page if nobody has changed that meanwhile, and recorded.

The editor saves by it and translators' tools submit by it; there is no second one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.unsaved_text import refresh_checker
from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.files import ChangedError
from hexapla.glossary import Term
from hexapla.pages.lines import Closes
from hexapla.section_judge import SectionJudge
from hexapla.translation.history.infer_from_git import adopted_record, judge_by_git
from hexapla.translation.page_assembly import assemble_page, white_end
from hexapla.translation.records.draft_inputs import DraftInputs
from hexapla.translation.records.records import Key, Record
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.sections.sections import SectionSpan, cut_sections, whole_digest
from hexapla.translation.status.recorded_doubts import with_doubts
from hexapla.translation.status.section_states import (
    PageStatus,
    Renames,
    SectionStatus,
    find_statuses,
    section_statuses,
)
from hexapla.translation.status.touched_drafts import is_free
from hexapla.translation.tracking import reviewer_name, section_records
from hexapla.translation.translation_tree import TranslationTree, require_unrecorded, write_page, write_records
from hexapla.translation.verdicts import make_dismissal, write_verdicts
from hexapla.translation.word_diff import inline_diff

SAVES = 3  # how often a save is tried while the page is changed beside it
MOVED = "the section was changed elsewhere since you opened it; put the two together and save again"
SOURCE_MOVED = "the source of the section has changed since you read it; ask for it again, and translate what it says"
DOUBTFUL = "nothing was saved: see below what is not as in the source; do it again to keep it as needing review"
WRONG = "nothing was saved: mend the errors below first"
MISPLACED = ("nothing was saved: with this text the page would have other sections than it has now; begin with the "
             "section's heading, and close each comment, fence and tag")
SHOWN = ("rule", "severity", "line", "column", "message", "hint")


class UnknownNameError(LookupError):
    """A page, a language or a section that the tree does not have."""


class ConflictError(Exception):
    """The section on disk, `text`, is not the one that was edited; `runs` is its difference from what was typed."""

    def __init__(self, text: str, typed: str, why: str = MOVED) -> None:
        super().__init__(why)
        self.text = text
        self.runs = list(inline_diff(typed, text))


class RefusedError(Exception):
    """The section has errors, or doubts alone if `doubtful`, which whoever means it may save; nothing was written."""

    def __init__(self, findings: list[Finding], doubtful: bool, why: str = "") -> None:
        self.findings, self.doubtful = findings, doubtful
        super().__init__(why or (DOUBTFUL if doubtful else WRONG))


class SubmittedDraft(NamedTuple):
    """What is known of a text that nobody has reviewed: the version of its `source`, and what it was made with."""

    source: str
    inputs: DraftInputs


class PlacedSection(NamedTuple):
    """A page's text with a section put into it; `status` and `text` are what the section is there."""

    page: str
    status: SectionStatus
    text: str


@dataclass
class SectionWriter:
    """A tree whose sections are written; `read_tree` and `make_checker` read it again, as its `read_terms` change."""

    read_tree: Callable[[], TranslationTree]
    make_checker: Callable[[], Checker]
    read_terms: Callable[[], tuple[Term, ...]] | None = None

    @cached_property
    def tree(self) -> TranslationTree:
        """The tree as it was last read."""
        return self.read_tree()

    @cached_property
    def checker(self) -> Checker:
        return self.make_checker()

    def reread_tree(self) -> TranslationTree:
        """The tree as it is on disk now; pages that have not changed are not parsed again."""
        earlier, self.tree = self.__dict__.get("tree"), self.read_tree()
        if earlier and (earlier.layout, earlier.files) == (self.tree.layout, self.tree.files) and (
                not self.read_terms or self.read_terms() == self.checker.tree.terms):
            refresh_checker(self.checker)
        else:
            self.__dict__.pop("checker", None)
        return self.tree

    @property
    def judge(self) -> SectionJudge:
        return SectionJudge(self.checker, self.tree)

    def save(
        self, name: str, language: str, section: str, text: str, base: str, meant: bool = False,
        draft: SubmittedDraft | None = None,
    ) -> str:
        """Write a section and record what it was made from, as a `draft` where it is one; returns its version now.

        A text that lost or changed a number, a link, code or a paragraph, or is not translated, is refused unless that
        is `meant`: it needs review then. Raises UnknownNameError, ConflictError, RefusedError, ChangedError, OSError.
        """
        for left in reversed(range(SAVES)):
            tree = self.reread_tree()
            made, reason = self.admit_text(name, language, section, text, base, meant, draft)
            new = self.make_records(name, language, made.status, made.text, reason, draft)
            try:
                require_unrecorded(tree, language, new)
                self.write_section(tree.layout.path(language, name), made.page, language, new)
                break
            except ChangedError:  # in another section, as a rule: what was saved there is read again
                if not left:
                    raise
        return version_of(tidy_text(text))

    def write_section(self, path: str, text: str, language: str, new: dict[Key, Record | None]) -> None:
        """Write a page and records, or neither: a machine's text is not left without its mark."""
        before = self.tree.text(path) if path in self.tree.digests else None
        write_page(self.tree, path, text)
        try:
            write_records(self.tree, language, new)
        except (ConfigError, OSError):
            write_page(self.tree, path, before)
            raise

    def dismiss_doubt(self, name: str, language: str, section: str, doubt: str, reason: str) -> None:
        """Record that a doubt about a section, by its id, is none. Raises UnknownNameError, ConfigError, OSError."""
        tree = self.reread_tree()
        require_page(tree, name, language)
        [page] = with_doubts(tree, find_statuses(tree, (language,), (name,)))
        status = page.section(section)
        found = next((each for each in (status.doubts if status else ()) if each.id == doubt), None)
        if found is None:
            raise UnknownNameError("that is doubted no more: its text was changed, or somebody has dismissed it")
        verdict = make_dismissal(reviewer_name(tree.layout.root, None), reason)
        write_verdicts(tree.layout.root, language, {name: {found.key: verdict}})

    def admit_text(
        self, name: str, language: str, section: str, text: str, base: str, meant: bool, draft: SubmittedDraft | None
    ) -> tuple[PlacedSection, str]:
        """A text in its page, and why it needs review, "" where it needs none. Raises what `save` raises."""
        current = self.section_on_disk(name, language, section)
        if version_of(current) != base and current != tidy_text(text):  # the same text: the answer was lost
            raise ConflictError(current, text)
        if draft:
            self.require_free(name, language, section, draft)
        reason = self.review_reason(name, language, section, text, current, meant)
        return self.put_text(name, language, section, text, draft is not None), reason

    def require_free(self, name: str, language: str, section: str, draft: SubmittedDraft) -> None:
        """See that a draft is of the source as it is and over no person's text. Raises ConflictError, RefusedError."""
        page = self.page_by_git(name, language)
        known, status = self.tree.section(name, section), page.section(section)
        source = self.tree.source_text(name, known) if known else ""
        if version_of(source) != draft.source:
            raise ConflictError(source, "", SOURCE_MOVED)
        if status and not is_free(self.tree, page, status):
            raise RefusedError([], False, f"nothing was saved: the section is {status.state}, and a person's text is "
                                          "not replaced by a draft; `hexapla translate` edits it")

    def page_by_git(self, name: str, language: str) -> PageStatus:
        """The status of a page, its sections without records judged by git."""
        [page] = judge_by_git(self.tree, find_statuses(self.tree, (language,), (name,)))
        return page

    def make_records(
        self, name: str, language: str, status: SectionStatus, text: str, reason: str,
        draft: SubmittedDraft | None = None,
    ) -> dict[Key, Record | None]:
        """The records of a text that was judged, and what git said of other sections, which the next commit hides."""
        tree, page = self.tree, self.page_by_git(name, language)
        new = section_records(tree, page, status, text, reason, reviewer_name(tree.layout.root, None))
        if draft:
            drafted = str(draft.inputs._replace(text=whole_digest(text)))
            new = {key: made and made._replace(draft=True, review="", reviewer="", drafted=drafted)
                   for key, made in new.items()}
        known = {(name, each.id): adopted_record(tree, page, each) for each in page.sections}
        return {key: record for key, record in known.items() if record and key not in new} | new

    def review_reason(self, name: str, language: str, section: str, text: str, old: str, meant: bool) -> str:
        """Why a text needs review, "" for no reason; doubts with which it waits for review already are not asked again.

        Raises RefusedError for errors that the `old` text has not, and for doubts that are not meant.
        """
        errors, doubts = self.judge.weigh_findings(language, name, section, tidy_text(text), old)
        if errors:
            raise RefusedError(errors + doubts, False)
        reason = reason_of(f"{item.rule}: {item.message}" for item in doubts)
        status = self.status_of(name, language, section)
        if doubts and not meant and not (status and status.record and status.record.review == reason):
            raise RefusedError(doubts, True)
        return reason

    def status_of(self, name: str, language: str, section: str) -> SectionStatus | None:
        [page] = find_statuses(self.tree, (language,), (name,))
        return page.section(section)

    def section_on_disk(self, name: str, language: str, section: str) -> str:
        """The text of a section as a text box has it, "" where it is missing. Raises UnknownNameError, ValueError."""
        tree = self.tree
        require_page(tree, name, language)
        status = self.status_of(name, language, section)
        if status is None:
            raise UnknownNameError(f"the page {name} has no section {section!r}")
        text = tree.section_text(language, name, status.here) if status.line else ""
        path = tree.files[language].get(name)
        if path in tree.unreadable:
            raise ValueError(f"{path}: {tree.unreadable[path]}")
        return text.replace("\r\n", "\n").rstrip()

    def put_text(self, name: str, language: str, section: str, text: str, alone: bool = False) -> PlacedSection:
        """A page with a section's text in it, all others as before, and no more if `alone`. Raises RefusedError."""
        tree = self.tree
        [page] = find_statuses(tree, (language,), (name,))
        path = page.path or tree.layout.path(language, name)
        closes = tree.layout.closes_fence(path)
        status = page.section(section)
        here = tree.text(page.path) if page.path else ""
        old = tree.section_text(language, name, status.here) if status and status.line else ""
        made = put_section(page, here, section, text, old, closes)
        after = replace(page, sections=section_statuses(
            tree, name, path, made, Renames(tree, tree.records[language])))
        placed = after.section(section)
        others = [pinned_text(here, span) for span in cut_sections(here, closes)
                  if not (status and status.line and span.id == status.here)]
        spans = cut_sections(made, closes)
        index = next((n for n, span in enumerate(spans) if placed and placed.line == span.line), len(spans))
        more = len(spans) - 1 - len(others)
        now = [pinned_text(made, span) for span in spans]
        if not placed or [*now[:index], *now[index + 1 + more :]] != others or more < 0 or (alone and more):
            raise RefusedError([], False, MISPLACED)
        return PlacedSection(made, placed, made[spans[index].start : spans[index].end])


def pinned_text(page: str, span: SectionSpan) -> tuple[str, str]:
    """A section of a page with the id that its author gave it; the blank lines behind it may become others."""
    return span.id if span.pinned else "", page[span.start : span.end].rstrip()


def describe_findings(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """What is told of findings in a section, as data."""
    return [{name: getattr(finding, name) for name in SHOWN} for finding in findings]


def tidy_text(typed: str) -> str:
    """The text of a text box with newlines as line ends and without white space behind its last line."""
    return typed.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def version_of(text: str) -> str:
    """A digest of a text, the same for either kind of line ends."""
    packed = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    return blake2b(packed, digest_size=8).hexdigest()


def put_section(page: PageStatus, here: str, section: str, typed: str, old: str, closes_fence: Closes) -> str:
    """A page with what was typed of a section; its line ends and the blank lines behind the `old` text stay."""
    ending = "\r\n" if "\r\n" in here else "\n"
    made = tidy_text(typed).replace("\n", ending) + (white_end(old) or ending)
    return assemble_page(page, here, {section: made}, closes_fence)


def require_page(tree: TranslationTree, name: str, language: str | None = None) -> None:
    """Refuse names that the tree does not have: no path is ever made of them. Raises UnknownNameError."""
    if name not in tree.source:
        raise UnknownNameError(f"there is no page {name!r}")
    if language is not None and language not in tree.languages:
        raise UnknownNameError(f"{language!r} is no language that is translated here")
