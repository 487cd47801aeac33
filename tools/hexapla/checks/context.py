"""What a rule is given (RuleContext) and what it yields (Violation)."""

from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from hexapla.checks.alignment import headings
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.glossary import Term
from hexapla.pages import Page
from hexapla.pages.edits import PageEdit
from hexapla.pages.html_vocabulary import OBJECT


class Document(NamedTuple):
    """A page of one language. `name` is the same in every language: the path below the language's folder, no suffix."""

    name: str
    language: str
    path: str
    page: Page


class Violation(NamedTuple):
    """What a rule yields: its id, the thing found, what is wrong, what to do, where, and where in the source.

    `subject` identifies the thing: a link's target, an id, a number, code, the words of a heading; "" for the page as
    a whole. It holds no line number and nothing of the message, so that a baseline outlives both. `shared` is what the
    same defect of the source page has in common with it where that is not the subject, as words are translated: a
    finding is `inherited` if the source has one with the same rule and `shared`.
    """

    rule: str
    subject: str
    message: str
    hint: str
    line: int
    column: int = 1
    source_line: int | None = None
    fix: PageEdit | None = None
    shared: str = ""
    traceback: str = ""  # of a rule that failed

    @property
    def shown(self) -> str:
        """The message as it is read: inline code and images, which stand as one character in a text, are `…`."""
        return self.message.replace(OBJECT, "`…`")

    @property
    def defect(self) -> tuple[str, str]:
        """What a translation's violation and its source's have in common if they are the same defect."""
        return self.rule, self.shared or self.subject

    def as_error(self, path: str, language: str) -> Finding:
        """The violation as an error of the page at `path`, for a build that has no rules to run."""
        return Finding(path=path, line=self.line, column=self.column, rule=self.rule, message=self.shown,
                       hint=self.hint, language=language, subject=self.subject, traceback=self.traceback)


def absent(thing: str) -> str:
    """The subject of a violation about a thing of the source that the page lacks."""
    return f"-{thing}"


class Settings(NamedTuple):
    """What rules need beyond the pages.

    `snippet` returns the text of an included file or raises OSError or ValueError; None where the tree includes none.
    `figure` returns what a reference into the evidence shows in a language, or raises ValueError; None as before.
    `picture` says whether a program has printed a PNG; None as before.
    `pin` are the marks before and after an id that is written on a heading.
    """

    terms: tuple[Term, ...] = ()
    snippet: Callable[[str], str] | None = None
    pin: tuple[str, str] = (" {#", "}")
    figure: Callable[[str, str], str] | None = None
    picture: Callable[[str], bool] | None = None


class RuleContext(NamedTuple):
    """One page to check; `source` is the page it was translated from, None for a source page itself.

    `around` is the whole page with its source where a section of it is checked alone: they have the page's habits.
    """

    document: Document
    source: Document | None
    tree: SiteIndex
    settings: Settings
    around: tuple[Page, Page] | None = None

    @property
    def page(self) -> Page:
        """The page that is checked."""
        return self.document.page

    @property
    def whole(self) -> tuple[Page, Page]:
        """The page and its source, the whole of both where a section is checked alone."""
        return self.around or (self.page, self.original)

    @property
    def original(self) -> Page:
        """The source's page, for rules that compare. Raises LookupError for a page without a source."""
        if self.source is None:
            raise LookupError(f"{self.document.path} has no source")
        return self.source.page


def translated_part(source: Page, page: Page, recorded: Set[str]) -> str:
    """The source's text without the sections that a translation lacks, "" where it lacks none.

    Readers get the original there. The numbers of the lines stay, and so do the headings that the translation has by
    another id, and those of `recorded` sections: these were translated once, and are lost.
    """
    here = {heading.id or heading.anchor for heading in page.headings}
    alone = {one.line for one, other in headings(source.headings, page.headings) if one is not None and other is None}
    lines, ends = list(source.lines), [heading.line - 1 for heading in source.headings[1:]]
    lacking = False
    for heading, end in zip(source.headings, [*ends, len(lines)], strict=True):
        if heading.id and heading.id not in here:
            start = heading.line - (heading.line in alone and heading.id not in recorded)
            lines[start:end] = ["\n"] * (end - start)
            lacking = True
    return "".join(lines) if lacking else ""


# What the function of a rule is, by the rule's scope.
PageCheck = Callable[[RuleContext], Iterator[Violation]]  # page
PairCheck = Callable[[RuleContext], Iterator[Violation]]  # translation: the context has a source
TreeCheck = Callable[[SiteIndex], Iterator[Finding]]
