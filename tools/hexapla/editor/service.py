"""What the desk does to a tree: open a page, look at what is typed, save a section, say that one is still right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.overlay import check_text, new_errors, refresh
from hexapla.checks.finding import Finding
from hexapla.editor import text_edit
from hexapla.editor.view_model import Row, find, part, rows, version
from hexapla.files import inside
from hexapla.glossary import Term
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.changes import differences
from hexapla.translation.priority import ranks
from hexapla.translation.revisions import Past
from hexapla.translation.sections import cut
from hexapla.translation.service import survey, sync
from hexapla.translation.status import PageStanding, State, standings
from hexapla.translation.translation_tree import Tree, write_page
from hexapla.translation.word_diff import Kind, inline

# What a translation has as the source has it: to save another one, one has to say so.
PROTECTED = ("number-differs", "link-missing", "link-extra", "image-differs", "code-inline-differs")


class Unknown(LookupError):
    """A page, a language or a section that the tree does not have."""


class Conflict(Exception):
    """The section on disk is not the one that was edited; nothing was written. `text` is what stands there."""

    def __init__(self, text: str) -> None:
        super().__init__("the section was changed elsewhere since you opened it; put the two together and save again")
        self.text = text


class Refused(Exception):
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


@dataclass(frozen=True, slots=True)
class Typed:
    """A section's text put into its page: the page's new text, the section's first line there, and its last."""

    text: str
    first: int
    last: int

    def own(self, found: list[Finding]) -> list[Finding]:
        """The findings in the section alone, their lines counted from its first."""
        inside_it = (finding for finding in found if self.first <= finding.line <= self.last)
        return [finding._replace(line=finding.line - self.first + 1) for finding in inside_it]


@dataclass(frozen=True, slots=True)
class Changed:
    """Runs of the source's Markdown, lines of a difference of its code and of its output; None where none is known."""

    runs: list[tuple[Kind, str]] | None = None
    code: tuple[str, ...] | None = None
    output: tuple[str, ...] | None = None


