"""What the editor does to a tree: open a page, check what is typed, save a section, record that one is still right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.overlay import check_text, new_errors, refresh
from hexapla.checks.finding import Finding
from hexapla.editor import text_edit
from hexapla.editor.view_model import SectionRow, page_rows, section_text, version_of
from hexapla.files import inside
from hexapla.git import Repository
from hexapla.glossary import Term
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.changes import section_diffs
from hexapla.translation.priority import ranks
from hexapla.translation.revisions import SourceHistory
from hexapla.translation.sections import cut
from hexapla.translation.service import sync, tree_status
from hexapla.translation.status import PageStatus, TranslationState, statuses
from hexapla.translation.translation_tree import TranslationTree, write_page
from hexapla.translation.word_diff import DiffKind, inline_diff

# Rules about what a translation keeps from the source: such findings refuse a save that does not confirm them.
PROTECTED = ("number-differs", "link-missing", "link-extra", "image-differs", "code-inline-differs")


class UnknownNameError(LookupError):
    """A page, a language or a section that the tree does not have."""


class ConflictError(Exception):
    """The section on disk is not the one that was edited; nothing was written. `text` is the one on disk."""

    def __init__(self, text: str) -> None:
        super().__init__("the section was changed elsewhere since you opened it; put the two together and save again")
        self.text = text


class RefusedError(Exception):
    """The text would bring errors that the page does not have; nothing was written.

    `doubtful` says that there is none among them, and that who means it may save the text.
    """

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        self.doubtful = all(each.severity != "error" for each in findings)
        super().__init__(
            "nothing was saved: see below what is not as in the source, and save again if you mean it"
            if self.doubtful else "nothing was saved: mend the errors below first"
        )


class PageEdit(NamedTuple):
    """A section's text put into its page: the page's new text, the section's first line there, and its last."""

    text: str
    first: int
    last: int

    def own(self, found: list[Finding]) -> list[Finding]:
        """The findings in the section alone, their lines counted from its first."""
        inside_it = (finding for finding in found if self.first <= finding.line <= self.last)
        return [finding._replace(line=finding.line - self.first + 1) for finding in inside_it]


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

    @cached_property
    def tree(self) -> TranslationTree:
        """The tree as it was last read."""
        return self.read_tree()

    @cached_property
    def checker(self) -> Checker:
        """The checker of texts beside that tree."""
        return self.make_checker()

    def fresh(self) -> TranslationTree:
        """The tree as it is on disk now; pages that have not changed are not parsed again."""
        earlier, self.tree = self.tree, self.read_tree()
        if (earlier.layout, earlier.files) == (self.tree.layout, self.tree.files):
            refresh(self.checker)
        else:
            self.__dict__.pop("checker", None)
        return self.tree

    def names(self) -> list[str]:
        """The names of the source's pages in the order of the navigation; none is opened."""
        layout = self.fresh().layout
        rank = ranks(layout)
        names = self.tree.files[layout.source]
        return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))

    def overview(self) -> Iterator[PageStatus | None]:
        """Every page in every language, words not counted; None after each page of the source that was read for it.

        It takes long on a large tree, one step does not: who asks for the next one may do something else before.
        """
        tree = self.fresh()
        for name in tree.source:
            tree.sections(name)
            yield None
        yield from statuses(tree)
        tree.cache.flush()

    def page(self, name: str) -> tuple[list[PageStatus], list[SectionRow]]:
        """The status of a page in each language, and its rows. Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name)
        source = self.checker.store.page(tree.files[tree.layout.source][name])
        pages = tree_status(tree, [name])
        return pages, page_rows(tree, name, pages, source)

    def findings(self, name: str, language: str, section: str, text: str) -> list[Finding]:
        """What is wrong with a section as it is typed; lines count from the section's first."""
        made = self.put(name, language, section, text)
        path = self.tree.layout.path(language, name)
        return made.own(check_text(self.checker, path, language, name, made.text))

    def changed(self, name: str, language: str, section: str) -> SourceChange:
        """What changed in the source since the section was translated. Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name, language)
        for page in tree_status(tree, [name], None, language):
            for each in section_diffs(tree, page, SourceHistory(Repository(tree.layout.root))):
                if each.status.id == section:
                    runs = None if each.before is None else list(inline_diff(each.before, each.source))
                    return SourceChange(runs, each.code, each.output)
        return SourceChange()

    def save(self, name: str, language: str, section: str, text: str, base: str, meant: bool = False) -> None:
        """Write a section and record that it is right for today's source.

        A text that lost or changed a number, a link or code is refused unless that is `meant`. Raises UnknownNameError,
        ConflictError, RefusedError and OSError.
        """
        tree = self.fresh()
        made = self.put(name, language, section, text)
        path = inside(tree.layout.root, tree.layout.path(language, name))
        old = path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
        here = next((span for span in cut(old) if span.id == translated_id(tree, name, language, section)), None)
        current = section_text(old, here) if here else ""
        if version_of(current) != base:
            raise ConflictError(current)
        asked = () if meant else PROTECTED
        wrong = made.own(new_errors(self.checker, tree.layout.path(language, name), language, name, made.text, asked))
        if wrong:
            raise RefusedError(wrong)
        write_page(tree.layout.root, tree.layout.path(language, name), made.text)
        sync(self.fresh(), [name], section, language, write=True)

    def read(self, name: str, language: str, section: str) -> None:
        """Record "read, still right". Raises UnknownNameError."""
        tree = self.fresh()
        require_page(tree, name, language)
        sync(tree, [name], section, language, write=True)

    def put(self, name: str, language: str, section: str, text: str) -> PageEdit:
        """A section's text in its page. Raises UnknownNameError, and RefusedError for characters that no page has."""
        tree = self.tree
        require_page(tree, name, language)
        path = tree.files[language].get(name)
        old = tree.text(path) if path else ""
        if path in tree.unreadable:
            raise ValueError(f"{path}: {tree.unreadable[path]}")
        refuse_invisible(text, language, tree.layout.path(language, name))
        here = tree.spans(language, name).get(translated_id(tree, name, language, section))
        if here:
            start, new = here.start, text_edit.replace(old, here, text)
        else:
            order = [each.span.id for each in tree.sections(name)]
            if section not in order:
                raise UnknownNameError(f"the page {name} has no section {section!r}")
            new = text_edit.insert(old, cut(old), order[: order.index(section)], text)
            start = new.find(text_edit.tidy(text).partition("\n")[0])
        first = new.count("\n", 0, max(start, 0)) + 1
        return PageEdit(new, first, first + text_edit.tidy(text).count("\n"))


def translated_id(tree: TranslationTree, name: str, language: str, section: str) -> str:
    """The id that a section of the source has in the translation: its own, but where it was renamed."""
    for page in statuses(tree, (language,), (name,)):
        for each in page.sections:
            if each.id == section and (each.here or each.state is TranslationState.EXTRA):
                return each.here or each.id
    return section


def require_page(tree: TranslationTree, name: str, language: str | None = None) -> None:
    """Refuse names that the tree does not have: no path is ever made of them. Raises UnknownNameError."""
    if name not in tree.source:
        raise UnknownNameError(f"there is no page {name!r}")
    if language is not None and language not in tree.languages:
        raise UnknownNameError(f"{language!r} is no language that is translated here")


def refuse_invisible(text: str, language: str, path: str) -> None:
    """Raise RefusedError for a character that no page has."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := HIDDEN.search(line):
            message = f"U+{ord(found.group()):04X} is a control character that readers would not see"
            column = found.start() + 1
            raise RefusedError([Finding(path, number, column, "character-hidden", message, "delete it", language,
                                        subject=found.group())])
