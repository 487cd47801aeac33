"""Where a defect can be put: the parts of a page's Markdown, found without the checks' own help."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hexapla.checks.context import RuleContext
from hexapla.pages import Block, Fence, Heading, Page
from hexapla.pages.dialects import Dialect
from hexapla.pages.lines import LineKind, read


@dataclass(frozen=True, slots=True)
class Spot:
    """A translated page that is to get one defect."""

    case: RuleContext
    rng: random.Random
    dialect: Dialect

    @property
    def page(self) -> Page:
        """The page."""
        return self.case.page

    @property
    def source(self) -> Page:
        """The page it was translated from."""
        return self.case.original

    @property
    def language(self) -> str:
        """The page's language."""
        return self.case.document.language

    @property
    def lines(self) -> list[str]:
        """The page's lines with their endings."""
        return self.page.text.splitlines(keepends=True)


@dataclass(frozen=True, slots=True)
class Seed:
    """The page's text with one defect on a line; `what` says in two words what was done."""

    text: str
    line: int
    what: str


T = TypeVar("T")
Seeder = Callable[[Spot], Seed | None]


@dataclass(frozen=True, slots=True)
class Run:
    """Lines `first` to `last` of a page: a paragraph or an item, its text without the marker before it."""

    first: int
    last: int
    text: str
    marker: str


ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,2}[.)])[ \t]+")
NOT_TEXT = re.compile(r"[ \t]*(?:[#|<!:>/{=\[]|---|\d+[.)]|[-*+][ \t]|\{)")


def runs(page: Page, items: bool = True) -> list[Run]:
    """The paragraphs, and the items of one line, of a page."""
    found: list[Run] = []
    current: list[tuple[int, str]] = []

    def close() -> None:
        if current and not NOT_TEXT.match(current[0][1]) and not current[0][1].startswith((" ", "\t")):
            found.append(Run(current[0][0], current[-1][0], "".join(text for _, text in current).rstrip("\n"), ""))
        elif items and len(current) >= 1:
            for place, (number, text) in enumerate(current):
                marker = ITEM.match(text)
                last = place + 1 == len(current) or ITEM.match(current[place + 1][1])
                if marker and last:
                    found.append(Run(number, number, text[marker.end() :].rstrip("\n"), marker[0]))
        current.clear()

    for line in read(page.text):
        if line.kind is LineKind.PROSE and line.text.strip():
            current.append((line.number, line.text))
        else:
            close()
    close()
    return found


def replaced(spot: Spot, run: Run, text: str, what: str) -> Seed:
    """The page with a run's text replaced."""
    lines = spot.lines
    lines[run.first - 1 : run.last] = [f"{run.marker}{text}\n"]
    return Seed("".join(lines), run.first, what)


def at(spot: Spot, line: int, text: str, what: str) -> Seed:
    """The page with one line replaced; an empty text takes the line out."""
    lines = spot.lines
    lines[line - 1] = text
    return Seed("".join(lines), line, what)


def choose(spot: Spot, things: list[T]) -> T | None:
    """One of the things, None where there is none."""
    return spot.rng.choice(things) if things else None


NOT_PROSE = re.compile(r"`+[^`]*`+|\]\([^)]*\)|<[^<>]*>|https?://\S+|\{[^{}]*\}|\$[^$]*\$")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where inline code, link targets and HTML stand in a text: what a defect of prose must not touch."""
    return [match.span() for match in NOT_PROSE.finditer(text)]


def outside(text: str, start: int, end: int) -> bool:
    """Whether a stretch of a text touches none of these."""
    return all(end <= a or start >= b for a, b in code_spans(text))


def twins(spot: Spot) -> list[tuple[Run, Block]]:
    """The runs of the page with the source's blocks that stand at the same place, where both pages have one shape."""
    mine = {(block.line): number for number, block in enumerate(spot.page.blocks)}
    if [block.kind for block in spot.page.blocks] != [block.kind for block in spot.source.blocks]:
        return []
    return [(run, spot.source.blocks[mine[run.first]]) for run in runs(spot.page) if run.first in mine]


def atx(spot: Spot) -> list[tuple[Heading, Heading]]:
    """The headings written with #, each with the source's, where both pages have as many."""
    if len(spot.page.headings) != len(spot.source.headings):
        return []
    return [(mine, other) for mine, other in zip(spot.page.headings, spot.source.headings, strict=True)
            if spot.lines[mine.line - 1].lstrip().startswith("#")]


def closed(page: Page) -> list[Fence]:
    """The code blocks that are closed and hold something."""
    return [fence for fence in page.fences if fence.end_line and fence.content.strip()]
