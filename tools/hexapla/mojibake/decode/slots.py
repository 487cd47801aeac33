"""Split garbled text into slots, each with its candidates: the characters that it may have been.

A character's bytes begin with a lead byte, and in every chain here the common lead bytes survive. So a slot runs
from one lead symbol to the next, and an index from garbled forms to the characters that are garbled so gives the
candidates. The index covers all of Unicode's assigned characters, not those the model knows: a candidate that
is left out makes the others look surer than they are.
"""

import re
import unicodedata
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from hexapla.mojibake.encodings import encoding_chain
from hexapla.mojibake.encodings.utf8_framing import HOLE, LEADS, REST, find_characters, frames_and_marks

_REFUSED = {"Cn", "Cs", "Co", "Cc"}
_LAST, _SELECTORS = 0x33480, range(0xE0100, 0xE01F0)     # the planes beyond hold variation selectors, tags, private use
# The lead bytes of accented Latin and Cyrillic letters, of punctuation, kana, ideographs, syllables, and emoji.
COMMON_LEADS = (*range(0xC2, 0xC6), 0xD0, 0xD1, *range(0xE2, 0xF1))
SILENT = (0xEE, 0xF1, 0xF2, 0xF4)       # lead bytes that no assigned character begins with


def _is_assigned(character: str) -> bool:
    """Whether a non-ASCII character may occur in a text: no surrogates, no private use, no C1 controls."""
    return unicodedata.category(character) not in _REFUSED and (
        character < chr(_LAST) or ord(character) in _SELECTORS)


class Slot(NamedTuple):
    """text[start:end] is one character; `candidates` are what it may have been, empty when nothing fits."""

    start: int
    end: int
    candidates: str


@cache
def candidate_index(chain: encoding_chain.EncodingChain) -> "_SingleByteIndex | _MultiByteIndex":
    """The index of a chain. A character whose lead byte does not come through is not in it."""
    last = chain.layers[-1]
    return _MultiByteIndex(last) if last.decoded in encoding_chain.MULTI_BYTE else _SingleByteIndex(chain)


class _SingleByteIndex:
    """The index of a chain of single-byte codecs, from garbled forms, in which lost bytes have none, to characters."""

    def __init__(self, chain: encoding_chain.EncodingChain) -> None:
        image = encoding_chain.byte_images(chain)
        starts = encoding_chain.lead_symbols(chain.layers[-1])
        # A lead byte that was dropped leaves the symbols after it; rare ones are left out, since signs are written too.
        dropped = {byte for byte in COMMON_LEADS if not image[byte]} if len(chain.layers) == 1 else set()
        self._leads = _by_first({byte: image[byte] for byte in map(ord, LEADS)
                                 if byte in dropped or (byte not in SILENT and image[byte][:1] in starts)})
        self._rest = _by_first({byte: image[byte] for byte in map(ord, REST)})
        self._tails: dict[tuple[str, int], tuple[bytes, ...]] = {}
        self._found: dict[str, str] = {}
        self._first = self._leads.keys() - {""}
        self._slot = re.compile(self._slot_pattern())

    def read_slots(self, text: str) -> list[Slot]:
        """Each lead symbol with as many of the following ones as make a character."""
        slots, found, at = [], self._found, 0
        while match := self._slot.search(text, at):
            start, seen = match.start(), match[0]
            candidates = found[seen] if seen in found else self._find_candidates(seen)
            while not candidates and len(seen) > 1:
                seen = seen[:-1]
                candidates = self._find_candidates(seen)
            at = start + len(seen)
            if candidates or seen[0] in self._first:
                slots.append(Slot(start, at, candidates))
        return slots

    def _slot_pattern(self) -> str:
        """A pattern for a lead symbol and those that may follow it."""
        leads = [image for pairs in self._leads.values() for _, image in pairs if image]
        rest = [image for pairs in self._rest.values() for _, image in pairs]
        first = self._first
        after = {symbol for image in leads for symbol in image[1:]}.union(*rest) - first
        most = max(map(len, leads), default=1) - 1 + 3 * max(map(len, rest))
        if not first:
            return "(?!)"
        follower = f"[{re.escape(''.join(sorted(after)))}]" if after else "(?!)"
        slot = f"[{re.escape(''.join(sorted(first)))}]{follower}{{0,{most}}}"
        return f"{slot}|{follower}{{2,3}}" if "" in self._leads else slot

    def _find_candidates(self, seen: str) -> str:
        if seen not in self._found:
            leads = (pair for first in {"", seen[0]} for pair in self._leads.get(first, ()))
            rows = (lead + tail for lead, image in leads if seen.startswith(image)
                    for tail in self._tails_after(seen[len(image):], encoding_chain.size_of(lead[0]) - 1))
            self._found[seen] = "".join(sorted(filter(_is_assigned, b"".join(rows).decode("utf-8", "ignore"))))
        return self._found[seen]

    def _tails_after(self, seen: str, count: int) -> tuple[bytes, ...]:
        """The sequences of `count` bytes after a lead whose garbled form is `seen`."""
        if not count:
            return () if seen else (b"",)
        if (seen, count) not in self._tails:
            self._tails[seen, count] = tuple(
                byte + tail for first in {"", seen[:1]} for byte, image in self._rest.get(first, ())
                if seen.startswith(image)
                for tail in self._tails_after(seen[len(image):], count - 1))
        return self._tails[seen, count]


