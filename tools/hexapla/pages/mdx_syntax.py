"""MDX beside Markdown: imports and exports, tags with attributes, expressions in braces, each with its offsets.

The grammar is micromark-extension-mdxjs', without a parser of JavaScript: an expression ends where its braces balance,
strings, templates, comments and regular expressions passed over. One pass over the text; what is not MDX ends it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from hexapla.pages.verbatim import TICKS

ESM = re.compile(r"(?:import|export) ")
FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<marks>`{3,}(?=[^`\r\n]*$)|~{3,})")
NOTEWORTHY = re.compile(
    r"""\\. | \][(:][ \t]*(?:<[^<>\n]*>|[^\s()<]*)  # the target of a link
      | (?P<ticks>`+) | (?P<brace>\{(?![#.])) | (?P<tag><(?![ \t\r\n]))""",
    re.X | re.S,
)
JAVASCRIPT = re.compile(
    r"""\\. | //[^\n]* | (?P<comment>/\*) | '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*" | (?P<template>`)
      | (?<=[(,=:!&|?;{])[ ]?/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/
      | (?P<open>[{(\[]) | (?P<close>[})\]]) | (?P<blank>\n(?=[ \t]*\r?\n))""",
    re.X | re.S,
)
BLANK = re.compile(r"\n[ \t>]*\r?\n")
TEMPLATE = re.compile(r"\\.|(?P<end>`)|(?P<hole>\$\{)", re.S)
NAME = re.compile(r"(?P<slash>/?)[ \t\r\n]*(?P<name>(?:[^\W\d]|\$)[\w$.:-]*)?", re.A)
ATTRIBUTE = re.compile(
    r"""\s*(?:(?P<end>/?\s*>) | (?P<spread>\{) | (?P<name>(?:[^\W\d]|\$)[\w$.:-]*)(?:\s*=\s*(?P<value>["'{]))?)""",
    re.X,
)
LITERAL = re.compile(r"""\{\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|`([^`\\$]*)`)\s*\}""")
COMMENTED = re.compile(r"\{\s*(?:/\*(?:[^*]|\*(?!/))*\*/\s*)*\}")
SHOWN = {"alt", "description", "label", "summary", "title"}  # attributes that readers see
Extent = tuple[int, int]


class MdxPiece(NamedTuple):
    """What is not Markdown from `start` to `end`: "esm", "expression", "comment", "tag" or "fence".

    `name` is a tag's, "" for a fragment's; `closing` that of `</a>`, `empty` that of `<a/>`. `attributes` has the
    extents of values that are texts, without quotation marks, by name. `alone` says that nothing but tags and
    expressions stands in the piece's lines.
    """

    kind: str
    start: int
    end: int
    name: str = ""
    closing: bool = False
    empty: bool = False
    attributes: tuple[tuple[str, Extent], ...] = ()
    alone: bool = False


class Mdx(NamedTuple):
    """The pieces of a page in order; why and where (an offset) it is not MDX, "" where it is."""

    pieces: tuple[MdxPiece, ...]
    error: str = ""
    place: int = 0

    @property
    def text_starts(self) -> list[int]:
        """Where text may go on, or start, behind a tag or an expression."""
        return [piece.end for piece in self.pieces if not piece.alone and piece.kind in {"tag", "expression"}]

    @property
    def shown(self) -> list[Extent]:
        """Where the attributes stand that readers see, of tags that stand alone."""
        return [extent for piece in self.pieces if piece.alone for name, extent in piece.attributes if name in SHOWN]


class NotMdxError(ValueError):
    """Why a page is not MDX, and the offset that shows it."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.place = place


@lru_cache(maxsize=4)
def read_mdx(text: str, lines: tuple[str, ...], first: int = 0) -> Mdx:
    r"""What is not Markdown in a page of these lines, of which the `first` ones are front matter.

    >>> page = 'import A from "a"\n\nSee <A title="b">{c}</A>.\n'
    >>> [page[piece.start:piece.end] for piece in read_mdx(page, tuple(page.splitlines(True))).pieces]
    ['import A from "a"\n', '<A title="b">', '{c}', '</A>']
    """
    pieces: list[MdxPiece] = []
    opened: list[MdxPiece] = []
    try:
        for piece in scan_pieces(text, lines, first):
            pieces.append(piece)
            if piece.kind == "tag" and piece.closing:
                if not opened:
                    raise NotMdxError(f"</{piece.name}> closes nothing", piece.start)
                if opened[-1].name != piece.name:
                    raise NotMdxError(f"<{opened[-1].name}> is not closed before </{piece.name}>", piece.start)
                opened.pop()
            elif piece.kind == "tag" and not piece.empty:
                opened.append(piece)
        if opened:
            raise NotMdxError(f"<{opened[-1].name}> is never closed", opened[-1].start)
    except NotMdxError as error:
        return Mdx(tuple(pieces), str(error), error.place)
    return Mdx(tuple(pieces))


def scan_pieces(text: str, lines: Sequence[str], first: int) -> Iterator[MdxPiece]:
    """The pieces in order. Raises NotMdxError."""
    starts = list(accumulate(map(len, lines), initial=0))
    code, number, paragraph, balanced = code_ends(text), first, False, True
    while number < len(lines):
        start, line = starts[number], lines[number]
        if not line.strip(" \t>\r\n"):
            number, paragraph = number + 1, False
        elif opening := FENCE.match(line.rstrip("\r\n")) if "```" in line or "~~~" in line else None:
            number, closed, paragraph = *fence_end(lines, number, opening["marks"]), False
            yield MdxPiece("fence", start, starts[number], closing=closed)
        elif not paragraph and ESM.match(line):
            end = javascript_end(text, start, esm=True) if balanced else -1
            if end < 0:  # what only looks unbalanced without a parser of JavaScript is tried once a page
                balanced, blank = False, BLANK.search(text, start)
                end = blank.start() + 1 if blank else len(text)
            number = bisect_right(starts, end - 1)
            yield MdxPiece("esm", start, starts[number])
        else:
            place, pieces, alone = start, list[MdxPiece](), True
            while place < starts[number + 1] and (found := NOTEWORTHY.search(text, place, starts[number + 1])):
                alone, place = alone and not text[place : found.start()].strip(" \t>"), found.end()
                if found["ticks"]:
                    place = code.get(found.start(), place)
                elif found["brace"] or found["tag"]:
                    pieces.append((read_expression if found["brace"] else read_tag)(text, found.start()))
                    place = pieces[-1].end
                alone = alone and bool(found["brace"] or found["tag"])
                number = max(bisect_right(starts, place - 1) - 1, number)
            alone = alone and not text[place : starts[number + 1]].strip(" \t>\r\n")
            yield from (piece._replace(alone=True) for piece in pieces) if alone else pieces
            number, paragraph = number + 1, not alone


def fence_end(lines: Sequence[str], number: int, marks: str) -> tuple[int, bool]:
    """The line behind the fence that opens on a line, and whether any line closes it."""
    for line in range(number + 1, len(lines)):
        bare = lines[line].strip(" \t>\r\n") if marks in lines[line] else ""
        if bare and not bare.strip(marks[0]):
            return line + 1, True
    return len(lines), False


def code_ends(text: str) -> dict[int, int]:
    """Where inline code ends, by where it starts: runs of backticks of one length in one paragraph."""
    blank = [found.start() for found in BLANK.finditer(text)] if "`" in text else []
    following: dict[int, re.Match[str]] = {}
    found: dict[int, int] = {}
    for run in reversed([*TICKS.finditer(text)]):
        close = following.get(len(run[0]))
        if close and bisect_right(blank, run.end()) == bisect_right(blank, close.start()):
            found[run.start()] = close.end()
        following[len(run[0])] = run
    return found


def javascript_end(text: str, start: int, esm: bool = False) -> int:
    """Where the expression ends whose brace opens at `start`, or the imports and exports; -1 for nowhere."""
    opened: list[str] = []
    braces, place = 0, start
    while found := (TEMPLATE if opened and opened[-1] == "`" else JAVASCRIPT).search(text, place):
        kind, place = found.lastgroup, found.end()
        if kind == "comment":
            place = text.find("*/", place) + 2
            if place < 2:
                return -1
        elif kind == "template":
            opened.append("`")
        elif kind == "end":
            opened.pop()
        elif kind in {"open", "hole"}:
            opened.append(found[0][-1])
            braces += found[0][-1] == "{"
        elif kind == "close":
            if found[0] == "}" and braces:  # other brackets may stand in the text of an element
                braces -= 1
                while opened.pop() != "{":
                    pass
            elif opened and opened[-1] + found[0] in {"()", "[]"}:
                opened.pop()
            if not (opened or esm):
                return place
        elif kind == "blank" and esm and not opened:
            return place
    return len(text) if esm and not opened else -1


def read_expression(text: str, start: int) -> MdxPiece:
    """The expression at `start`. Raises NotMdxError."""
    end = javascript_end(text, start)
    if end < 0:
        raise NotMdxError("this brace is never closed", start)
    return MdxPiece("comment" if COMMENTED.fullmatch(text, start, end) else "expression", start, end)


def read_tag(text: str, start: int) -> MdxPiece:
    """The tag at `start`, or the comment of HTML that some generators take. Raises NotMdxError."""
    if text.startswith("<!--", start):  # Docusaurus' way
        end = text.find("-->", start) + 3
        if end < 3:
            raise NotMdxError("this comment is never closed", start)
        return MdxPiece("comment", start, end)
    opening = NAME.match(text, start + 1)
    name, place = (opening["name"] or "", opening.end()) if opening else ("", start + 1)
    attributes: list[tuple[str, Extent]] = []
    while found := ATTRIBUTE.match(text, place):
        place = found.end()
        if found["end"]:
            closing = bool(opening and opening["slash"])
            return MdxPiece("tag", start, place, name, closing, found["end"][0] == "/", tuple(attributes))
        if not name:
            break
        if found["spread"] or found["value"] == "{":
            end = javascript_end(text, place - 1)
            if end < 0:
                raise NotMdxError("this brace is never closed", place - 1)
            if found["value"] and (literal := LITERAL.fullmatch(text, place - 1, end)) and literal.lastindex:
                attributes.append((found["name"], literal.span(literal.lastindex)))
            place = end
        elif found["value"]:
            end = text.find(found["value"], place)
            if end < 0:
                raise NotMdxError(f"the value of {found['name']} is never closed", place - 1)
            attributes.append((found["name"], (place, end)))
            place = end + 1
    raise NotMdxError("this is no tag of MDX; write a `<` that is text as `\\<`", start)
