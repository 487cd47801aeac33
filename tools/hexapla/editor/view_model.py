"""A page as the editor shows it: a row per section of the source, a cell per language, aligned by section ids."""

import re
from hashlib import blake2b
from typing import NamedTuple

from hexapla.checks.rules.numbers.parsing import numbers
from hexapla.pages import Page
from hexapla.pages.spans import spans
from hexapla.translation.sections import SectionSpan
from hexapla.translation.status import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

ITEM = re.compile(r"^[ \t>]*\d+[.)](?=[ \t])", re.M)  # of a list: its number is not the text's


class SectionCell(NamedTuple):
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


class SectionRow(NamedTuple):
    """A section in all languages, the source's cell first; `keep` is what a translation has to have as it stands."""

    id: str
    title: str
    level: int
    keep: tuple[str, ...]
    cells: tuple[SectionCell, ...]


def version_of(text: str) -> str:
    """A digest of a text, the same for either kind of line ends."""
    packed = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    return blake2b(packed, digest_size=8).hexdigest()


def page_rows(tree: TranslationTree, name: str, pages: list[PageStatus], source: Page) -> list[SectionRow]:
    """The rows of a page; `pages` are its statuses, one a language, `source` is the source's page, rendered.

    Sections that a translation alone has come last.
    """
    text = source.text
    made = []
    for section in tree.sections(name):
        span = section.span
        own = section_text(text, span)
        cells = [SectionCell(tree.layout.source, own, version_of(own), span.line, "source")]
        cells += [section_cell(tree, page, each) for page in pages for each in page.sections if each.id == span.id]
        keep = kept_pieces(source, span, tree.layout.source)
        made.append(SectionRow(span.id, span.title, span.level, keep, tuple(cells)))
    for page in pages:
        for status in page.sections:
            if status.state is TranslationState.EXTRA:
                made.append(SectionRow(status.id, status.title, 1, (), (section_cell(tree, page, status),)))
    return made


def section_cell(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> SectionCell:
    """One section of one translation."""
    span = tree.spans(page.language, page.page).get(status.here) if status.line else None
    text = section_text(tree.text(page.path), span) if span else ""
    change = str(status.change) if status.change else None
    return SectionCell(
        page.language, text, version_of(text), status.line, str(status.state), change, status.words, status.note
    )


def section_text(text: str, span: SectionSpan) -> str:
    """A section's text as a text box has it: line ends are newlines, none behind the last line."""
    return text[span.start : span.end].replace("\r\n", "\n").rstrip()


def kept_pieces(source: Page, span: SectionSpan, language: str) -> tuple[str, ...]:
    """What a translation keeps as it is: inline code, the targets of links, and numbers, each once."""
    last = span.line + source.text[span.start : span.end].count("\n")
    codes = [f"`{code.text}`" for code in source.codes if span.line <= code.line < last]
    links = [link.written for link in source.links if link.written and span.line <= link.line < last]
    prose = "".join(piece.text for piece in spans(source.text[span.start : span.end]) if piece.prose)
    figures = [each.text for each in numbers(ITEM.sub("", prose), language) if each.certain]
    return tuple(dict.fromkeys((*codes, *links, *figures)))
