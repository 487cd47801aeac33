"""Counts of character n-grams: taken from texts, merged, and read from small files.

The models that come with the program are kept as counts, so that pages at hand are counted together with them. A file
holds, order by order, how many grams each context has, their tokens, and their counts up to 255; where the shorter
grams lie is worked out again. `benchmarks.mojibake.train` writes them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexapla.mojibake.model.tokens import EDGE, FIRST_CHARACTER, Vocabulary

ORDER = 6

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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


def count(tokens: NDArray[np.int32], running: Floats, listed: Floats) -> list[Grams]:
    """The n-grams of orders 1 to ORDER that hold EDGE nowhere but at their end.

    running and listed, both of shape (tokens,), weigh each token as a part of running text and of a word list.
    """
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
    """The same grams in tokens of a vocabulary that has all characters of theirs, in the order that its tokens give."""
    tokens = np.concatenate((np.arange(FIRST_CHARACTER), new.each(old.characters).astype(np.int64)))
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
