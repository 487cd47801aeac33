"""Garbled text to a row of slots, each with the characters that it may have been.

A character's bytes begin with a lead byte, and in every channel here lead bytes survive. So a slot runs from one
lead symbol to the next, and an index from what a character comes out as to the characters that come out so gives
the candidates. The index covers all of Unicode's assigned characters, not those the model knows: a candidate that
is left out makes the others look surer than they are.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from .channel import Channel, garble
from .charsets import MULTI_BYTE


@cache
def repertoire() -> str:
    """Every assigned non-ASCII character that a text may hold: no surrogates, no private use, no C1 controls."""
    planes = (range(0xA0, 0x33480), range(0xE0100, 0xE01F0))
    refused = {"Cn", "Cs", "Co", "Cc"}
    return "".join(chr(code) for plane in planes for code in plane if unicodedata.category(chr(code)) not in refused)


@dataclass(frozen=True)
class Index:
    """What a channel makes of characters, the other way round."""

    characters: Mapping[str, str]   # what is seen -> the characters that come out so
    slot: re.Pattern[str]           # a lead symbol and the symbols that may follow it

    def candidates(self, seen: str) -> str:
        """The characters that come out as this; '' where none does."""
        try:
            return self.characters[seen]
        except KeyError:
            return ""


@cache
def index_of(channel: Channel) -> Index:
    """The index of a channel. A character that leaves nothing behind is not in it."""
    if channel.layers[-1].decoded in MULTI_BYTE:
        return index_with_holes()
    characters = repertoire()
    seen: dict[str, list[str]] = {}
    for character, out in zip(characters, garble("\n".join(characters), channel).split("\n"), strict=True):
        if out and out != character:
            seen.setdefault(out, []).append(character)
    leads = {out[0] for out in seen}
    rest = {symbol for out in seen for symbol in out[1:]}
    longest = max(map(len, seen), default=1)
    slot = f"[{re.escape(''.join(sorted(leads)))}]" + (
        f"[{re.escape(''.join(sorted(rest - leads)))}]{{0,{longest - 1}}}" if rest - leads else "")
    return Index({out: "".join(found) for out, found in seen.items()}, re.compile(slot))


class _Holes(dict[str, str]):
    """Bytes, each as the Latin-1 character of its number and U+FFFD for a lost one -> the characters they may be."""

    def __missing__(self, seen: str) -> str:
        choices = [_BYTES if symbol == HOLE else (symbol,) for symbol in seen]
        filled = ("".join(symbols).encode("latin-1") for symbols in product(*choices))
        known = frozenset(repertoire())
        found = {data.decode("utf-8", "ignore") for data in filled if seen.count(HOLE) < 3}
        self[seen] = "".join(sorted(character for character in found if len(character) == 1 and character in known))
        return self[seen]


HOLE = "\ufffd"
_BYTES = tuple(map(chr, range(0x80, 0xF5)))


@cache
def index_with_holes() -> Index:
    """The index of UTF-8's bytes where some are known to be lost."""
    rest = "[\x80-\xbf\ufffd]"
    return Index(_Holes(), re.compile(f"[\xc2-\xdf]{rest}?|[\xe0-\xef]{rest}{{0,2}}|[\xf0-\xf4]{rest}{{0,3}}|\ufffd{rest}{{1,2}}"))


@dataclass(frozen=True)
class Slot:
    """text[start:end] is one character; `candidates` are what it may have been, empty where nothing fits."""

    start: int
    end: int
    candidates: str


def read(text: str, index: Index) -> list[Slot]:
    """The slots of a text in order. What lies between them is as it should be."""
    found = []
    for match in index.slot.finditer(text):
        seen = match[0]
        candidates = index.candidates(seen)
        while not candidates and len(seen) > 1:
            seen = seen[:-1]
            candidates = index.candidates(seen)
        found.append(Slot(match.start(), match.start() + len(seen), candidates))
    return found
