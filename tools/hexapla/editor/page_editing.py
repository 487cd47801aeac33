"""What the editor does to a tree: open a page, check what is typed, save a section, record that one is still right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.unsaved_text import refresh_checker
from hexapla.checks.finding import Finding
from hexapla.editor.view_model import SectionRow, page_rows, tidy_text, version_of
from hexapla.files import ChangedError
from hexapla.glossary import Term
from hexapla.pages.lines import Closes
from hexapla.section_judge import SectionJudge
from hexapla.translation.history.changes import section_diffs, source_history
from hexapla.translation.memory.near_matches import SectionOffers, section_offers
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.page_assembly import assemble_page, white_end
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.status.priority import rank_pages
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState, statuses
from hexapla.translation.tracking import reviewer_name, section_records, tree_status
from hexapla.translation.translation_tree import TranslationTree, write_page, write_records
from hexapla.translation.word_diff import DiffKind, inline_diff

SAVES = 3  # how often a save is tried while the page is changed beside it


class UnknownNameError(LookupError):
    """A page, a language or a section that the tree does not have."""


class ConflictError(Exception):
    """The section on disk is not the one that was edited; nothing was written.

    `text` is the one on disk, `runs` its difference from what was typed.
    """

    def __init__(self, text: str, typed: str) -> None:
        super().__init__("the section was changed elsewhere since you opened it; put the two together and save again")
        self.text = text
        self.runs = list(inline_diff(typed, text))


class RefusedError(Exception):
    """The section has errors, or doubts that were not confirmed; nothing was written.

    `doubtful` says that there are doubts alone, and that who means it may save the text: it needs review then.
    """

    def __init__(self, findings: list[Finding], doubtful: bool) -> None:
        self.findings, self.doubtful = findings, doubtful
        super().__init__(
            "nothing was saved: see below what is not as in the source; do it again to keep it as needing review"
            if doubtful else "nothing was saved: mend the errors below first"
        )


class SourceChange(NamedTuple):
    """Runs of the source's Markdown, lines of a difference of its code and of its output; None where none is known."""

    runs: list[tuple[DiffKind, str]] | None = None
    code: tuple[str, ...] | None = None
    output: tuple[str, ...] | None = None


