"""What a rule is given and what it gives back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hexapla.parsed import Parsed

if TYPE_CHECKING:  # a report on a built site needs no page
    from hexapla.pages import Page


class Document(NamedTuple):
    """A page of one language. `name` is the same in every language: the path below the language's folder, no suffix."""

    name: str
    language: str
    path: str
    page: "Page"


class Fix(NamedTuple):
    """Replace the characters `start` to `end` of the page's text by `text`."""

    start: int
    end: int
    text: str


class Violation(NamedTuple):
    """What a rule yields: its id, what, what to do, where, and where in the source.

    `key` tells the same defect in two pages apart from another one: a translation's finding is `inherited` where its
    source has one with the same rule and key. It is the message where a rule gives none.
    """

    rule: str
    message: str
    hint: str
    line: int
    column: int = 1
    source_line: int | None = None
    key: str = ""
    fix: Fix | None = None


class Term(Protocol):
    """A glossary entry, by language code: its rendering, others that are right too, and wrong ones.

    `keep` leaves the English word.
    """

    @property
    def term(self) -> str: ...
    @property
    def keep(self) -> bool: ...
    @property
    def renderings(self) -> Mapping[str, str]: ...
    @property
    def also(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def forbidden(self) -> Mapping[str, tuple[str, ...]]: ...


# The terms of the project at a root, or of the one that we stand in.
OwnTerms = Callable[[Path | None, Parsed], Iterable[Term]]


class Garbled(Protocol):
    """Whether a text is mojibake: the reason in words, or None."""

    def __call__(self, text: str, /) -> str | None: ...


class Settings(NamedTuple):
    """What rules need beyond the pages; the seams that other rooms fill.

    `snippet` gives the text of an included file or raises OSError or ValueError, `traditional` converts Simplified to
    Traditional Chinese, `garbled` is the mojibake room's gate; a rule whose seam is None finds nothing.
    `pin` stands before and after an id that is written out on a heading.
    """

    terms: tuple[Term, ...] = ()
    snippet: Callable[[str], str] | None = None
    garbled: Garbled | None = None
    traditional: Callable[[str], str] | None = None
    pin: tuple[str, str] = (" {#", "}")


class Target(NamedTuple):
    """Where a link leads: `name` is the page's, or the path of a file that is no page; `path` is "" for nowhere."""

    name: str
    anchor: str
    path: str
    exists: bool


class Ids(Protocol):
    """The ids of a page; `headings` are those of its headings in order, `open` says that there may be others."""

    @property
    def headings(self) -> tuple[str, ...]: ...
    @property
    def open(self) -> bool: ...
    def __contains__(self, anchor: str, /) -> bool: ...


class Tree(Protocol):
    """The pages around the one that is checked; paths are relative to the root."""

    def resolve(self, path: str, language: str, target: str) -> Target | None:
        """Where `target` leads from the page at `path`, None where it leaves the tree or cannot be known."""
        ...

    def ids(self, path: str) -> Ids | None:
        """The ids of the page at `path`, None where it is no page."""
        ...

    def translated(self, name: str) -> bool:
        """Whether a language other than the source's has the page of that name."""
        ...

    def source_ids(self, name: str) -> Ids | None:
        """The ids of the source's page of that name, None where there is none."""
        ...

    def includes_files(self) -> bool:
        """Whether `{* path *}` and `{! path !}` show a file here."""
        ...

    def has_included(self, path: str) -> bool:
        """Whether the file is there that such a directive names."""
        ...


class RuleContext(NamedTuple):
    """One page to check; `source` is the page it was translated from, None for a source page itself."""

    document: Document
    source: Document | None
    tree: Tree
    settings: Settings

    @property
    def page(self) -> "Page":
        """The page that is checked."""
        return self.document.page

    @property
    def original(self) -> "Page":
        """The source's page; asked for only by rules that compare."""
        if self.source is None:
            raise LookupError(f"{self.document.path} has no source")
        return self.source.page


Check = Callable[[RuleContext], Iterator[Violation]]
