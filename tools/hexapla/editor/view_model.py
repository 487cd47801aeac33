"""A page as the editor shows it: a row per section of the source, a cell per language, aligned by section ids."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from hexapla.checks.rules.numbers.parsing import find_numbers
from hexapla.pages.blocks import read_blocks
from hexapla.pages.lines import Closes, closes_same
from hexapla.pages.verbatim import find_verbatim, replace_verbatim
from hexapla.section_writer import version_of
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

QUOTED = re.compile(r"""'[^']+'|"[^"]+\"""")
MARK = r"(?:\]\([^()\n]*\)|[*_\[\]\s])*"  # what may stand between two letters that a reader reads one after the other
QUOTED_LETTERS = 20  # of a quotation, which tell its place
TARGET = re.compile(r"\]\(<?(?P<target>[^\s<>()]+)|<(?P<address>https?:[^>]+)>")


class SectionCell(NamedTuple):
    """A section in one language. `version` names the text; saving it names the one that was edited.

    `words` counts what has changed in the source, None where that is not known; `review` is why it needs review.
    """

    language: str
    text: str
    version: str
    line: int
    state: str
    change: str | None = None
    words: int | None = None
    note: str = ""
    review: str = ""
    doubts: tuple[Mapping[str, object], ...] = ()


class SectionRow(NamedTuple):
    """A section in all languages, the source's cell first; `keep` is what a translation has to have as it stands."""

    id: str
    title: str
    level: int
    keep: tuple[str, ...]
    cells: tuple[SectionCell, ...]


def page_rows(tree: TranslationTree, name: str, pages: list[PageStatus]) -> list[SectionRow]:
    """The rows of a page; `pages` are its statuses, one a language. Sections that a translation alone has come last."""
    path = tree.files[tree.layout.source][name]
    made: dict[str, SectionRow] = {}
    for section in tree.sections(name):
        own, span = box_text(tree.source_text(name, section)), section.span
        cell = SectionCell(tree.layout.source, own, version_of(own), span.line, "source")
        keep = kept_pieces(own, tree.layout.source, tree.layout.closes_fence(path))
        made[span.id] = SectionRow(span.id, span.title, span.level, keep, (cell,))
    extra = []
    for page in pages:
        for status in page.sections:
            here = tree.section_text(page.language, page.page, status.here) if status.line else ""
            cell = section_cell(box_text(here), page.language, status)
            if status.state is TranslationState.EXTRA:
                extra.append(SectionRow(status.id, status.title, 1, (), (cell,)))
            else:
                row = made[status.id]
                made[status.id] = row._replace(cells=(*row.cells, cell))
    return [*made.values(), *extra]


def section_cell(text: str, language: str, status: SectionStatus) -> SectionCell:
    """One section of one translation."""
    change = str(status.change) if status.change else None
    review = status.record.review if status.record and status.state is TranslationState.REVIEW else ""
    doubts = tuple({**each.as_data(), **sentence_place(text, each.line - status.line + 1, each.message)}
                   for each in status.doubts)
    return SectionCell(language, text, version_of(text), status.line, str(status.state), change, status.words,
                       status.note, review, doubts)


def sentence_place(text: str, line: int, message: str) -> dict[str, int]:
    """The line and column of a section where the words stand that a doubt quotes, else where its paragraph begins.

    >>> sentence_place("# A\\n\\nOne.\\nSee [the **other**](b.md).", 3, "'See the other.' seems to have no source")
    {'line': 4, 'column': 1}
    """
    paragraph = "\n".join(text.split("\n")[line - 1 :]).partition("\n\n")[0]
    for words in QUOTED.findall(message):
        letters = re.sub(r"\s", "", words[1:-1].rstrip("…"))[:QUOTED_LETTERS]
        if letters and (found := re.search(rf"(?<![0-9A-Za-z]){MARK.join(map(re.escape, letters))}", paragraph)):
            return {"line": line + paragraph.count("\n", 0, found.start()),
                    "column": found.start() - paragraph.rfind("\n", 0, found.start())}
    return {"line": line, "column": 1}


def box_text(text: str) -> str:
    """A section's text as a text box has it: line ends are newlines, none behind the last line."""
    return text.replace("\r\n", "\n").rstrip()


def kept_pieces(text: str, language: str, closes_fence: Closes = closes_same) -> tuple[str, ...]:
    """What a translation of a section keeps as it is: inline code, the targets of links, and numbers, each once."""
    prose = "\n".join(text[start:end] for block in read_blocks(text, closes_fence) for start, end in block.words)
    pieces = [match.group() for match in find_verbatim(prose)]
    codes = [piece for piece in pieces if piece.startswith("`")]
    links = [found["target"] or found["address"] for piece in pieces if (found := TARGET.match(piece))]
    figures = [each.text for each in find_numbers(replace_verbatim(lambda match: " ", prose), language) if each.certain]
    return tuple(dict.fromkeys((*codes, *links, *figures)))
