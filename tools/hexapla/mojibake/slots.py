"""Garbled text to a row of slots, each with the characters that it may have been.

A character's bytes begin with a lead byte, and in every channel here lead bytes survive. So a slot runs from one
lead symbol to the next, and an index from what a character comes out as to the characters that come out so gives
the candidates. The index covers all of Unicode's assigned characters, not those the model knows: a candidate that
is left out makes the others look surer than they are.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

from hexapla.mojibake.channel import Channel, garble
from hexapla.mojibake.charsets import MULTI_BYTE


@cache
def repertoire() -> str:
    """Every assigned non-ASCII character that a text may hold: no surrogates, no private use, no C1 controls."""
    planes = (range(0xA0, 0x33480), range(0xE0100, 0xE01F0))
    refused = {"Cn", "Cs", "Co", "Cc"}
    return "".join(chr(code) for plane in planes for code in plane if unicodedata.category(chr(code)) not in refused)


@dataclass(frozen=True)
class Index:
    """What a channel makes of characters, the other way round."""

    candidates: Callable[[str, str], str]   # what is seen, the symbol after it -> the characters that come out so
    slot: re.Pattern[str]                   # a lead symbol and the symbols that may follow it


@cache
def index_of(channel: Channel) -> Index:
    """The index of a channel. A character that leaves nothing behind is not in it."""
    if channel.layers[-1].decoded in MULTI_BYTE:
        return _index_with_holes(channel.layers[-1].decoded)
    characters = repertoire()
    seen: dict[str, list[str]] = {}
    for character, out in zip(characters, garble("\n".join(characters), channel).split("\n"), strict=True):
        if out:
            seen.setdefault(out, []).append(character)
    leads = {out[0] for out in seen}
    rest = {symbol for out in seen for symbol in out[1:]}
    longest = max(map(len, seen), default=1)
    slot = f"[{re.escape(''.join(sorted(leads)))}]" + (
        f"[{re.escape(''.join(sorted(rest - leads)))}]{{0,{longest - 1}}}" if rest - leads else "")
    index = {out: "".join(found) for out, found in seen.items()}
    return Index(lambda symbols, following: index.get(symbols, ""), re.compile(slot))


HOLE = "\ufffd"
_LEADS, _REST = tuple(map(chr, range(0xC2, 0xF5))), tuple(map(chr, range(0x80, 0xC0)))


@cache
def _unreadable(codec: str, following: str) -> frozenset[str]:
    """The bytes that a multi-byte codec gives up before the one that follows ('' at the end of the text)."""
    after = following.encode("latin-1", "ignore")
    given_up = set()
    for symbol in _REST + _LEADS:
        out = (symbol.encode("latin-1") + after + b" ").decode(codec, "replace")
        if out[0] == HOLE and len(out) == len(after) + 2:
            given_up.add(symbol)
    return frozenset(given_up)


class _Holes:
    """Bytes, each as the Latin-1 character of its number and U+FFFD for a lost one -> the characters they may be.

    A byte was lost because the codec could not read it together with the next: few bytes fit before another lead.
    """

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._known = frozenset(repertoire())
        self._found: dict[str, str] = {}

    def __call__(self, seen: str, following: str) -> str:
        key = seen + following if seen.endswith(HOLE) else seen
        if key not in self._found:
            self._found[key] = self._fill(seen, following)
        return self._found[key]

    def _fill(self, seen: str, following: str) -> str:
        if seen.count(HOLE) > 2:
            return ""
        choices: list[tuple[str, ...]] = []
        for place, symbol in enumerate(seen):
            after = seen[place + 1:place + 2] or following
            allowed = _REST if place else _LEADS
            if symbol != HOLE:
                allowed = (symbol,)
            elif after != HOLE:
                allowed = tuple(byte for byte in allowed if byte in _unreadable(self._codec, after))
            choices.append(allowed)
        filled = {"".join(symbols).encode("latin-1").decode("utf-8", "ignore") for symbols in product(*choices)}
        return "".join(sorted(character for character in filled if len(character) == 1 and character in self._known))


@cache
def _index_with_holes(codec: str) -> Index:
    """The index of UTF-8's bytes, read through a multi-byte codec, where some are known to be lost."""
    rest = "[\x80-\xbf\ufffd]"
    slot = f"[\xc2-\xdf]{rest}?|[\xe0-\xef]{rest}{{0,2}}|[\xf0-\xf4]{rest}{{0,3}}|\ufffd{rest}{{1,2}}"
    return Index(_Holes(codec), re.compile(slot))


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
        end = match.end()
        candidates = index.candidates(seen, text[end:end + 1])
        while not candidates and len(seen) > 1:
            seen, end = seen[:-1], end - 1
            candidates = index.candidates(seen, text[end:end + 1])
        found.append(Slot(match.start(), end, candidates))
    return found
