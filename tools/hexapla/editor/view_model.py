"""One page on the desk: a row a section of the source, a cell a language, aligned by the sections' ids."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from hexapla.checks.rules.numbers.parsing import numbers
from hexapla.pages import Page
from hexapla.pages.spans import spans
from hexapla.translation.sections import SectionSpan
from hexapla.translation.status import PageStanding, Standing, State
from hexapla.translation.translation_tree import Tree

ITEM = re.compile(r"^[ \t>]*\d+[.)](?=[ \t])", re.M)  # of a list: its number is not the text's


@dataclass(frozen=True, slots=True)
class Cell:
    """A section in one language. `version` names the text; saving it names the one that was edited.

    `words` counts what has changed in the source since, None where that is not known.
    """

    language: str
    text: str
    version: str
    line: int
    state: str
    change: str | None = None
    words: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A section in all languages, the source's cell first; `keep` is what a translation has to have as it stands."""

    id: str
    title: str
    level: int
    keep: tuple[str, ...]
    cells: tuple[Cell, ...]


def version(text: str) -> str:
    """A text's name by its content, line ends apart."""
    packed = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    return blake2b(packed, digest_size=8).hexdigest()


def rows(tree: Tree, name: str, pages: list[PageStanding], source: Page) -> list[Row]:
    """The rows of a page; `pages` are its standings, one a language, `source` is the source's page, rendered.

    Sections that a translation alone has come last.
    """
    text = source.text
    made = []
    for section in tree.source[name]:
        span = section.span
        cells = [Cell(tree.layout.source, part(text, span), version(part(text, span)), span.line, "source")]
        cells += [cell(tree, page, standing) for page in pages for standing in page.sections if standing.id == span.id]
        made.append(Row(span.id, span.title, span.level, keep(source, span, tree.layout.source), tuple(cells)))
    for page in pages:
        for standing in page.sections:
            if standing.state is State.EXTRA:
                made.append(Row(standing.id, standing.title, 1, (), (cell(tree, page, standing),)))
    return made


def cell(tree: Tree, page: PageStanding, standing: Standing) -> Cell:
    """One section of one translation."""
    span = find(tree, page.language, page.page, standing.here) if standing.here or standing.line else None
    text = part(tree.text(page.path), span) if span else ""
    change = str(standing.change) if standing.change else None
    return Cell(
        page.language, text, version(text), standing.line, str(standing.state), change, standing.words, standing.note
    )


def find(tree: Tree, language: str, name: str, section: str) -> SectionSpan | None:
    """Where a section of a translation stands."""
    return next((span for span in tree.spans(language, name) or () if span.id == section), None)


def part(text: str, span: SectionSpan) -> str:
    """A section's text as a text box has it: line ends are newlines, none behind the last line."""
    return text[span.start : span.end].replace("\r\n", "\n").rstrip()


def keep(source: Page, span: SectionSpan, language: str) -> tuple[str, ...]:
    """What a translation leaves as it is: inline code, the targets of links, and numbers, each once."""
    last = span.line + source.text[span.start : span.end].count("\n")
    codes = [f"`{code.text}`" for code in source.codes if span.line <= code.line < last]
    links = [link.written for link in source.links if link.written and span.line <= link.line < last]
    prose = "".join(piece.text for piece in spans(source.text[span.start : span.end]) if piece.prose)
    figures = [each.text for each in numbers(ITEM.sub("", prose), language) if each.certain]
    return tuple(dict.fromkeys((*codes, *links, *figures)))
