"""The block model of a page's source: each line's kind, with the offsets of the words that a reader sees in it.

Sections, segments of PO and XLIFF, prose spans and the words of a section are views on it, so that none of them can
disagree with another about what a heading, a title, a list item or a table cell is. A paragraph of several lines is
several blocks, of which all but the first continue the one before.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby, zip_longest
from operator import attrgetter
from typing import NamedTuple

from hexapla.pages.lines import (
    COMMENT,
    FENCE_MARK,
    FENCED,
    FRONT,
    MARKUP,
    PROSE,
    Closes,
    Line,
    LineKind,
    closes_mdx,
    closes_same,
    mdx_of,
    read,
    read_once,
)
from hexapla.pages.verbatim import replace_verbatim


class BlockKind(Enum):
    """What a line of a page is."""

    FRONT_MATTER = "front matter"
    BLANK = "no text, quotation marks aside"
    HEADING = "ATX heading, or the text of a Setext heading"
    UNDERLINE = "the line below the text of a Setext heading"
    PARAGRAPH = "a line of a paragraph, in whatever contains it"
    ITEM = "the first line of a list item, a definition or a footnote"
    ROW = "row of a table"
    DELIMITER = "the line of dashes in a table"
    TITLE = "the title of a call-out, a tab or a folded part, attributes that readers see"
    DIRECTIVE = "an include, a call-out without a title, a shortcode, a link reference"
    RULE = "a line across the page"
    HTML = "HTML without a word, imports and tags of MDX"
    COMMENT = "HTML comment"
    FENCE_MARK = "the line that opens or closes a fence"
    FENCED = "inside a fence"
    CODE = "indented code"

    __hash__ = object.__hash__  # as in LineKind


# As in lines: a member looked up in its class costs ten times a name.
(FRONT_MATTER, BLANK, HEADING, UNDERLINE, PARAGRAPH, ITEM, ROW, DELIMITER, TITLE, DIRECTIVE, RULE, HTML, _COMMENT,
 _FENCE_MARK, _FENCED, _CODE) = BlockKind
NOT_PROSE = {
    COMMENT: BlockKind.COMMENT, FENCE_MARK: BlockKind.FENCE_MARK, FENCED: BlockKind.FENCED,
    LineKind.CODE: BlockKind.CODE, MARKUP: BlockKind.HTML,
}
Extent = tuple[int, int]  # first and last + 1 of some characters of the page's text


class SourceBlock(NamedTuple):
    """A line of a page and what it is; the texts of all blocks joined are the page's.

    `start` is the line's offset in the page's text. `words` has the extents of what a reader sees, in the page's text:
    one for a heading, a title, an item, a line of a paragraph or a value of the front matter, one for each cell of a
    row or attribute of a tag, none for what holds no words. `prefix` is what stands in the line before the words,
    `suffix` what comes after the text of a heading: its attribute list or id. `level` is 0 but for headings.
    `continues` says that a line belongs to the paragraph or item of the block before.
    """

    kind: BlockKind
    line: Line
    start: int
    words: tuple[Extent, ...] = ()
    prefix: str = ""
    suffix: str = ""
    level: int = 0
    continues: bool = False


SHOWN_META = re.compile(r"(?P<key>(?:title|nav_title|part_title|description)[ \t]*:)(?P<value>.*)$", re.S)
ATX = re.compile(r"[ \t]*(?P<marks>#{1,6})(?:[ \t]*(?=[^#\s])|[ \t]+(?=#+[ \t]*[^#\s]))")
UNDERLINES = re.compile(r"(?:=+|-+)[ \t]*$")
DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
BRACKETED_ID = re.compile(r"(?<![ \t])[ \t]*\[\[(?P<id>[^\[\]\s]+)\]\][ \t]*$")  # doc-builder's way to write an id
QUOTE = re.compile(r"[ \t>]*")
MARKER = re.compile(
    r"[ \t>]*(?:(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?|:[ \t]+|\[\^[^\]\s]+\]:[ \t]*)"
)
TITLED = re.compile(
    r"""[ \t>]*(?:(?:!!!|\?\?\?\+?|===[!+]?)[^"\n]*"(?P<quoted>[^"\n]*)"|/{3,}+[^|\n]*\|[ \t]*(?P<bar>.*))"""
)
RULES = re.compile(r"[ \t>]*(?:[-*_=][ \t]*){3,}$")
OPENS = re.compile(r"[ \t>]*(?:!!!|\?\?\?|===|/{3,}|:::|%%|\[\[|\{[*!%{]|\[[^\]\n^][^\]\n]*\]:|>?[ \t]*\[![A-Za-z]+\])")
CELL = re.compile(r"(?:\\.|`+[^`]*`+|[^|\\`]|`)+")
INCLUDE = "8<-"
WRITTEN = re.compile(r"[^\W\d_]")


def read_blocks(text: str, closes_fence: Closes = closes_same) -> list[SourceBlock]:
    """The blocks of a page, one a line; what closes a fence is a matter of the dialect."""
    blocks = list(classify_lines(list(read_once(text) if closes_fence is closes_same else read(text, closes_fence))))
    if closes_fence is closes_mdx:
        title_tags(blocks, mdx_of(text).shown)
    return blocks


def title_tags(blocks: list[SourceBlock], shown: Sequence[Extent]) -> None:
    """Make titles of the lines of tags in which attributes stand that a reader sees."""
    for block, extents in groupby(shown, lambda extent: bisect_right(blocks, extent[0], key=attrgetter("start")) - 1):
        start, text = blocks[block].start, blocks[block].line.text
        words = tuple((first, last) for first, last in extents if first < last <= start + len(text.rstrip("\r\n")))
        if words:
            blocks[block] = blocks[block]._replace(kind=TITLE, words=words, prefix=text[: words[0][0] - start])


def classify_lines(lines: Sequence[Line]) -> Iterator[SourceBlock]:
    """The blocks of lines already read."""
    start, table = 0, False  # the offset of a line; whether it is in a table
    previous: SourceBlock | None = None
    for line, following in zip_longest(lines, lines[1:]):
        bars = line.kind is PROSE and "|" in line.text
        table = bars and (table or (following is not None and is_delimiter(following)))
        if line.kind is FRONT:
            block = front_matter(line, start)
        elif line.kind is not PROSE:
            block = SourceBlock(NOT_PROSE[line.kind], line, start)
        else:
            block = read_prose(line, start, following, table, previous)
        yield block
        previous = block
        start += len(line.text)


def read_prose(
    line: Line, start: int, following: Line | None, in_table: bool, previous: SourceBlock | None
) -> SourceBlock:
    """The block of a line that is no code and no comment."""
    body = line.text.rstrip("\r\n")
    if not body.strip(" \t>"):
        return SourceBlock(BLANK, line, start)
    if "#" in body and (match := ATX.match(body)):
        text = body[match.end() :].rstrip(" \t").rstrip("#").rstrip(" \t")
        return read_heading(line, start, match.end(), text, len(match["marks"]))
    if previous and previous.kind is HEADING and "#" not in previous.prefix:
        return SourceBlock(UNDERLINE, line, start)
    if following and following.text[0] in "=-" and is_underlined(body, following, previous):
        level = 1 if following.text[0] == "=" else 2
        return read_heading(line, start, len(body) - len(body.lstrip()), body.strip(), level)
    if INCLUDE in body:
        return SourceBlock(DIRECTIVE, line, start)
    if in_table:
        return read_row(line, start, body)
    continues = previous is not None and (previous.kind is PARAGRAPH or previous.kind is ITEM)
    if not body[0].isalpha() and (special := unlike_prose(line, start, body, continues)):
        return special
    marker = MARKER.match(body)
    prefix = marker or QUOTE.match(body)
    first = prefix.end() if prefix else 0
    words = ((start + first, start + len(body.rstrip(" \t"))),)
    return SourceBlock(ITEM if marker else PARAGRAPH, line, start, words, body[:first], "", 0, continues and not marker)


def unlike_prose(line: Line, start: int, body: str, continues: bool) -> SourceBlock | None:
    """A line that is neither an item nor of a paragraph, as its first characters say; None for one that is."""
    if continues and UNDERLINES.match(body):
        return SourceBlock(RULE, line, start)
    if titled := TITLED.match(body):
        group = "quoted" if titled["quoted"] is not None else "bar"
        first, last = titled.start(group), titled.start(group) + len(titled[group].rstrip(" \t"))
        last = last if group == "bar" else titled.end(group)
        return SourceBlock(TITLE, line, start, ((start + first, start + last),), body[:first])
    if RULES.match(body):
        return SourceBlock(RULE, line, start)
    if OPENS.match(body):
        return SourceBlock(DIRECTIVE, line, start)
    if body.lstrip(" \t>").startswith("<") and not is_written(body):
        return SourceBlock(HTML, line, start)
    return None


def front_matter(line: Line, start: int) -> SourceBlock:
    """A line of the front matter; the value that a reader sees, without its quotation marks, is words."""
    shown = SHOWN_META.match(line.text)
    if not shown:
        return SourceBlock(FRONT_MATTER, line, start)
    value = shown["value"].strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    first = shown.start("value") + shown["value"].find(value) + quoted
    last = first + len(value) - 2 * quoted
    return SourceBlock(FRONT_MATTER, line, start, ((start + first, start + last),), line.text[:first])


def read_heading(line: Line, start: int, first: int, text: str, level: int) -> SourceBlock:
    """A heading, its attribute list `{#id .class}` or its id taken off its text, with the white space before it."""
    opening, last = text.rfind("{"), len(text)
    if opening >= 0 and text.endswith("}") and "}" not in text[opening:-1]:
        last = len(text[:opening].rstrip(" \t"))
    elif text.endswith("]]") and (bracketed := BRACKETED_ID.search(text)):
        last = bracketed.start()
    words = ((start + first, start + first + last),)
    return SourceBlock(HEADING, line, start, words, line.text[:first], text[last:], level)


def is_underlined(body: str, following: Line, previous: SourceBlock | None) -> bool:
    """Whether a line is a heading because of the one below it, as Python-Markdown takes them."""
    if following.kind is not PROSE or not UNDERLINES.match(following.text.rstrip("\r\n")):
        return False
    alone = previous is None or not previous.line.text.strip() or previous.line.kind is not PROSE
    indented = body.startswith(("    ", "\t"))
    return alone and not indented and not body.lstrip().startswith(("#", "|", "-", "*", ">", "+"))


def is_delimiter(line: Line) -> bool:
    """Whether a line is the one of dashes below the first row of a table."""
    body = line.text.strip(" \t>\r\n")
    return "|" in body and "-" in body and bool(DELIMITERS.fullmatch(body))


def read_row(line: Line, start: int, body: str) -> SourceBlock:
    """A row of a table with its cells, those that are empty left out."""
    if is_delimiter(line):
        return SourceBlock(DELIMITER, line, start)
    quote = QUOTE.match(body)
    first = quote.end() if quote else 0
    cells = []
    for match in CELL.finditer(body, first):
        cell = match.group()
        if inside := cell.strip():
            at = start + match.start() + cell.find(inside)
            cells.append((at, at + len(inside)))
    return SourceBlock(ROW, line, start, tuple(cells), body[:first])


def is_written(text: str) -> bool:
    """Whether there is anything to translate: a letter outside code, targets and HTML."""
    return bool(WRITTEN.search(replace_verbatim(lambda match: "", text)))