@dataclass
class EditorService:
    """The tree that is edited, as `read_tree` and `make_checker` read it when something is opened or saved.

    What is typed in between is checked beside the pages as they were then: a key does not wait for the disk.
    """

    read_tree: Callable[[], TranslationTree]
    make_checker: Callable[[], Checker]
    terms: tuple[Term, ...] = ()
    opened: str = ""  # the page that was opened last

    @cached_property
    def tree(self) -> TranslationTree:
        """The tree as it was last read."""
        return self.read_tree()

    @cached_property
    def checker(self) -> Checker:
        return self.make_checker()

    def fresh(self) -> TranslationTree:
        """The tree as it is on disk now; pages that have not changed are not parsed again."""
        earlier, self.tree = self.tree, self.read_tree()
        if (earlier.layout, earlier.files) == (self.tree.layout, self.tree.files):
            refresh_checker(self.checker)
        else:
            self.__dict__.pop("checker", None)
        return self.tree

    def names(self) -> list[str]:
        """The names of the source's pages in the order of the navigation; none is opened."""
        layout = self.fresh().layout
        rank = rank_pages(layout)
        names = self.tree.files[layout.source]
        return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))

    def overview(self) -> Iterator[PageStatus | None]:
        """Every page in every language, words not counted; None after each page of the source that was read for it.

        It takes long on a large tree, one step does not: who asks for the next one may do something else before.
        """
        tree = self.fresh()
        self.warm()
        yield None
        for name in tree.source:
            tree.sections(name)
            yield None
        yield from statuses(tree)
        tree.cache.flush()

    def warm(self) -> None:
        """Load what the checks need, and what they need of the page that is open: the first key would wait for it."""
        for language in self.tree.languages:
            if self.opened in self.tree.files[language]:
                self.judge.findings(language, self.opened, "", "[1](https://example.org) `b`", "")

    def page(self, name: str) -> tuple[list[PageStatus], list[SectionRow]]:
        """The status of a page in each language, and its rows. Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name)
        self.opened = name
        pages = tree_status(tree, [name])
        return pages, page_rows(tree, name, pages)

    @property
    def judge(self) -> SectionJudge:
        return SectionJudge(self.checker, self.tree)

    def findings(self, name: str, language: str, section: str, text: str) -> list[Finding]:
        """What is wrong with a section as it is typed; lines count from the section's first."""
        old = self.section_on_disk(name, language, section)
        return self.judge.findings(language, name, section, text, old)

    def changed(self, name: str, language: str, section: str) -> SourceChange:
        """What changed in the source since the section was translated. Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name, language)
        for page in tree_status(tree, [name], None, language):
            for each in section_diffs(tree, page, source_history(tree)):
                if each.status.id == section:
                    runs = None if each.before is None else list(inline_diff(each.before, each.source))
                    return SourceChange(runs, each.code, each.output)
        return SourceChange()

    def remembered(self, name: str, language: str, section: str) -> SectionOffers:
        """What the translation memory has for a section. Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name, language)
        known = tree.section(name, section)
        if known is None:
            raise UnknownNameError(f"the source's page {name} has no section {section!r}")
        memory = TranslationMemory(tree, language, source_history(tree))
        return section_offers(memory, name, known)

    def save(self, name: str, language: str, section: str, text: str, base: str, meant: bool = False) -> str:
        """Write a section and record what it was made from; returns its version now.

        A text that lost or changed a number, a link, code or a paragraph, or is not translated, is refused unless that
        is `meant`: it needs review then. Raises UnknownNameError, ConflictError, RefusedError, ChangedError, OSError.
        """
        for left in reversed(range(SAVES)):
            tree = self.fresh()
            current = self.section_on_disk(name, language, section)
            # the same text is a save whose answer was lost
            if version_of(current) != base and current != tidy_text(text):
                raise ConflictError(current, text)
            reason = self.reason(name, language, section, text, current, meant)
            try:
                write_page(tree, tree.layout.path(language, name), self.put(name, language, section, text))
                break
            except ChangedError:  # in another section, as a rule: what was saved there is read again
                if not left:
                    raise
        self.record(name, language, section, reason)
        return version_of(tidy_text(text))

    def read(self, name: str, language: str, section: str, meant: bool = False) -> None:
        """Record "read, still right", or "reviewed" for a section that needs it.

        Raises UnknownNameError, and RefusedError as `save` does.
        """
        self.fresh()
        current = self.section_on_disk(name, language, section)
        status = self.status(name, language, section)
        reviewed = status is not None and status.state is TranslationState.REVIEW
        reason = "" if reviewed else self.reason(name, language, section, current, "", meant)
        self.record(name, language, section, reason)

    def record(self, name: str, language: str, section: str, reason: str) -> None:
        """Record a section that was judged: as current, or as needing review for a reason."""
        tree = self.fresh()
        [page] = statuses(tree, (language,), (name,))
        status = next(each for each in page.sections if each.id == section)
        reviewer = reviewer_name(tree.layout.root, None)
        if new := section_records(tree, page, status, reason, reviewer):
            write_records(tree, language, new)

    def reason(self, name: str, language: str, section: str, text: str, old: str, meant: bool) -> str:
        """Why a text needs review, "" for no reason.

        Raises RefusedError for errors that the `old` text has not, and for doubts that are not meant; those with which
        the section waits for review already are not asked about again.
        """
        errors, doubts = self.judge.weighed(language, name, section, tidy_text(text), old)
        if errors:
            raise RefusedError(errors + doubts, False)
        reason = reason_of(f"{item.rule}: {item.message}" for item in doubts)
        status = self.status(name, language, section)
        if doubts and not meant and not (status and status.record and status.record.review == reason):
            raise RefusedError(doubts, True)
        return reason

    def status(self, name: str, language: str, section: str) -> SectionStatus | None:
        """The status of a section, None where there is none."""
        [page] = statuses(self.tree, (language,), (name,))
        return page.section(section)

    def section_on_disk(self, name: str, language: str, section: str) -> str:
        """The text of a section as a text box has it, "" where it is missing. Raises UnknownNameError, ValueError."""
        tree = self.tree
        require_page(tree, name, language)
        status = self.status(name, language, section)
        if status is None:
            raise UnknownNameError(f"the page {name} has no section {section!r}")
        text = tree.section_text(language, name, status.here) if status.line else ""
        path = tree.files[language].get(name)
        if path in tree.unreadable:
            raise ValueError(f"{path}: {tree.unreadable[path]}")
        return text.replace("\r\n", "\n").rstrip()

    def put(self, name: str, language: str, section: str, text: str) -> str:
        """A page with a section's text in it."""
        tree = self.tree
        [page] = statuses(tree, (language,), (name,))
        status = page.section(section)
        here = tree.text(page.path) if page.path else ""
        old = tree.section_text(language, name, status.here) if status and status.line else ""
        return put_section(page, here, section, text, old, tree.layout.closes_fence)


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
