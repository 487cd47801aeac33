"""What the two passes over a row of slots work on: records of arrays, which numba takes as they are.

The machine code that numba keeps names these records. Under another name it cannot be read: remove __pycache__ then.
"""

from typing import Any, NamedTuple


class Row(NamedTuple):
    """Candidate sets in order: slot i's candidates are tokens[start[i]:start[i + 1]]."""

    start: Any          # int64 (slots + 1,)
    tokens: Any         # int32 (candidates,)
    weights: Any        # float64 (candidates,) how heavy the channel makes each


class Single(NamedTuple):
    """Of each candidate, the context left out: its probability and its state, 0 where nothing ever followed it."""

    chance: Any         # float64 (candidates,)
    state: Any          # int64 (candidates,)


class Work(NamedTuple):
    """Room to work in: where each token stands among the candidates of a slot (-1: nowhere), and edges to them."""

    place: Any          # int64 (the greatest token + 1,)
    edge: Any           # int64 (the most candidates of a slot,)
    candidate: Any      # int64, the same


class Histories(NamedTuple):
    """What the text up to each slot may be, one slot after another: those up to slot i begin at begin[i + 1].

    Number 0 is the text before the first slot.
    """

    begin: Any          # int64 (slots + 2,)
    state: Any          # int64
    candidate: Any      # int64, the last one
    chance: Any         # float64, of all that was seen up to here


class Arcs(NamedTuple):
    """The steps from history to history; those into slot i's end at end[i + 1]."""

    end: Any            # int64 (slots + 1,)
    source: Any         # int32
    goal: Any           # int32
    weight: Any         # float64


class Reached(NamedTuple):
    """What a slot's histories become before they are pruned: reached by state and candidate through a hash table."""

    table: Any          # int64 (a power of two,) number in the rest, -1 where there is none
    slot: Any           # int64, the place in the table
    state: Any          # int64
    candidate: Any      # int64
    chance: Any         # float64
