"""Frame bytes of UTF-8, some of them lost, into the characters that they belong to.

A byte is written as the Latin-1 character of its number, a lost one as HOLE. The length of a character without its lead
byte shows in the bytes around it only, so a row of bytes is framed as a whole, with the fewest bytes left over.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

HOLE = "\ufffd"
LEADS, REST = tuple(map(chr, range(0xC2, 0xF5))), tuple(map(chr, range(0x80, 0xC0)))
_ROW = re.compile("[\x80-\xff\ufffd]+")
_REST = "[\x80-\xbf\ufffd]"
_WHOLE = re.compile(f"(?:[\xc2-\xdf]{_REST}|[\xe0-\xef]{_REST}{{2}}|[\xf0-\xf4]{_REST}{{3}})+")
_EACH = re.compile("[\xc2-\xf4][\x80-\xbf\ufffd]*")
_FRAMES = tuple((size, re.compile(f"[{leads}\ufffd]{_REST}{{{size - 1}}}"))
                for size, leads in ((3, "\xe0-\xef"), (2, "\xc2-\xdf"), (4, "\xf0-\xf4")))
_BESIDE = re.compile("[\x80-\xff?]++")
_MARKS = re.compile("[?]{2,}")
LEFT = 8.0                        # what a byte outside any character costs
GUESSED = {3: 0.1, 2: 0.3, 4: 1.0}    # and a lost lead, by the bytes of its character: long ones are rarer


class Frame(NamedTuple):
    """text[start:end] is one character's bytes, or, when not `whole`, bytes that are part of none."""

    start: int
    end: int
    whole: bool = True


def find_characters(text: str) -> Iterator[Frame]:
    """The frames of the characters of several bytes, and of the bytes left over, in order."""
    for row in _ROW.finditer(text):
        base = row.start()
        if _WHOLE.fullmatch(row[0]):
            yield from (Frame(base + found.start(), base + found.end()) for found in _EACH.finditer(row[0]))
        else:
            yield from (Frame(base + low, base + high, whole) for low, high, whole in _frame_row(row[0]))


@lru_cache(maxsize=4096)
def _frame_row(row: str) -> list[Frame]:
    """The cheapest framing of a row, computed from its end (shortest path)."""
    cost = [0.0] * (len(row) + 1)
    size = [1] * (len(row) + 1)
    for at in range(len(row) - 1, -1, -1):
        cost[at] = LEFT + cost[at + 1]
        for taken, frame in _FRAMES:
            if frame.match(row, at):
                price = cost[at + taken] + (GUESSED[taken] if row[at] == HOLE else 0.0)
                if price < cost[at]:
                    cost[at], size[at] = price, taken
    found: list[Frame] = []
    at = 0
    while at < len(row):
        if size[at] == 1 and found and not found[-1].whole:
            found[-1] = found[-1]._replace(end=at + 1)
        else:
            found.append(Frame(at, at + size[at], size[at] > 1))
        at += size[at]
    return found


def frames_and_marks(text: str) -> Iterator[Frame]:
    """The frames, and runs of two or more question marks, which may be all that is left of characters.

    Beside bytes that are part of no character a single one may be a byte of theirs, and joins them.
    """
    at = 0
    for start, end, whole in (*find_characters(text), Frame(len(text), len(text))):
        low, high = (start, end) if whole else (
            len(text[:start].rstrip("?")), len(text) - len(text[end:].lstrip("?")))
        yield from (Frame(at + row.start(), at + row.end(), False) for row in _MARKS.finditer(text[at:low]))
        if low < high:
            yield Frame(low, high, whole)
        at = high


def share_explained(text: str) -> float:
    """The share of non-ASCII bytes that are in a frame of a whole character, 0 to 1, lost ones not counted."""
    whole = left = 0
    for frame in find_characters(text):
        known = frame.end - frame.start - text.count(HOLE, frame.start, frame.end)
        whole, left = (whole + known, left) if frame.whole else (whole, left + known)
    return whole / max(whole + left, 1)


def with_holes(text: str) -> str:
    """Replace the question marks that stand for lost bytes, those that a character lacks, by HOLE."""
    pieces: list[str] = []
    at = 0
    holed = _BESIDE.sub(lambda row: row[0] if row[0].isascii() else row[0].replace("?", HOLE), text)
    for start, end, whole in find_characters(holed):
        if whole and text.count("?", start, end) < end - start:
            pieces += (text[at:start], text[start:end].replace("?", HOLE))
            at = end
    return "".join((*pieces, text[at:]))
