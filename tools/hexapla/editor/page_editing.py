"""What the editor does to a tree besides saving: open a page, check what is typed, record that one is still right."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.editor.view_model import SectionRow, page_rows
from hexapla.glossary import Term
from hexapla.section_writer import SectionWriter, UnknownNameError, require_page
from hexapla.translation.history.changes import section_diff, source_history
from hexapla.translation.memory.near_matches import SectionOffers, section_offers
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.status.priority import rank_pages
from hexapla.translation.status.section_states import PageStatus, TranslationState, find_statuses
from hexapla.translation.tracking import tree_status
from hexapla.translation.translation_tree import write_records
from hexapla.translation.word_diff import DiffKind, inline_diff


class SourceChange(NamedTuple):
    """Runs of the source's Markdown, lines of a difference of its code and of its output; None where none is known."""

    runs: list[tuple[DiffKind, str]] | None = None
    code: tuple[str, ...] | None = None
    output: tuple[str, ...] | None = None


@dataclass
class EditorService(SectionWriter):
    """The tree that is edited, as it was read when something was opened or saved: a key does not wait for the disk."""

    terms: tuple[Term, ...] = ()
    opened: str = ""  # the page that was opened last

    def names(self) -> list[str]:
        """The names of the source's pages in the order of the navigation; none is opened."""
        layout = self.reread_tree().layout
        rank = rank_pages(layout)
        names = self.tree.files[layout.source]
        return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))

    def overview(self) -> Iterator[PageStatus | None]:
        """Every page in every language, words not counted, and None in between, so that others are served meanwhile."""
        tree = self.reread_tree()
        for language in tree.languages:  # what the checks need of the open page: the first key would wait for it
            if self.opened in tree.files[language]:
                self.judge.check_text(language, self.opened, "", "[1](https://example.org) `b`", "")
        yield None
        for name in tree.source:
            tree.sections(name)
            yield None
        yield from find_statuses(tree)
        tree.cache.flush()

    def page(self, name: str) -> tuple[list[PageStatus], list[SectionRow]]:
        """The status of a page in each language, and its rows. Raises UnknownNameError."""
        tree = self.reread_tree()
        require_page(tree, name)
        self.opened = name
        pages = tree_status(tree, [name])
        return pages, page_rows(tree, name, pages)

    def findings(self, name: str, language: str, section: str, text: str) -> list[Finding]:
        """What is wrong with a section as it is typed; lines count from the section's first."""
        old = self.section_on_disk(name, language, section)
        return self.judge.check_text(language, name, section, text, old)

    def changed(self, name: str, language: str, section: str) -> SourceChange:
        """What changed in the source since the section was translated. Raises UnknownNameError."""
        tree = self.reread_tree()
        require_page(tree, name, language)
        for page in tree_status(tree, [name], None, language):
            if (status := page.section(section)) and status.state is not TranslationState.CURRENT:
                found = section_diff(tree, page, status, source_history(tree))
                runs = None if found.before is None else list(inline_diff(found.before, found.source))
                return SourceChange(runs, found.code, found.output)
        return SourceChange()

    def remembered(self, name: str, language: str, section: str) -> SectionOffers:
        """What the translation memory has for a section. Raises UnknownNameError."""
        tree = self.reread_tree()
        require_page(tree, name, language)
        known = tree.section(name, section)
        if known is None:
            raise UnknownNameError(f"the source's page {name} has no section {section!r}")
        memory = TranslationMemory(tree, language, source_history(tree))
        return section_offers(memory, name, known)

    def read(self, name: str, language: str, section: str, meant: bool = False) -> None:
        """Record "read, still right", or "reviewed" for a section that needs it. Raises as `save` does."""
        self.reread_tree()
        current = self.section_on_disk(name, language, section)
        status = self.status_of(name, language, section)
        reviewed = status is not None and status.state is TranslationState.REVIEW
        reason = "" if reviewed else self.review_reason(name, language, section, current, "", meant)
        if status and status.line:
            write_records(self.tree, language, self.make_records(name, language, status, current, reason))
