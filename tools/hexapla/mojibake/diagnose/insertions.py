"""Find a character that was inserted after every N bytes, by counting the bytes of the original.

The surviving lead bytes tell how long each character was, so the bytes of the original can be counted though many are
gone. A mark inside a character's bytes cannot have been written there: such marks show that some were inserted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from hexapla.mojibake.encodings.byte_patterns import CodecShape
from hexapla.mojibake.encodings.steps import Edit

EVERY = range(8, 257)     # the intervals that are looked for, in bytes
PRESENT = 0.55            # the least share of the expected places that have the mark
LIKELY = 12               # intervals that are tried, the commonest distances between marks
SLOPPY = 2                # marks that a row with places a byte off must explain beyond an exact one
STARTS = 3                # marks from which a regular row is tried


class Insertion(NamedTuple):
    """`mark` inserted after every `every` bytes of the original (0: irregularly), and the edits that remove it.

    `missing` is how many places of a regular row have no mark: it stands a byte or more beside them, not yet removed.
    """

    mark: str
    every: int
    edits: tuple[Edit, ...]
    missing: int = 0

    def __str__(self) -> str:
        return f"{self.mark} every {self.every} bytes" if self.every else f"{self.mark} at random places"


class _Mark(NamedTuple):
    """A mark's offset in the text, and the bytes of the original around it if no mark before it was written."""

    at: int
    low: int
    high: int
    inside: bool      # a character, its lead before the mark and a follower after it


def find_insertion(text: str, shape: CodecShape) -> Insertion | None:
    """Find the mark that was inserted into a garbled text, None if there is none."""
    followers = re.escape("".join(sorted(shape.followers - shape.leads)))
    leads = re.escape("".join(sorted(shape.leads)))
    text = text.replace("?", "\ufffd")      # inside a character it replaces a lost byte
    inside = re.findall(f"[{leads}][{followers}]{{0,2}}([!-/:-@\\[-`{{-~ ])(?=[{followers}])", text)
    if len(inside) < 2:
        return None
    mark = max(set(inside), key=inside.count)
    marks = _find_marks(text, mark, shape)
    certain = [number for number, found in enumerate(marks) if found.inside]
    if len(certain) < 2:
        return None
    every, chosen = _find_regular(marks, certain)
    if not every:
        chosen = certain
    edits = tuple(Edit(marks[number].at, marks[number].at + 1, "") for number in chosen)
    return Insertion(mark, every, edits, max(marks[-1].high // every - len(chosen), 0) if every else 0)


def _find_marks(text: str, mark: str, shape: CodecShape) -> list[_Mark]:
    """Every mark of a text with its offset among the original's bytes, the marks themselves not counted."""
    lengths = dict.fromkeys(shape.followers, 0) | {symbol: shape.length(symbol) for symbol in shape.leads}
    found: list[_Mark] = []
    done = 0                  # bytes of finished characters
    size = seen = 0           # of the character that is open: its bytes, those seen of it
    waiting: list[tuple[int, int]] = []      # marks after the open character's last symbol: place, bytes seen before
    for at, symbol in enumerate(text):
        if symbol == mark:
            waiting.append((at, seen))
            continue
        length = lengths.get(symbol)
        if length == 0 and seen < size:
            found += [_Mark(place, done + before, done + size - 1, True) for place, before in waiting]
            seen += 1
        else:
            found += [_Mark(place, done + before, done + size, False) for place, before in waiting]
            done += size
            size = length if length else len(symbol.encode("utf-8", "surrogatepass"))
            seen = 1 if length else size
        waiting.clear()
    return found + [_Mark(place, done + before, done + size, False) for place, before in waiting]


def _find_regular(marks: Sequence[_Mark], certain: Sequence[int]) -> tuple[int, list[int]]:
    """The regular interval of marks, 0 for none, and the indices of the marks at it."""
    best: tuple[float, int, list[int]] = (PRESENT, 0, [])
    expected = max(marks[-1].high, 1)
    gaps = Counter(gap + slack for one, two in pairwise(marks) for gap in (two.low - one.low,) for slack in (-1, 0, 1))
    likely = [gap for gap, _ in gaps.most_common(LIKELY) if gap in EVERY]
    starts = sorted({marks[number].low for number in (0, *certain[:STARTS])})
    for every in likely:
        for start in dict.fromkeys((0, *(start % every for start in starts))):
            for slack in (0, 1):
                chosen, lost = _walk_marks(marks, every, start, slack)
                share = (len(chosen) - lost - SLOPPY * slack) * every / expected
                if (fit := min(share, 1 / share if share > 0 else 0.0)) > best[0]:
                    best = (fit, every, chosen)
    return best[1], best[2]


def _walk_marks(marks: Sequence[_Mark], every: int, start: int, slack: int) -> tuple[list[int], int]:
    """The marks at start, start + every, ..., and how often the count, shifted by further damage, had to be corrected.

    A mark at another offset was written, and is a byte itself; one inside a character corrects the count.
    """
    chosen: list[int] = []
    written, taken, lost = 0, -1, 0
    for number, found in enumerate(marks):
        place = _interval_number(found, written, every, start, 0)
        if place is None and (near := _interval_number(found, written, every, start, slack)) is not None:
            following = marks[number + 1] if number + 1 < len(marks) else None
            claimed = following and _interval_number(following, written + 1, every, start, 0) == near
            place = None if claimed else near
        if place is None and found.inside:
            place = round((found.low + written - start) / every)
            start = found.low + written - place * every
            lost += 1
        if place is not None and (place > taken or found.inside):
            chosen.append(number)
            taken = place
        else:
            written += 1
    return chosen, lost


def _interval_number(found: _Mark, written: int, every: int, start: int, slack: int) -> int | None:
    """The number of the interval that a mark may end, when `written` marks before it are bytes themselves; or None."""
    place = (found.high + written + slack - start) // every
    return place if start + place * every >= found.low + written - slack else None
