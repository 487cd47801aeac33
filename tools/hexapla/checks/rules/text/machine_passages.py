"""The passages of a page that a machine may have written: its blocks and HTML comments, in words."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from hexapla.checks import alignment
from hexapla.checks.memo import memoized
from hexapla.checks.rules.text.machine_lexicon import IGNORED
from hexapla.checks.rules.text.prose import readable, squeezed
from hexapla.pages import Block, Page

LONG = 300  # bytes of a sentence: what machines say of themselves is short
PARAGRAPH, NOTE = "p", "comment"
BRACKETED = re.compile(r"[\[【(（［].*[\]】)）］][.。]?|(?:\.\.\.|…).*", re.S)
LABEL = re.compile(r".{1,80}[:：]", re.S)


class Passage(NamedTuple):
    """A block or an HTML comment: its words between single spaces, and how much its form adds to what it says."""

    block: Block
    words: str
    form: int


@memoized
def passages(page: Page) -> tuple[Passage, ...]:
    """The blocks that are text, then the HTML comments."""
    found = []
    for block in readable(page.blocks):
        form = -2 if block.kind in {"td", "th"} else -1  # machines talk in paragraphs
        if block.kind == PARAGRAPH:
            label = len(block.text.encode()) <= 36 or LABEL.fullmatch(block.text)
            form = bool(label) + bool(BRACKETED.fullmatch(block.text))
        found.append(Passage(block, normalized(block.text), form))
    return (*found, *(Passage(block, normalized(block.text), 0) for block in comments(page)))


def html_comments(text: str) -> Iterator[tuple[int, str]]:
    """Where each HTML comment starts, and what is in it; one that nothing closes is none."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield start, text[start + 4 : end]
        start = text.find("<!--", end + 3)


def comments(page: Page) -> Iterator[Block]:
    """The HTML comments outside code, those for this program left out."""
    line, place = 1, 0
    for start, words in html_comments(page.text):
        line, place = line + page.text.count("\n", place, start), start
        if len(words.encode()) > LONG or words.strip().startswith("hexapla"):
            continue
        fence = bisect_right(page.fences, line, key=lambda one: one.line) - 1
        if fence < 0 or line > (page.fences[fence].end_line or line):
            yield Block(NOTE, " ".join(words.split()), line, 1)


def normalized(text: str) -> str:
    """A text's words in lower case between single spaces, without what misleads."""
    words = f" {squeezed(text)} "
    return words if words.isascii() else IGNORED.sub(" ", words.replace("ё", "е"))


@memoized
def blocks_by_section(page: Page) -> dict[int, list[Block]]:
    """A page's text and comments by the number of their heading."""
    return alignment.by_section(page, (passage.block for passage in passages(page)))
