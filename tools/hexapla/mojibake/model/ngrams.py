"""Build a character n-gram model from counts: interpolated Kneser-Ney, stored as a backing-off automaton.

Discounts: Chen & Goodman, "An empirical study of smoothing techniques for language modeling" (1998), eq. 26.
The automaton is the ARPA form: an edge holds the whole interpolated probability; a missing edge costs the
context's back-off weight and the search goes on from the context without its oldest token.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexapla.mojibake.model.gram_counts import EDGE, ORDER, Floats, Grams, Ints, Vocabulary

# The unigram mass kept for characters the model never saw is spread over about as many as there are CJK
# ideographs, Hangul syllables, kana and symbols on Unicode's first plane.
UNSEEN = 40_000
SPREAD = 0.05        # the share of it that such characters keep where a word list tells about the others
LISTED_MOST = 10.0   # the most that a word list weighs in one context, in occurrences: pages know their own words
LISTED_KEPT = 0.7    # the share of that weight which goes to the words listed; the rest backs off


class Automaton(NamedTuple):
    """A language model as states and edges.

    A state is a context of 0 to ORDER - 1 tokens; state 0 is the empty one. The edges of state s lie at
    first[s]:first[s + 1], sorted by token.
    """

    first: Ints                     # (states + 1,)
    backoff: Floats                 # (states,)
    shorter: NDArray[np.int32]      # (states,) the same context less its oldest token
    token: NDArray[np.int32]        # (edges,)
    probability: Floats             # (edges,) P(token | state)
    target: NDArray[np.int32]       # (edges,) the state after the token
    unseen: float                   # P(one character the model never saw), empty context


class LanguageModel(NamedTuple):
    """A language model over the tokens of a vocabulary."""

    vocabulary: Vocabulary
    automaton: Automaton


def _bound_listed(gram: Grams, contexts: int) -> Grams:
    """Limit the weight of the word list in any context to LISTED_MOST."""
    total = np.bincount(gram.context, weights=gram.listed, minlength=contexts)
    return gram._replace(listed=gram.listed / (1.0 + total[gram.context] / LISTED_MOST))


def _kneser_ney_counts(occurrences: Sequence[Floats], grams: Sequence[Grams], order: int) -> Floats:
    """Kneser-Ney's counts: occurrences in the highest order, below it how many distinct tokens are seen before."""
    here = occurrences[order - 1]
    if order == ORDER:
        return here
    left = np.bincount(grams[order].suffix[occurrences[order] > 0], minlength=len(here))
    counts: Floats = np.maximum(left, np.minimum(here, 1.0))
    return counts


def _base_distribution(single: Grams) -> Floats:
    """The base distribution of characters: the word list's shares, and a little for every other character."""
    listed = single.listed.sum()
    if listed <= 0:
        return np.full(len(single.token), 1.0 / UNSEEN)
    share: Floats = single.listed / listed
    return (1.0 - SPREAD) * share + SPREAD / UNSEEN


def _discount_counts(counts: Floats) -> Floats:
    """The discount of each count: D1, D2 or D3+, never more than the count."""
    n1, n2, n3, n4 = (max(int(np.count_nonzero(np.ceil(counts) == k)), 1) for k in (1, 2, 3, 4))
    y = n1 / (n1 + 2 * n2)
    steps = np.clip([1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3], (0.1, 0.2, 0.3), (1, 2, 3))
    taken: Floats = np.minimum(steps[np.clip(np.ceil(counts), 1, 3).astype(np.int64) - 1], counts)
    return taken


def _discounted_shares(grams: Sequence[Grams], order: int, contexts: int, weight: float) -> tuple[Floats, Floats]:
    """Each gram's discounted share of its context, and back-off weights; pages and other text are discounted apart."""
    gram = grams[order - 1]
    of_text = _kneser_ney_counts([each.running for each in grams], grams, order)
    of_pages = _kneser_ney_counts([each.pages for each in grams], grams, order)
    counts = of_text + weight * of_pages
    # Of single characters the word list's shares are the base distribution already, see _base.
    words = gram.listed if order > 1 else np.zeros(len(gram.listed))
    kept = counts - _discount_counts(of_text) - weight * _discount_counts(of_pages) + LISTED_KEPT * words
    kept = np.where(gram.token == EDGE, 0.0, kept)      # what follows a word's end is not known
    total = np.bincount(gram.context, weights=counts + words, minlength=contexts)
    share: Floats = kept / np.maximum(total, 1e-300)[gram.context]
    left: Floats = np.clip(1.0 - np.bincount(gram.context, weights=share, minlength=contexts), 1e-9, 1.0)
    return share, left


def build_automaton(grams: Sequence[Grams], vocabulary: Vocabulary, weight: float = 1.0) -> LanguageModel:
    """Build the model of counted n-grams; `weight` is what an occurrence in the pages at hand weighs beside another."""
    sizes = [1] + [len(gram.token) for gram in grams]
    grams = [grams[0], *(_bound_listed(gram, contexts) for gram, contexts in zip(grams[1:], sizes[1:], strict=False))]
    bases = np.cumsum([0, *sizes])               # states of order n begin at bases[n]; edges of order n at bases[n] - 1
    first = np.zeros(bases[ORDER] + 1, dtype=np.int64)
    backoff, shorter, target, probability = [], [np.zeros(1, dtype=np.int32)], [], []
    lower = _base_distribution(grams[0])
    lower_target = np.zeros(1, dtype=np.int64)
    for order, gram in enumerate(grams, 1):
        share, left = _discounted_shares(grams, order, sizes[order - 1], weight)
        lower = share + left[gram.context] * (lower if order == 1 else lower[gram.suffix])
        backoff.append(left)
        probability.append(lower)
        first[bases[order - 1] + 1:bases[order] + 1] = np.bincount(gram.context, minlength=sizes[order - 1])
        lower_target = lower_target[gram.suffix]
        if order < ORDER:
            continues = np.zeros(len(gram.token), dtype=bool)
            continues[grams[order].context] = True
            lower_target = np.where(continues, bases[order] + np.arange(len(gram.token)), lower_target)
            shorter.append((bases[order - 1] + gram.suffix).astype(np.int32))
        target.append(lower_target)
    spread = SPREAD if grams[0].listed.any() else 1.0
    return LanguageModel(vocabulary, Automaton(
        np.cumsum(first), np.concatenate(backoff), np.concatenate(shorter),
        np.concatenate([gram.token for gram in grams]).astype(np.int32), np.concatenate(probability),
        np.concatenate(target).astype(np.int32), float(backoff[0][0]) * spread / UNSEEN,
    ))
