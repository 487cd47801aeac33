"""Garbled text to a row of slots, each with the characters that it may have been.

A character's bytes begin with a lead byte, and in every channel here the common lead bytes survive. So a slot runs
from one lead symbol to the next, and an index from what a character comes out as to the characters that come out so
gives the candidates. The index covers all of Unicode's assigned characters, not those the model knows: a candidate that
is left out makes the others look surer than they are.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from hexapla.mojibake.channel import Channel, garble, leading
from hexapla.mojibake.charsets import MULTI_BYTE
from hexapla.mojibake.framing import HOLE, LEADS, REST, frames, frames_and_marks


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
    spans: Callable[[str], Iterator[tuple[int, int]]]   # where a lead symbol and those that may follow it stand
    loose: bool = True                      # whether a span may reach beyond its character


@cache
def index_of(channel: Channel) -> Index:
    """The index of a channel. A character whose lead byte does not come through is not in it."""
    last = channel.layers[-1]
    if last.decoded in MULTI_BYTE:
        framing = frames_and_marks if last.instead == "?" else frames
        return Index(_Holes(last.decoded), lambda text: (frame[:2] for frame in framing(text)), False)
    characters = repertoire()
    starts = leading(last)
    seen: dict[str, list[str]] = {}
    for character, out in zip(characters, garble("\n".join(characters), channel).split("\n"), strict=True):
        if out[:1] in starts:
            seen.setdefault(out, []).append(character)
    leads = {out[0] for out in seen}
    rest = {symbol for out in seen for symbol in out[1:]}
    longest = max(map(len, seen), default=1)
    slot = f"[{re.escape(''.join(sorted(leads)))}]" + (
        f"[{re.escape(''.join(sorted(rest - leads)))}]{{0,{longest - 1}}}" if rest - leads else "")
    index = {out: "".join(found) for out, found in seen.items()}
    pattern = re.compile(slot)
    return Index(lambda symbols, following: index.get(symbols, ""),
                 lambda text: (match.span() for match in pattern.finditer(text)))


FEW = 4096      # combinations of bytes that are tried one by one


@cache
def _unreadable(codec: str, following: str) -> frozenset[str]:
    """The bytes that a multi-byte codec gives up before the one that follows ('' at the end of the text)."""
    after = following.encode("latin-1", "ignore")
    given_up = set()
    for symbol in REST + LEADS:
        for reader in (codec, "shift_jis") if codec == "cp932" else (codec,):     # a page seldom tells the two apart
            out = (symbol.encode("latin-1") + after + b" ").decode(reader, "replace")
            if out[0] == HOLE and len(out) == len(after) + 2:
                given_up.add(symbol)
    return frozenset(given_up)


class _Holes:
    """Bytes, each as the Latin-1 character of its number and U+FFFD for a lost one -> the characters they may be.

    A byte was lost because the codec could not read it together with the next: few bytes fit before another lead.
    """

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._found: dict[str, str] = {}

    def __call__(self, seen: str, following: str) -> str:
        key = seen + following if seen.endswith(HOLE) else seen
        if key not in self._found:
            self._found[key] = self._fill(seen, following)
        return self._found[key]

    def _fill(self, seen: str, following: str) -> str:
        choices: list[tuple[str, ...]] = []
        for place, symbol in enumerate(seen):
            after = seen[place + 1:place + 2] or following
            allowed = REST if place else _leads_of(len(seen))
            if symbol != HOLE:
                allowed = (symbol,)
            elif after != HOLE:
                allowed = tuple(byte for byte in allowed if byte in _unreadable(self._codec, after))
            choices.append(allowed)
        if prod(map(len, choices)) <= FEW:
            lines = filter(_lines(len(seen)).__contains__, map("".join, product(*choices)))
            return "".join(map(_character, lines))
        fits = re.compile("^" + "".join(f"[{re.escape(''.join(allowed))}]" for allowed in choices) + "$", re.M)
        return "".join(map(_character, fits.findall(_joined(len(seen)))))


def _leads_of(size: int) -> tuple[str, ...]:
    """The lead bytes of characters of so many bytes; all of them where a row breaks off after one."""
    low, high = {2: (0xC2, 0xE0), 3: (0xE0, 0xF0), 4: (0xF0, 0xF5)}.get(size, (0xC2, 0xF5))
    return tuple(map(chr, range(low, high)))


@cache
def _lines(size: int) -> dict[str, None]:
    """The repertoire's characters of so many bytes in code point order, each written as its bytes."""
    lines = (character.encode("utf-8").decode("latin-1") for character in repertoire())
    return dict.fromkeys(line for line in lines if len(line) == size)


@cache
def _joined(size: int) -> str:
    return "\n".join(_lines(size))


def _character(line: str) -> str:
    return line.encode("latin-1").decode("utf-8")


class Slot(NamedTuple):
    """text[start:end] is one character; `candidates` are what it may have been, empty where nothing fits."""

    start: int
    end: int
    candidates: str


def read(text: str, index: Index) -> list[Slot]:
    """The slots of a text in order. What lies between them is as it should be."""
    found = []
    for start, end in index.spans(text):
        candidates = index.candidates(text[start:end], text[end:end + 1])
        while index.loose and not candidates and end - start > 1:
            end -= 1
            candidates = index.candidates(text[start:end], text[end:end + 1])
        found.append(Slot(start, end, candidates))
    return found
