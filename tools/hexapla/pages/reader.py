"""Read a page as its readers see it: mark it, render it, and read back what became of the marks."""

from collections.abc import Callable
from typing import NamedTuple

from hexapla.pages.blocks import read_blocks
from hexapla.pages.html_reader import read_back
from hexapla.pages.model import Page, Problem
from hexapla.pages.parser import parse_blocks
from hexapla.pages.source_markers import Positions, mark

LIMIT = 2_000_000  # characters of a page that is rendered
OPEN = 200  # brackets that a paragraph may leave open
BRACKETS = str.maketrans("[(", "\ufffd\ufffd")


class Dialect(NamedTuple):
    """How a tree's Markdown becomes HTML. `render` keeps private-use characters; `key` is all that it depends on."""

    name: str
    key: str
    render: Callable[[str], str]


def read(text: str, dialect: Dialect) -> Page:
    """The Page of `text` with every field filled; raises nothing for any text.

    A page that is too large, or that the renderer fails on, comes back as `parse` reads it, with a Problem.
    """
    blocks = read_blocks(text)
    page = parse_blocks(text, blocks)
    lines = [block.line for block in blocks]
    if len(text) > LIMIT:
        message = f"the page has {len(text):,} characters; links and ids are read in pages of up to {LIMIT:,}"
        return unread(page, message, "cut it into several pages")
    marked = mark(text, lines)
    try:
        html = dialect.render(tame(marked.text))
    except Exception as error:  # a renderer is not ours, and no text may stop the pages beside it
        return unread(page, f"{dialect.name} fails on this page: {type(error).__name__}", "simplify what is nested")
    return read_back(page, html, marked, Positions(lines))


def unread(page: Page, message: str, hint: str) -> Page:
    """The page with a Problem in front of those it has."""
    return page._replace(problems=(Problem("page-unreadable", message, hint, 1, 1), *page.problems))


def tame(text: str) -> str:
    """The text without the brackets of paragraphs that open hundreds and close none.

    Python-Markdown takes time with the square of their number, and a page is not trusted.
    """
    if all(text.count(opening) - text.count(closing) < OPEN for opening, closing in ("[]", "()")):
        return text
    return "\n\n".join(
        part
        if all(part.count(opening) - part.count(closing) < OPEN for opening, closing in ("[]", "()"))
        else part.translate(BRACKETS)
        for part in text.split("\n\n")
    )
