"""The messages of a page: each paragraph, list item, table cell and heading, with where it stands.

Nothing else of the page is touched: a message is put back at its place, so a page whose messages come back as they
went out is the same byte for byte.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from hexapla.languages import UNSPACED
from hexapla.pages.invisible import HIDDEN
from hexapla.pages.lines import Block, Line, read
from hexapla.pages.parser import ATTRIBUTES, ATX, UNDERLINE
from hexapla.pages.spans import SHOWN_META, VERBATIM
from hexapla.translation.normalization import DELIMITER
from hexapla.translation.sections import BRACKETS, spans

QUOTE = re.compile(r"[ \t>]*")
MARKER = re.compile(
    r"[ \t>]*(?:(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?|:[ \t]+|\[\^[^\]\s]+\]:[ \t]*)"
)
TITLED = re.compile(
    r"""[ \t>]*(?:(?:!!!|\?\?\?\+?|===[!+]?)[^"\n]*"(?P<quoted>[^"\n]*)"|/{3,}[^|\n]*\|[ \t]*(?P<bar>.*?)[ \t]*$)"""
)
RULE = re.compile(r"[ \t>]*(?:[-*_=][ \t]*){3,}$")
OPENS = re.compile(r"[ \t>]*(?:!!!|\?\?\?|===|/{3,}|:::|%%|\[\[|\{[*!%{]|\[[^\]\n^][^\]\n]*\]:|>?[ \t]*\[![A-Za-z]+\])")
CELL = re.compile(r"(?:\\.|`+[^`]*`+|[^|\\`]|`)+")
WRITTEN = re.compile(r"[^\W\d_]")
CJK = re.compile(f"[{UNSPACED}]")

MessageKey = tuple[str, str, int]  # section, text, number among equal ones of the section


class Kind(StrEnum):
    """What a message is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "list item"
    CELL = "table cell"
    TITLE = "title"
    META = "front matter"


@dataclass(frozen=True, slots=True)
class Unit:
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


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters of one line: where they start and end, the line, what kind of message they begin."""

    start: int
    end: int
    line: int
    kind: Kind
    indent: str = ""
    hard: bool = False


def units(text: str) -> tuple[Unit, ...]:
    """The messages of a page that are sent out, in order: those with a word in them, and nothing that nobody sees."""
    return tuple(filter(sent, every(text)))


def sent(unit: Unit) -> bool:
    """Whether a message is one for translators."""
    return written(unit.text) and not HIDDEN.search(unit.text)


def every(text: str) -> tuple[Unit, ...]:
    """All messages of a page, those without a word too: what `...` is in one language has a word in another."""
    lines = list(read(text))
    sections = spans(text, lines)
    found: list[Unit] = []
    seen: dict[tuple[str, str], int] = {}
    at = 0
    for run in runs(lines):
        first, last = run[0], run[-1]
        message = joined(text, run)
        while at + 1 < len(sections) and sections[at + 1].start <= first.start:
            at += 1
        section = sections[at].id if sections else ""
        seen[section, message] = number = seen.get((section, message), 0) + 1
        found.append(Unit(first.kind, message, first.start, last.end, first.line, section, number, first.indent))
    return tuple(found)


def runs(lines: Sequence[Line]) -> Iterator[list[Piece]]:
    """The pieces of each message."""
    run: list[Piece] = []
    for piece, goes_on in pieces(lines):
        if run and not (goes_on and piece):
            yield run
            run = []
        if piece:
            run.append(piece)
    if run:
        yield run


def pieces(lines: Sequence[Line]) -> Iterator[tuple[Piece | None, bool]]:
    """The pieces of a page, each with whether it goes on with the one before; None for what ends a message."""
    starts = list(accumulate((len(line.text) for line in lines), initial=0))
    going = False
    for index, line in enumerate(lines):
        body = line.text.rstrip("\r\n")
        start = starts[index]
        if line.block is Block.FRONT:
            yield meta(line, start), False
        elif line.block is not Block.PROSE or not body.strip(" \t>") or "8<-" in body:
            yield None, False
            going = False
        elif row(lines, index, going):
            yield from ((piece, False) for piece in cells(line, start))
        elif single := whole(line, start, going):
            yield single[0], False
            going = False
        else:
            marker = MARKER.match(body)
            lead = marker or QUOTE.match(body)
            inside = lead.end() if lead else 0
            kind = Kind.ITEM if marker else Kind.PARAGRAPH
            indent = re.sub(r"[^ \t>]", " ", body[:inside])
            end = start + len(body.rstrip(" \t"))
            yield Piece(start + inside, end, line.number, kind, indent, body.endswith("  ")), going and not marker
            going = True


def meta(line: Line, start: int) -> Piece | None:
    """A value of the front matter that readers see, without its quotes."""
    shown = SHOWN_META.match(line.text)
    if not shown:
        return None
    value = shown["value"].strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    inside = value[1:-1] if quoted else value
    first = start + shown.start("value") + shown["value"].find(value) + quoted
    return Piece(first, first + len(inside), line.number, Kind.META)


def whole(line: Line, start: int, going: bool) -> tuple[Piece | None] | None:
    """What a line holds that is a message alone, or none, as a heading or a directive; None for a line of prose."""
    body = line.text.rstrip("\r\n")
    if "#" in body and (match := ATX.match(body)):
        title = match["text"]
        attributes = ATTRIBUTES.search(title) or BRACKETS.search(title)
        end = match.start("text") + (attributes.start() if attributes else len(title))
        return (Piece(start + match.start("text"), start + end, line.number, Kind.HEADING),)
    if going and UNDERLINE.match(body):
        return (None,)
    if titled := TITLED.match(body):
        group = "quoted" if titled["quoted"] is not None else "bar"
        return (Piece(start + titled.start(group), start + titled.end(group), line.number, Kind.TITLE),)
    if OPENS.match(body) or RULE.match(body) or (body.lstrip(" \t>").startswith("<") and not written(body)):
        return (None,)
    return None


def row(lines: Sequence[Line], index: int, going: bool) -> bool:
    """Whether a line belongs to a table: it has bars, and a line of dashes is below its first line."""
    body = lines[index].text.strip(" \t>\r\n")
    if "|" not in body:
        return False
    if body.startswith("|"):
        return True
    first = index
    while first > 0 and "|" in lines[first - 1].text and lines[first - 1].block is Block.PROSE:
        first -= 1
    below = lines[first + 1].text.strip(" \t>\r\n") if first + 1 < len(lines) else ""
    return "|" in below and "-" in below and bool(DELIMITER.fullmatch(below))


def cells(line: Line, start: int) -> Iterator[Piece]:
    """The cells of a row."""
    body = line.text.rstrip("\r\n")
    if DELIMITER.fullmatch(body.strip(" \t>")):
        return
    for match in CELL.finditer(body, QUOTE.match(body).end() if body else 0):  # type: ignore[union-attr]
        cell = match.group()
        inside = cell.strip()
        if inside:
            first = start + match.start() + cell.find(inside)
            yield Piece(first, first + len(inside), line.number, Kind.CELL)


def joined(text: str, run: Sequence[Piece]) -> str:
    """The words of a message on one line; a hard line break stays one."""
    found = ""
    hard = ""
    for piece in run:
        raw = text[piece.start : piece.end].strip()
        space = "" if CJK.match(found[-1:]) and CJK.match(raw) else " "
        found = f"{found}{hard or space}{raw}" if found else raw
        hard = "  \n" if piece.hard else "\n" if raw.endswith("\\") else ""
    return found


def written(text: str) -> bool:
    """Whether there is anything to translate: a letter outside code, targets and HTML."""
    return bool(WRITTEN.search(VERBATIM.sub("", text)))


def replaced(text: str, new: Mapping[int, str], found: Sequence[Unit]) -> str:
    """The page with messages replaced, by their index in `found`; one that is the same stays as it was laid out."""
    out, position = [], 0
    for index, unit in enumerate(found):
        words = new.get(index, unit.text)
        if words == unit.text:
            continue
        out += [text[position : unit.start], words.replace("\n", f"\n{unit.indent}")]
        position = unit.end
    return "".join([*out, text[position:]])
