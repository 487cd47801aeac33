"""Tokenize text for the language model: characters, with ASCII runs collapsed into class tokens.

A name, a number or a path says little about which Chinese character is beside it; that something Latin is there
says a lot. So a run of Latin letters is one token, and so is a run of digits, of spaces, of line ends
or of one punctuation mark.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

UNKNOWN, EDGE, WORD, NUMBER, SPACE, LINE = range(6)
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
SEPARATOR = "\x01"   # reads as EDGE; stands between documents and between words
# Ids below this are the classes; above it, the place of a character in the vocabulary plus this.
FIRST_CHARACTER = LINE + 1 + len(PUNCTUATION)


def _classes() -> NDArray[np.int32]:
    """The class token of each ASCII code. Shape (128,)."""
    table = np.full(128, UNKNOWN, dtype=np.int32)
    table[ord("A"):ord("Z") + 1] = table[ord("a"):ord("z") + 1] = WORD
    table[ord("0"):ord("9") + 1] = NUMBER
    table[ord(SEPARATOR)] = EDGE
    table[[ord(" "), ord("\t")]] = SPACE
    table[[ord("\r"), ord("\n")]] = LINE
    table[[ord(mark) for mark in PUNCTUATION]] = np.arange(LINE + 1, FIRST_CHARACTER)
    return table


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


class Vocabulary:
    """The tokens of characters. `characters` are the non-ASCII ones that are known, in order; others are UNKNOWN."""

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._table = np.full(0x110000, UNKNOWN, dtype=np.int32)
        self._table[:128] = _classes()
        self._table[_codes(characters)] = np.arange(FIRST_CHARACTER, FIRST_CHARACTER + len(characters))

    def each(self, characters: str) -> NDArray[np.int32]:
        """The token id of every character. Shape (characters,)."""
        return self._table[_codes(characters)]

    def encode(self, text: str, hole: str = "") -> NDArray[np.int32]:
        """The token ids of a text: one for each non-ASCII character, one for each ASCII run. Shape (tokens,).

        The character `hole`, where one is given, becomes -1.
        """
        codes = _codes(text)
        ids = self._table[codes]
        if hole:
            ids[codes == ord(hole)] = -1
        repeated = np.zeros(len(ids), dtype=bool)
        repeated[1:] = (ids[1:] == ids[:-1]) & (ids[1:] < FIRST_CHARACTER) & (ids[1:] > UNKNOWN)
        return ids[~repeated]


def vocabulary_of(texts: Iterable[str]) -> Vocabulary:
    """Every non-ASCII character of the texts, in code point order."""
    seen: set[str] = set()
    for text in texts:
        seen.update(text)
    return Vocabulary("".join(sorted(character for character in seen if character >= "\x80")))
