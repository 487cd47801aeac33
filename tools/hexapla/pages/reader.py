"""Read a page as its readers see it: mark it, render it, and read back what became of the marks."""

import re
from collections.abc import Iterable

from hexapla.pages.blocks import HEADING, ITEM, PARAGRAPH, SourceBlock, read_blocks
from hexapla.pages.dialects import Dialect
from hexapla.pages.html_reader import read_back
from hexapla.pages.lines import closes_mdx, mdx_of
from hexapla.pages.mdx import add_attributes
from hexapla.pages.model import Page, Problem
from hexapla.pages.parser import parse_blocks
from hexapla.pages.source_markers import Positions, mark_source

LIMIT = 800_000  # characters of a page that is rendered: some ten seconds
OPEN = 200  # brackets that a paragraph may leave open, tags that a page may
BRACKETS = str.maketrans("[(", "\ufffd\ufffd")
UNCLOSED_TAG = re.compile(r"<(?=[A-Za-z/!?][^<>]*(?:<|\Z))")
# Python-Markdown takes such lines one by one, and each time searches all that is left up to the next empty line.
STARTS = r"(?:-{3}|\*{3}|_{3}|\*\[|\[|!!!|\?\?\?|===|///|#)"
UNDERLINE = r"[-=]+[ \t]*$"
START = re.compile(rf"^(?:{STARTS}|{UNDERLINE})", re.M)
BETWEEN_STARTS = re.compile(rf"^(?:(?:{STARTS}| {{4}}).*\n(?={STARTS})|{UNDERLINE}\n(?=\S))", re.M)
SEARCHED = 10_000_000  # characters times such lines: some tenths of a second
# And for each piece of inline markup it copies the paragraph.
MARKUP = re.compile(r"[`*_\[<\\~^=+&]+")
FLOWING = {HEADING, ITEM, PARAGRAPH}
LONG = 4_000  # characters of a paragraph whose markup is counted
COPIED = 200_000_000  # characters times pieces: about a second
# Each of these may be the end of each one before it.
DELIMITER = re.compile(r"\^+|~+|={2}|\+{2}")
PAIRED = 1_000  # such marks in a paragraph: about a second


def read(text: str, dialect: Dialect) -> Page:
    """The Page of `text` with every field filled; raises nothing for any text.

    A page that is too large, or that the renderer fails on, comes back as `parse` reads it, with a Problem.
    """
    blocks = read_blocks(text, dialect.closes_fence)
    page = parse_blocks(text, blocks, dialect.closes_fence)
    lines = [block.line for block in blocks]
    positions = Positions(lines)
    mdx = mdx_of(text) if dialect.closes_fence is closes_mdx else None
    if mdx and mdx.error:
        line, column = positions.at(mdx.place)
        return add_problem(page, f"the page is not MDX: {mdx.error}", "correct it as MDX wants it", line, column)
    if len(text) > LIMIT:
        message = f"the page has {len(text):,} characters; links and ids are read in pages of up to {LIMIT:,}"
        return add_problem(page, message, "cut it into several pages")
    if line := crowded_paragraph(blocks):
        message = f"the paragraph on line {line} has too many pieces of inline markup to be read in reasonable time"
        return add_problem(page, message, "cut it into several paragraphs", line)
    # A mark between a tag and `**` would be a letter where CommonMark looks for what stands beside those.
    starts = [place for place in mdx.text_starts if text[place : place + 1] not in "*_~"] if mdx else ()
    marked = mark_source(text, lines, starts)
    try:
        html = dialect.render(tame_text(marked.text))
    except Exception as error:  # a renderer is not ours, and no text may stop the pages beside it
        said = f"{dialect.name} fails on this page: {type(error).__name__}"
        return add_problem(page, said, "simplify what is nested")
    found = read_back(page, html, marked, positions)
    return add_attributes(found, mdx, positions) if mdx else found


def add_problem(page: Page, message: str, hint: str, line: int = 1, column: int = 1) -> Page:
    """The page with a Problem in front of those it has."""
    return page._replace(problems=(Problem("page-unreadable", message, hint, line, column), *page.problems))


def crowded_paragraph(blocks: Iterable[SourceBlock]) -> int:
    """The first line of a paragraph with more inline markup than can be rendered in time, 0 where there is none."""
    first = length = pieces = delimiters = 0
    for block in blocks:
        if not block.continues:
            first, length, pieces, delimiters = block.line.number, 0, 0, 0
        if block.kind in FLOWING:
            length += len(block.line.text)
            if length > LONG:
                pieces += len(MARKUP.findall(block.line.text))
                delimiters += len(DELIMITER.findall(block.line.text))
            if length * pieces > COPIED or delimiters > PAIRED:
                return first
    return 0


def tame_text(text: str) -> str:
    """The text without what Python-Markdown takes the square of its length for; a page is not trusted.

    Brackets go out of paragraphs that open hundreds and close none, and so do tags that nothing closes. Lines of a long
    run that each start a block get the empty line between them that they can do without.
    """
    if text.count("<") - text.count(">") >= OPEN:
        text = UNCLOSED_TAG.sub("\ufffd", text)
    if not leaves_open(text) and len(START.findall(text)) * len(text) <= SEARCHED:
        return text
    return "\n\n".join(map(tame_part, text.split("\n\n")))


def tame_part(part: str) -> str:
    """The lines between two empty ones without what Python-Markdown takes the square of its length for."""
    if leaves_open(part):
        part = part.translate(BRACKETS)
    return BETWEEN_STARTS.sub(r"\g<0>\n", part) if len(START.findall(part)) * len(part) > SEARCHED else part


def leaves_open(text: str) -> bool:
    """Whether a text opens many more brackets than it closes."""
    return any(text.count(opening) - text.count(closing) >= OPEN for opening, closing in ("[]", "()"))
