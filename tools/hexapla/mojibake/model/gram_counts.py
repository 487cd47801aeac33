"""Counts of character n-grams: taken from texts, merged, and read from small files.

The models that come with the program are kept as counts, so that pages at hand are counted together with them. A file
holds, order by order, how many grams each context has, their tokens, and their counts up to 255; where the shorter
grams lie is worked out again. `benchmarks/mojibake/train.py` writes them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNKNOWN, EDGE, WORD, NUMBER, SPACE, LINE = range(6)
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
SEPARATOR = "\x01"   # reads as EDGE; stands between documents and between words
# Ids below this are the classes; above it, the place of a character in the vocabulary plus this.
FIRST_CHARACTER = LINE + 1 + len(PUNCTUATION)
ORDER = 6

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _class_tokens() -> NDArray[np.int32]:
    """The class token of each ASCII code. Shape (128,)."""
    table = np.full(128, UNKNOWN, dtype=np.int32)
    table[ord("A"):ord("Z") + 1] = table[ord("a"):ord("z") + 1] = WORD
    table[ord("0"):ord("9") + 1] = NUMBER
    table[ord(SEPARATOR)] = EDGE
    table[[ord(" "), ord("\t")]] = SPACE
    table[[ord("\r"), ord("\n")]] = LINE
    table[[ord(mark) for mark in PUNCTUATION]] = np.arange(LINE + 1, FIRST_CHARACTER)
    return table


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


class Vocabulary:
    """The tokens of characters; of non-ASCII `characters` each has its own, others are UNKNOWN.

    Something Latin beside a Chinese character tells much, which word or number it is little: a run of letters is one
    token, and so is one of digits, of spaces, of line ends or of a punctuation mark.
    """

    def __init__(self, characters: str) -> None:
        self.characters = characters
        self._table = np.full(0x110000, UNKNOWN, dtype=np.int32)
        self._table[:128] = _class_tokens()
        self._table[_code_points(characters)] = np.arange(FIRST_CHARACTER, FIRST_CHARACTER + len(characters))

    def encode_each(self, characters: str) -> NDArray[np.int32]:
        """The token id of every character. Shape (characters,)."""
        return self._table[_code_points(characters)]

    def encode(self, text: str, hole: str = "") -> NDArray[np.int32]:
        """The token ids of a text, one for each non-ASCII character and ASCII run, -1 for a `hole`. Shape (tokens,)."""
        codes = _code_points(text)
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


class Grams(NamedTuple):
    """The distinct n-grams of one order, sorted by (context, token)."""

    context: Ints    # the place of the (n-1)-gram before the last token
    token: Ints
    suffix: Ints     # the place of the (n-1)-gram without the first token
    running: Floats  # how often it stands in running text
    listed: Floats   # its weight in the word list
    pages: Floats    # how often it stands in the pages at hand, where `running` counts other text


class Counts(NamedTuple):
    """The n-grams of texts in one language, by order, in the tokens of a vocabulary."""

    vocabulary: Vocabulary
    grams: Sequence[Grams]


def count_grams(tokens: NDArray[np.int32], running: Floats, listed: Floats) -> list[Grams]:
    """The n-grams of orders 1 to ORDER with EDGE only at their end; `running` and `listed` weigh each token."""
    wide = tokens.astype(np.int64)
    size = int(wide.max()) + 1
    within = np.concatenate(([False], wide[:-1] != EDGE))
    places = np.arange(len(wide))
    ids = np.zeros(len(wide), dtype=np.int64)    # of the n-gram that ends here; order 0: the empty one
    grams = []
    for order in range(1, ORDER + 1):
        before = ids
        if order > 1:
            before = np.concatenate(([-1], ids[:-1]))
            places = np.flatnonzero(within & (before >= 0))
        keys, one, inverse = np.unique(before[places] * size + wide[places], return_index=True, return_inverse=True)
        grams.append(Grams(
            keys // size, keys % size, ids[places[one]],
            np.bincount(inverse, weights=running[places], minlength=len(keys)).astype(np.float64),
            np.bincount(inverse, weights=listed[places], minlength=len(keys)).astype(np.float64), np.zeros(len(keys)),
        ))
        ids = np.full(len(wide), -1, dtype=np.int64)
        ids[places] = inverse
    return grams


def combine_grams(pages: Sequence[Grams], others: Sequence[Grams]) -> list[Grams]:
    """The grams of the pages at hand beside those of other text; both are in tokens of one vocabulary."""
    size = 1 + max(int(gram.token.max()) for gram in (pages[0], others[0]))
    places = [np.zeros(1, dtype=np.int64)] * 2       # where the shorter grams of each lie among the merged
    found = []
    for pair in zip(pages, others, strict=True):
        keys = [place[gram.context] * size + gram.token for gram, place in zip(pair, places, strict=True)]
        both, one = np.unique(np.concatenate(keys), return_index=True)
        suffix = np.concatenate([place[gram.suffix] for gram, place in zip(pair, places, strict=True)])[one]
        places = [np.searchsorted(both, key) for key in keys]
        at_hand, running, listed = np.zeros((3, len(both)))
        at_hand[places[0]], running[places[1]] = pair[0].running, pair[1].running
        for gram, place in zip(pair, places, strict=True):
            listed[place] += gram.listed
        found.append(Grams(both // size, both % size, suffix, running, listed, at_hand))
    return found


def in_vocabulary(grams: Sequence[Grams], old: Vocabulary, new: Vocabulary) -> list[Grams]:
    """The grams in tokens of another vocabulary, which has all of their characters, in the order of its tokens."""
    tokens = np.concatenate((np.arange(FIRST_CHARACTER), new.encode_each(old.characters).astype(np.int64)))
    return [gram._replace(token=tokens[gram.token]) for gram in grams]   # both vocabularies are in code point order


def from_arrays(arrays: Mapping[str, NDArray[np.generic]], size: int) -> list[Grams]:
    """The grams of a file; `size` is the number of tokens that its vocabulary has."""
    found: list[Grams] = []
    for order in range(1, ORDER + 1):
        children = arrays[f"children{order}"].astype(np.int64)
        token = arrays[f"tokens{order}"].astype(np.int64)
        context = np.repeat(np.arange(len(children)), children)
        suffix = np.zeros(len(token), dtype=np.int64)
        if found:
            before = found[-1]
            suffix = np.searchsorted(before.context * size + before.token, before.suffix[context] * size + token)
        running = arrays[f"counts{order}"].astype(np.float64)
        found.append(Grams(context, token, suffix, running, *np.zeros((2, len(token)))))
    return found
