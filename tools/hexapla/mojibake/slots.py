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

from .channel import Channel, garble


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


@cache
def index_of(channel: Channel) -> Index:
    """The index of a channel. A character that leaves nothing behind is not in it."""
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


@dataclass(frozen=True)
class Slot:
    """text[start:end] is one character; `candidates` are what it may have been, empty where nothing fits."""

    start: int
    end: int
    candidates: str


def read(text: str, index: Index) -> list[Slot]:
    """The slots of a text in order. What lies between them is as it should be."""
    found = []
    characters = index.characters
    for match in index.slot.finditer(text):
        seen = match[0]
        candidates = characters.get(seen, "")
        while not candidates and len(seen) > 1:
            seen = seen[:-1]
            candidates = characters.get(seen, "")
        found.append(Slot(match.start(), match.start() + len(seen), candidates))
    return found
