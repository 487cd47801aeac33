"""Marks: private-use characters put into a page before it is rendered, so that what comes out says where it came from.

A mark stands at the start of a line's own text, before or after each candidate link target, and at the end of each
piece of inline code. No renderer gives these characters a meaning and no slug keeps them, so the page renders as it
would without them, and a link is a link when its target comes back with its mark.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from hexapla.pages.lines import FENCE_MARK, FRONT, PROSE, Line

FIRST, LAST = 0xF0000, 0x10FFFD
MARK = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")
# What may stand before a line's own text: quote, list, task box, definition, footnote, heading, cell, emphasis.
LEAD = re.compile(
    r"""[ \t>]*
        (?:(?:[-*+]|\d{1,9}[.)]|:)[ \t]+)*+
        (?:\[[ xX]\][ \t]+)?+
        (?:\[\^[^\]\s]{1,80}\]:[ \t]*)?+
        (?:\#{1,6}[ \t]*|\|[ \t]*)?+
        [*_]{0,3}+(?=[^\W_]|[^\x00-\x7f\s])""",
    re.X,
)
REFERENCE = r"^[ \t>]*\[(?!\^)[^\[\]\n]+\]:[ \t]*<?(?P<reference>[^\s<>]+) |"
INLINE_LINK = r"""
        \]\([ \t]*(?:<(?P<angle>[^<>\n]*)|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))
      | <(?P<auto>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*)>
      | href[ \t]*=[ \t]*"(?P<double>[^"\n]*) | src[ \t]*=[ \t]*"(?P<source_double>[^"\n]*)
      | href[ \t]*=[ \t]*'(?P<single>[^'\n]*) | src[ \t]*=[ \t]*'(?P<source_single>[^'\n]*)
    """
# After code in the label of a reference: both labels have to stay equal.
LABEL = re.compile(r"[^\[\]\n]{0,200}\](?!\()")
BLOCK_DIRECTIVE = re.compile(r"[ \t]*/{3,}[ \t]*\w")
OPENERS = ("#", "///", "!!!", "???", "===")  # lines after which a block starts without an empty line
TICKS = re.compile(r"`+")
ESCAPED = re.compile(r"(?<!\\)\\\Z")


class Marked(NamedTuple):
    """`text` with its marks. Mark n (character FIRST + n) stands for `places[n]`, an offset into the page's text;
    `extents` gives, for a mark on a link target or on inline code, where that starts and ends. What is rendered starts
    at the offset `start`, behind the front matter.
    """

    text: str
    places: tuple[int, ...]
    extents: dict[int, tuple[int, int]]
    start: int


class Positions:
    """Lines and columns of a text's offsets."""

    def __init__(self, lines: list[Line]) -> None:
        self.starts = list(accumulate([len(line.text) for line in lines], initial=0))
        self.last = max(len(lines), 1)

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset from 0."""
        line = bisect_right(self.starts, offset) or 1
        if line > self.last:
            line = self.last
        return line, offset - self.starts[line - 1] + 1


def mark_source(text: str, lines: list[Line], starts: Iterable[int] = ()) -> Marked:
    """The page without its front matter, marked, at `starts` too.

    `text` is that of `lines`; marks that stand in it become U+FFFD.
    """
    body = sum(len(line.text) for line in lines if line.kind is FRONT)
    clean = MARK.sub("\ufffd", text)
    extents = {end: (start, end) for start, end, ticks in code_extents(clean, lines)
               if not LABEL.match(clean, end + ticks)}
    # Without references it is quicker: all that it matches starts with one of few characters.
    link = re.compile(REFERENCE * ("]:" in clean) + INLINE_LINK, re.X | re.M)
    for match in link.finditer(clean, body):
        group = match.lastgroup or "plain"
        start, end = match.span(group)
        extents[end if group == "auto" else start] = (start, end)
    places = sorted({*text_starts(lines), *starts} | extents.keys())[: LAST - FIRST]
    pieces, previous = [], body
    for number, place in enumerate(places):
        pieces += [clean[previous:place], chr(FIRST + number)]
        previous = place
    pieces.append(clean[previous:])
    numbered = {number: extents[place] for number, place in enumerate(places) if place in extents}
    return Marked("".join(pieces), tuple(places), numbered, body)


def text_starts(lines: list[Line]) -> Iterator[int]:
    """Where the text of each block starts, where it starts with a letter or a digit.

    A line that goes on with the block above gets no mark: what stands in brackets or a tag may reach across lines.
    """
    unclosed = unclosed_from(lines)
    offset, options, fresh = 0, False, True
    for line in lines:
        text = line.text
        if line.kind is PROSE or (unclosed and line.number > unclosed):
            bare = text.strip()
            if not bare:
                options, fresh = False, True
            else:
                options = bool(BLOCK_DIRECTIVE.match(text)) or (options and text.startswith((" ", "\t")))
                match = None if options else LEAD.match(text)
                if match and (fresh or match.group().strip(" \t*_")):
                    yield offset + match.end()
                fresh = options or bare.startswith(OPENERS)
        else:
            options, fresh = False, True
        offset += len(text)


def unclosed_from(lines: list[Line]) -> int:
    """The line that opens a fence which nothing closes, 0 where there is none: Python-Markdown reads on as prose."""
    last = lines[-1] if lines else None
    if last is None or last.fence < 0:
        return 0
    marks = [line.number for line in lines if line.fence == last.fence and line.kind is FENCE_MARK]
    return marks[0] if len(marks) == 1 else 0


def code_extents(text: str, lines: list[Line]) -> Iterator[tuple[int, int, int]]:
    """Where each piece of inline code in prose starts and ends, and how many backticks are around it.

    Runs of backticks make pairs of one length, in one paragraph.
    """
    runs, offset = list[tuple[int, int]](), 0
    for line in lines:
        if line.kind is PROSE and "`" in line.text:
            runs += ((offset + match.start(), offset + match.end()) for match in TICKS.finditer(line.text))
        offset += len(line.text)
    following: dict[int, tuple[int, int]] = {}  # length -> the next run of that length, filled from the end
    closing: dict[int, tuple[int, int]] = {}
    for start, end in reversed(runs):
        if end - start in following:
            closing[start] = following[end - start]
        following[end - start] = start, end
    done = 0
    for start, end in runs:
        if start < done or start not in closing or ESCAPED.search(text, max(start - 2, 0), start):
            continue
        close, after = closing[start]
        if text.find("\n\n", end, close) < 0:
            yield end, close, after - close
            done = after
