"""Read a page as its readers see it: mark it, render it, and read back what became of the marks."""

from collections.abc import Callable
from dataclasses import dataclass

from hexapla.pages.lines import read as read_lines
from hexapla.pages.marks import Positions, mark
from hexapla.pages.parse import parse_lines
from hexapla.pages.readback import read_back
from hexapla.pages.records import Page


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a tree's Markdown becomes HTML. `render` keeps private-use characters; `key` names all that it depends on."""

    name: str
    render: Callable[[str], str]
    key: str


def read(text: str, dialect: Dialect) -> Page:
    """The Page of `text` with every field filled; raises nothing for any text."""
    lines = list(read_lines(text))
    page = parse_lines(text, lines)
    marked = mark(text, lines)
    return read_back(page, dialect.render(marked.text), marked, Positions(lines))