@dataclass
class Desk:
    """A tree on the desk, as `read_tree` and `make_checker` find it when something is opened or saved.

    What is typed between is looked at beside the pages as they were then: the next key does not wait for the disk.
    """

    read_tree: Callable[[], Tree]
    make_checker: Callable[[], Checker]
    terms: tuple[Term, ...] = ()

    @cached_property
    def tree(self) -> Tree:
        """The tree as it was last read."""
        return self.read_tree()

    @cached_property
    def checker(self) -> Checker:
        """What checks a text beside that tree."""
        return self.make_checker()

    def fresh(self) -> Tree:
        """The tree as it is on disk now; what is as it was is not looked at again."""
        earlier, self.tree = self.tree, self.read_tree()
        self.tree.follow(earlier)
        if (earlier.layout, earlier.files) == (self.tree.layout, self.tree.files):
            refresh(self.checker)
        else:
            self.__dict__.pop("checker", None)
        return self.tree

    def names(self) -> list[str]:
        """The names of the source's pages in the order of the navigation; none is opened."""
        layout = self.fresh().layout
        place = ranks(layout)
        names = self.tree.files[layout.source]
        return sorted(names, key=lambda name: (place.get(name, len(place)), name))

    def overview(self) -> Iterator[PageStanding | None]:
        """Every page in every language, words not counted; None after each page of the source that was read for it.

        It takes long on a large tree, one step does not: who asks for the next one may do something else before.
        """
        tree = self.fresh()
        for name in tree.source:
            tree.source[name]
            yield None
        yield from standings(tree)
        tree.remember()

    def page(self, name: str) -> tuple[list[PageStanding], list[Row]]:
        """The standings of a page, one a language, and its rows. Raises Unknown."""
        tree = self.fresh()
        known_page(tree, name)
        source = self.checker.store.page(tree.files[tree.layout.source][name])
        standings = survey(tree, [name])
        return standings, rows(tree, name, standings, source)

    def findings(self, name: str, language: str, section: str, text: str) -> list[Finding]:
        """What is wrong with a section as it is typed; lines count from the section's first."""
        made = self.put(name, language, section, text)
        path = self.tree.layout.path(language, name)
        return made.own(check_text(self.checker, path, language, name, made.text))

    def changed(self, name: str, language: str, section: str) -> Changed:
        """What became of the source since the section was translated. Raises Unknown."""
        tree = self.fresh()
        known_page(tree, name, language)
        for page in survey(tree, [name], None, language):
            for each in differences(tree, page, Past(tree.layout.root)):
                if each.standing.id == section:
                    runs = None if each.before is None else list(inline(each.before, each.source))
                    return Changed(runs, each.code, each.output)
        return Changed()

    def save(self, name: str, language: str, section: str, text: str, base: str, meant: bool = False) -> None:
        """Write a section and record that it stands for today's source. Raises Unknown, Conflict, Refused, OSError.

        A text that lost or changed a number, a link or code is refused too, but where that is `meant`.
        """
        tree = self.fresh()
        made = self.put(name, language, section, text)
        path = inside(tree.layout.root, tree.layout.path(language, name))
        old = path.read_bytes().decode("utf-8-sig") if path.is_file() else ""
        here = next((span for span in cut(old) if span.id == located(tree, name, language, section)), None)
        current = part(old, here) if here else ""
        if version(current) != base:
            raise Conflict(current)
        asked = () if meant else PROTECTED
        wrong = made.own(new_errors(self.checker, tree.layout.path(language, name), language, name, made.text, asked))
        if wrong:
            raise Refused(wrong)
        write_page(tree.layout.root, tree.layout.path(language, name), made.text)
        sync(self.fresh(), [name], section, language, write=True)

    def read(self, name: str, language: str, section: str) -> None:
        """Record "read, still right". Raises Unknown."""
        tree = self.fresh()
        known_page(tree, name, language)
        sync(tree, [name], section, language, write=True)

    def put(self, name: str, language: str, section: str, text: str) -> Typed:
        """A section's text in its page. Raises Unknown, and Refused for characters that no page has."""
        tree = self.tree
        known_page(tree, name, language)
        path = tree.files[language].get(name)
        old = tree.text(path) if path else ""
        if path in tree.unreadable:
            raise ValueError(f"{path}: {tree.unreadable[path]}")
        odd(text, language, tree.layout.path(language, name))
        here = find(tree, language, name, located(tree, name, language, section)) if path else None
        if here:
            start, new = here.start, text_edit.replace(old, here, text)
        else:
            order = [each.span.id for each in tree.source[name]]
            if section not in order:
                raise Unknown(f"the page {name} has no section {section!r}")
            new = text_edit.insert(old, cut(old), order[: order.index(section)], text)
            start = new.find(text_edit.tidy(text).partition("\n")[0])
        first = new.count("\n", 0, max(start, 0)) + 1
        return Typed(new, first, first + text_edit.tidy(text).count("\n"))


def located(tree: Tree, name: str, language: str, section: str) -> str:
    """The id that a section of the source has in the translation: its own, but where it was renamed."""
    for page in standings(tree, (language,), (name,)):
        for each in page.sections:
            if each.id == section and (each.here or each.state is State.EXTRA):
                return each.here or each.id
    return section


def known_page(tree: Tree, name: str, language: str | None = None) -> None:
    """Refuse names that the tree does not have: no path is ever made of them. Raises Unknown."""
    if name not in tree.source:
        raise Unknown(f"there is no page {name!r}")
    if language is not None and language not in tree.languages:
        raise Unknown(f"{language!r} is no language that is translated here")


def odd(text: str, language: str, path: str) -> None:
    """Raise Refused for a character that no page has."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := HIDDEN.search(line):
            message = f"U+{ord(found.group()):04X} is a control character that readers would not see"
            column = found.start() + 1
            raise Refused([Finding(path, number, column, "character-hidden", message, "delete it", language,
                                   subject=found.group())])