def _by_first(outcomes: dict[int, str]) -> dict[str, list[tuple[bytes, str]]]:
    """Bytes and their garbled forms, grouped by the first symbol; '' groups those that are dropped."""
    grouped: dict[str, list[tuple[bytes, str]]] = {}
    for byte, image in outcomes.items():
        grouped.setdefault(image[:1], []).append((bytes([byte]), image))
    return grouped


FEW = 4096      # combinations of bytes that are tried one by one


@cache
def _unreadable_bytes(codec: str, following: str) -> frozenset[str]:
    """The bytes that a multi-byte codec gives up before the one that follows ('' at the end of the text)."""
    after = following.encode("latin-1", "ignore")
    given_up = set()
    for symbol in REST + LEADS:
        for reader in (codec, "shift_jis") if codec == "cp932" else (codec,):     # a page seldom tells the two apart
            out = (symbol.encode("latin-1") + after + b" ").decode(reader, "replace")
            if out[0] == HOLE and len(out) == len(after) + 2:
                given_up.add(symbol)
    return frozenset(given_up)


class _MultiByteIndex:
    """The index of a multi-byte misreading: bytes as Latin-1 characters, U+FFFD for a lost one, to characters."""

    def __init__(self, layer: encoding_chain.Layer) -> None:
        self._codec = layer.decoded
        self._frames = frames_and_marks if layer.instead == "?" else find_characters
        self._found: dict[str, str] = {}

    def read_slots(self, text: str) -> list[Slot]:
        """Each sequence of bytes that makes a character, and the bytes left over."""
        return [Slot(start, end, self._find_candidates(text[start:end], text[end:end + 1]))
                for start, end, _ in self._frames(text)]

    def _find_candidates(self, seen: str, following: str) -> str:
        key = seen + following if seen.endswith(HOLE) else seen
        if key not in self._found:
            self._found[key] = self._fill_holes(seen, following)
        return self._found[key]

    def _fill_holes(self, seen: str, following: str) -> str:
        choices: list[tuple[str, ...]] = []
        for place, symbol in enumerate(seen):
            after = seen[place + 1:place + 2] or following
            allowed = REST if place else _leads_of(len(seen))
            if symbol != HOLE:
                allowed = (symbol,)
            elif after != HOLE:
                allowed = tuple(byte for byte in allowed if byte in _unreadable_bytes(self._codec, after))
            choices.append(allowed)
        known = _byte_lines(len(seen))
        if prod(map(len, choices)) <= FEW:
            return "".join(known.get(line, "") for line in map("".join, product(*choices)))
        fits = re.compile("".join(f"[{re.escape(''.join(allowed))}]" for allowed in choices))
        return "".join(known[line] for line in filter(fits.fullmatch, known))


def _leads_of(size: int) -> tuple[str, ...]:
    """The lead bytes of characters of so many bytes; all of them for a row that ends after one."""
    low, high = {2: (0xC2, 0xE0), 3: (0xE0, 0xF0), 4: (0xF0, 0xF5)}.get(size, (0xC2, 0xF5))
    return tuple(map(chr, range(low, high)))


@cache
def _byte_lines(size: int) -> dict[str, str]:
    """The characters of so many bytes in code point order, by their bytes."""
    characters = filter(_is_assigned, map(chr, (*range(0xA0, _LAST), *_SELECTORS)))
    lines = ((character.encode("utf-8").decode("latin-1"), character) for character in characters)
    return {line: character for line, character in lines if len(line) == size}
