"""The messages of a page: each paragraph, list item, table cell and heading, with where it stands.

Nothing else of the page is touched: a message is put back at its place, so a page whose messages come back as they
went out is the same byte for byte.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from hexapla.languages import UNSPACED
from hexapla.pages.blocks import (
    FRONT_MATTER,
    HEADING,
    ITEM,
    PARAGRAPH,
    ROW,
    TITLE,
    SourceBlock,
    is_written,
    read_blocks,
)
from hexapla.pages.invisible import HIDDEN
from hexapla.pages.lines import Closes, closes_same
from hexapla.pages.verbatim import replace_verbatim
from hexapla.translation.sections.sections import section_spans

NOT_QUOTE = re.compile(r"[^ \t>]")
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
MessageKey = tuple[str, str, int]  # section, text, number among equal ones of the section
CLOSING = "」』）】”’\"')"
# A quotation that ends with a full stop may stand inside a sentence; one in brackets is a sentence of its own.
SENTENCE_END = re.compile(rf"[。！？]）?(?![{CLOSING}])(?P<none>)|[.!?][{CLOSING}]*(?P<space>\s)")
OPENING = re.compile(r"[^\W\d_]|[「『“（(\[`]|[*_]{1,2}[^\s*_]")  # what a sentence may start a line with
BRACKETS = {"(": 1, "（": 1, ")": -1, "）": -1}
UNCASED = re.compile(r"[a-z]")
IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\))?")
MARKUP = re.compile(r"[*\[\]]|\{[^{}]*\}|(?<!\w)_|_(?!\w)")
LONGEST = 20_000  # characters of a text that is read: no paragraph is longer


class Kind(StrEnum):
    """What a message is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "list item"
    CELL = "table cell"
    TITLE = "title"
    META = "front matter"


class Segment(NamedTuple):
    """A message: `text` on one line (but for hard line breaks), from `start` to `end` of the page's text.

    `section` is the id of the section it stands in, `number` tells equal messages of a section apart, from 1;
    `indent` stands before each further line of it.
    """

    kind: Kind
    text: str
    start: int
    end: int
    line: int
    section: str
    number: int
    indent: str

    @property
    def key(self) -> MessageKey:
        """What tells it apart from the page's other messages."""
        return self.section, self.text, self.number

    @property
    def said(self) -> str:
        """What a reader reads of it, with its inline code."""
        text = IMAGE.sub("", self.text[:LONGEST])
        code_alone = replace_verbatim(lambda match: match[0] if match[0].startswith("`") else "", text)
        return MARKUP.sub("", code_alone).strip()


KINDS = {
    HEADING: Kind.HEADING, PARAGRAPH: Kind.PARAGRAPH, ITEM: Kind.ITEM, ROW: Kind.CELL, TITLE: Kind.TITLE,
    FRONT_MATTER: Kind.META,
}


def find_units(text: str, closes_fence: Closes = closes_same) -> tuple[Segment, ...]:
    """The messages of a page that are sent out, in order: those with a word in them, and nothing that nobody sees."""
    return tuple(filter(is_for_translators, all_segments(text, closes_fence)))


def is_for_translators(unit: Segment) -> bool:
    """Whether a message is one for translators."""
    return is_written(unit.text) and not HIDDEN.search(unit.text)


def all_segments(text: str, closes_fence: Closes = closes_same) -> tuple[Segment, ...]:
    """All messages of a page, those without a word too: what `...` is in one language has a word in another."""
    blocks = read_blocks(text, closes_fence)
    sections = section_spans(text, blocks)
    found: list[Segment] = []
    seen: dict[tuple[str, str], int] = {}
    at = 0
    for run in word_runs(blocks):
        first = run[0]
        for start, last in first.words:
            message = join_lines(text, run) if len(run) > 1 else text[start:last].strip()
            end = run[-1].words[-1][1] if len(run) > 1 else last
            while at + 1 < len(sections) and sections[at + 1].start <= start:
                at += 1
            section = sections[at].id if sections else ""
            seen[section, message] = number = seen.get((section, message), 0) + 1
            indent = NOT_QUOTE.sub(" ", first.prefix) if first.kind in {PARAGRAPH, ITEM} else ""
            found.append(Segment(KINDS[first.kind], message, start, end, first.line.number, section, number, indent))
    return tuple(found)


def by_section(segments: Iterable[Segment]) -> defaultdict[str, list[Segment]]:
    """Messages by the section that they stand in."""
    found: defaultdict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        found[segment.section].append(segment)
    return found


def word_runs(blocks: Iterable[SourceBlock]) -> Iterator[list[SourceBlock]]:
    """The blocks that hold words: the lines of a paragraph or an item together, each of the others alone."""
    run: list[SourceBlock] = []
    for block in blocks:
        if run and not block.continues:
            yield run
            run = []
        if block.words:
            run.append(block)
    if run:
        yield run


def join_lines(text: str, run: Sequence[SourceBlock]) -> str:
    """The words of a message on one line; a hard line break stays one."""
    found = hard = ""
    for block in run:
        [(start, end)] = block.words
        if not (raw := text[start:end].strip()):  # a line separator alone
            continue
        space = "" if UNSPACED_CHARACTER.match(found[-1:]) and UNSPACED_CHARACTER.match(raw) else " "
        found = f"{found}{hard or space}{raw}" if found else raw
        breaks = block.kind in {PARAGRAPH, ITEM} and block.line.text.rstrip("\r\n").endswith("  ")
        hard = "  \n" if breaks else "\n" if raw.endswith("\\") else ""
    return found


def put_messages(text: str, new: Mapping[int, str], found: Sequence[Segment]) -> str:
    """The page with messages replaced, by their index in `found`, laid out a line a sentence where the page is."""
    flowing = {Kind.PARAGRAPH, Kind.ITEM}
    by_sentence = breaks_at_sentences(text[unit.start : unit.end] for unit in found if unit.kind in flowing)
    out, position = [], 0
    for index, unit in enumerate(found):
        words = new.get(index, unit.text)
        if words == unit.text:
            continue
        if by_sentence and unit.kind in flowing and "\n" not in words:
            words = "\n".join(split_sentences(words))
        out += [text[position : unit.start], words.replace("\n", f"\n{unit.indent}")]
        position = unit.end
    return "".join([*out, text[position:]])


def split_sentences(text: str) -> list[str]:
    """The sentences of a message, to stand on a line each, where reading the page back joins the lines as they were."""
    blank = replace_verbatim(lambda match: "x" * len(match.group()), text)
    parts, start, seen, depth = [], 0, 0, 0
    for match in SENTENCE_END.finditer(blank):
        spaced, after = match["space"] is not None, match.end()
        end = match.start("space") if spaced else after
        depth += sum(BRACKETS.get(character, 0) for character in blank[seen:end])
        seen = end
        joined = UNCASED.match(text, after) if spaced else text[after : after + 1].isascii()
        if depth <= 0 and not joined and OPENING.match(text, after):
            parts.append(text[start:end])
            start, depth = after, 0
    return [*parts, text[start:]]


def breaks_at_sentences(texts: Iterable[str]) -> bool:
    """Whether a page has a line a sentence; `texts` are its paragraphs and items as they stand."""
    broken = kept = 0
    for text in texts:
        for match in SENTENCE_END.finditer(text.rstrip()):
            rest = text[match.end("none") if match["space"] is None else match.start("space") :]
            if rest.startswith(("\n", "\r\n")):
                broken += 1
            elif rest.strip():
                kept += 1
    return broken > kept
