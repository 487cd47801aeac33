"""The arrays that both passes over a row of slots work on, as records that numba compiles.

The machine code that numba caches names these records; after a rename, remove __pycache__.
"""

from typing import Any, NamedTuple


class Lattice(NamedTuple):
    """Candidate sets in order: slot i's candidates are tokens[start[i]:start[i + 1]]."""

    start: Any          # int64 (slots + 1,)
    tokens: Any         # int32 (candidates,)
    weights: Any        # float64 (candidates,) how heavy the channel makes each


class Unigrams(NamedTuple):
    """Each candidate's unigram probability and the state after it, 0 for a token that nothing follows."""

    chance: Any         # float64 (candidates,)
    state: Any          # int64 (candidates,)


class Workspace(NamedTuple):
    """Working arrays: the index of each token among a slot's candidates (-1: none), and edges to them."""

    place: Any          # int64 (the greatest token + 1,)
    edge: Any           # int64 (the most candidates of a slot,)
    candidate: Any      # int64, the same
    chain: Any          # int64 (the order of the model,) a state and its shorter contexts, the empty one left out
    weight: Any         # float64, the same: what backing off to each of them costs


class Histories(NamedTuple):
    """Hypotheses of the text up to each slot, one slot after another: those up to slot i begin at begin[i + 1].

    Number 0 is the text before the first slot.
    """

    begin: Any          # int64 (slots + 2,)
    state: Any          # int64
    candidate: Any      # int64, the last one
    chance: Any         # float64, of all that was seen up to here


class Arcs(NamedTuple):
    """The transitions between histories; those into slot i's end at end[i + 1]."""

    end: Any            # int64 (slots + 1,)
    source: Any         # int32
    goal: Any           # int32
    weight: Any         # float64


class Extensions(NamedTuple):
    """Extended histories of a slot before pruning: a hash table by state and candidate."""

    table: Any          # int64 (a power of two,) number in the rest, -1 for none
    slot: Any           # int64, the place in the table
    state: Any          # int64
    candidate: Any      # int64
    chance: Any         # float64
