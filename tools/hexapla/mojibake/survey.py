"""Which single-byte codecs a text looks garbled through, from the shape that UTF-8 leaves: leads and what follows.

No model is needed here. This is also what waves clean text through, so it errs on the side of clean: a French
"é »" is a lead and two followers, and a German "ß«" a lead and one.
"""

import re
from dataclasses import dataclass
from functools import cache

from .charsets import SINGLE_BYTE, byte_map

LEAST = 3        # pairs of a lead and a follower; fewer are taken for chance
PAIRED = 0.5     # the share of symbols that stand together which must lie in such pairs
ORPHANS = 0.1    # the share that may be followers with no lead before them
ALIKE = 0.8      # codecs that pair nearly as many symbols as the best one stay in the running


@dataclass(frozen=True)
class Shape:
    """A code page's symbols by the role of their byte in UTF-8."""

    leads: frozenset[str]
    followers: frozenset[str]
    runs: re.Pattern[str]      # symbols that stand together
    slots: re.Pattern[str]     # a lead and the followers it may have


def _class(symbols: frozenset[str]) -> str:
    return "[" + re.escape("".join(sorted(symbols))) + "]" if symbols else "(?!)"


@cache
def shape_of(codec: str) -> Shape:
    """The shape of UTF-8 seen through a codec. What a lenient program leaves of an undefined byte follows too."""
    symbols = byte_map(codec)
    leads = frozenset(symbols[0xC2:0xF5]) - {""}
    followers = (frozenset(symbols[0x80:0xC0]) | frozenset(map(chr, range(0x80, 0xA0))) | {"\ufffd"}) - {""} - leads
    two, three, four = (_class(frozenset(symbols[low:high]) - {""}) for low, high in ((0xC2, 0xE0), (0xE0, 0xF0), (0xF0, 0xF5)))
    follower = _class(followers)
    slots = re.compile(f"{two}{follower}?|{three}{follower}{{0,2}}|{four}{follower}{{0,3}}")
    return Shape(leads, followers, re.compile(_class(leads | followers) + "{2,}"), slots)


@dataclass(frozen=True)
class Reading:
    """How a codec explains the symbols that stand together in a text: as so many slots, so many symbols in pairs."""

    codec: str
    paired: int
    slots: int


def _reading(text: str, codec: str, present: frozenset[str]) -> Reading | None:
    shape = shape_of(codec)
    if not (present & shape.leads and present & shape.followers):
        return None
    runs = "\n".join(shape.runs.findall(text))
    slots = shape.slots.findall(runs)
    pairs = [len(slot) for slot in slots if len(slot) > 1]
    together = len(runs) - runs.count("\n")
    orphans = together - sum(map(len, slots))
    if len(pairs) < LEAST or sum(pairs) < PAIRED * together or orphans > ORPHANS * together:
        return None
    return Reading(codec, sum(pairs), len(slots))


def survey(text: str) -> list[Reading]:
    """The codecs that a text may have been garbled through, likeliest first; empty where none fits."""
    present = frozenset(text) - frozenset(map(chr, range(128)))
    if not present:
        return []
    found = [reading for codec in SINGLE_BYTE if (reading := _reading(text, codec, present))]
    most = max((reading.paired for reading in found), default=0)
    return sorted((r for r in found if r.paired >= ALIKE * most), key=lambda r: (-r.paired, SINGLE_BYTE.index(r.codec)))
