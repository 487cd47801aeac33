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
# About what a character of UTF-8 costs, some of its bytes lost, on the scale of plausible.bits.
LETTER_BITS, IDEOGRAPH_BITS = 6.0, 12.0


@dataclass(frozen=True)
class Shape:
    """A code page's symbols by the role of their byte in UTF-8."""

    leads: frozenset[str]
    followers: frozenset[str]
    runs: re.Pattern[str]      # symbols that stand together
    slots: re.Pattern[str]     # a lead and the followers it may have
    codec: str
    twos: frozenset[str]       # leads of two-byte characters

    def length(self, lead: str) -> int:
        """How many bytes the character that begins with this lead symbol takes in UTF-8."""
        byte = byte_map(self.codec).index(lead)
        return 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


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
    return Shape(leads, followers, re.compile(_class(leads | followers) + "{2,}"), slots, codec,
                 frozenset(symbols[0xC2:0xE0]) - {""})


@dataclass(frozen=True)
class Reading:
    """How a codec explains the symbols that stand together: how many lie in pairs, and the bits that the slots take."""

    codec: str
    paired: int
    bits: float


def reading(text: str, codec: str, present: frozenset[str]) -> Reading | None:
    """How a codec explains a text whose non-ASCII characters are `present`; None where it does not."""
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
    letters = sum(1 for slot in slots if slot[0] in shape.twos)
    return Reading(codec, sum(pairs), LETTER_BITS * letters + IDEOGRAPH_BITS * (len(slots) - letters))


def survey(text: str) -> list[Reading]:
    """The codecs that a text may have been garbled through, likeliest first; empty where none fits."""
    present = frozenset(text) - frozenset(map(chr, range(128)))
    if not present:
        return []
    found = [fit for codec in SINGLE_BYTE if (fit := reading(text, codec, present))]
    most = max((fit.paired for fit in found), default=0)
    return sorted((r for r in found if r.paired >= ALIKE * most), key=lambda r: (-r.paired, SINGLE_BYTE.index(r.codec)))
