"""Decode slots in two passes: a bigram forward-backward prunes, an n-gram beam forward-backward decides.

Plain loops over arrays, compiled by numba if it is installed; without it they run in Python, slowly. All are in one
file, since numba's cache of one function does not notice changes in other files.
Forward-backward: Rabiner, "A tutorial on hidden Markov models" (1989), eq. 19-27.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from hexapla.mojibake.model.ngrams import Automaton

Function = TypeVar("Function", bound=Callable[..., Any])
LONG = 16           # edges a candidate from which on each is looked for and not all are walked
TINY = 1e-300       # in place of a probability too small to be told from none


class Lattice(NamedTuple):
    """Candidate sets in order: slot i's candidates are tokens[start[i]:start[i + 1]]."""

    start: Any          # int64 (slots + 1,)
    tokens: Any         # int32 (candidates,)
    weights: Any        # float64 (candidates,) how heavy the chain makes each


class Unigrams(NamedTuple):
    """Each candidate's unigram probability and the state after it, 0 for a token that nothing follows."""

    chance: Any         # float64 (candidates,)
    state: Any          # int64 (candidates,)


class Workspace(NamedTuple):
    """Working arrays: the index of each token among a slot's candidates (-1: none), and edges to them."""

    place: Any          # int64 (the greatest token + 1,)
    edge: Any           # int64 (the most candidates of a slot,)
    candidate: Any      # int64, the same


class Histories(NamedTuple):
    """Hypotheses of the text up to each slot; those up to slot i begin at begin[i + 1], number 0 before the first."""

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


try:
    from numba import njit

    def compiled(function: Function) -> Function:
        """The function as machine code, kept on disk beside it for the next process."""
        return cast("Function", njit(cache=True, nogil=True)(function))
except ImportError:

    def compiled(function: Function) -> Function:
        """The function itself."""
        return function


@compiled
def find_edge(first: Any, token: Any, state: int, wanted: int) -> int:
    """The edge of a state that reads the wanted token, or -1."""
    low, high = int(first[state]), int(first[state + 1])
    while low < high:
        middle = (low + high) >> 1
        if token[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low < first[state + 1] and token[low] == wanted:
        return low
    return -1


@compiled
def read_token(model: Automaton, state: int, wanted: int) -> Any:
    """P(wanted | state) and the state after it. A token the model never saw leads to the empty context."""
    weight = 1.0
    while True:
        edge = find_edge(model.first, model.token, state, wanted)
        if edge >= 0:
            return weight * model.probability[edge], int(model.target[edge])
        if state == 0:
            return weight * model.unseen, 0
        weight *= model.backoff[state]
        state = int(model.shorter[state])


@compiled
def measure_likelihood(model: Automaton, tokens: Any) -> float:
    """The log-probability (nats) of a row of tokens, from the empty context on."""
    total, state = 0.0, 0
    for wanted in tokens:
        chance, state = read_token(model, state, wanted)
        total += np.log(chance)
    return total


@compiled
def measure_evidence(model: Automaton, row: Lattice) -> Any:
    """The log-probability (nats) of all that was seen, under the model cut down to bigrams."""
    _, seen = _score_forward(model, row, _look_up_unigrams(model, row.tokens), _make_workspace(row))
    return seen


@compiled
def score_by_bigrams(model: Automaton, row: Lattice) -> Any:
    """Each candidate's posterior and backward score under the model cut down to bigrams. Both of shape (candidates,).

    What follows a candidate is the unigram distribution, weighed by its back-off, plus the few edges that its
    context has; only those are walked, so a slot costs its edges and not candidates times candidates.
    """
    single, work = _look_up_unigrams(model, row.tokens), _make_workspace(row)
    forward, _ = _score_forward(model, row, single, work)
    backward = _score_backward(model, row, single, work)
    posterior = forward * backward
    for i in range(len(row.start) - 1):
        _normalise_scores(posterior, row.start[i], row.start[i + 1], 0.0)
    return posterior, backward


@compiled
def _make_workspace(row: Lattice) -> Workspace:
    """Working arrays, as long as the most candidates that a slot has."""
    most = 1
    for i in range(len(row.start) - 1):
        most = max(most, row.start[i + 1] - row.start[i])
    return Workspace(np.full(row.tokens.max() + 2, -1, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64))


@compiled
def _look_up_unigrams(model: Automaton, tokens: Any) -> Unigrams:
    single = Unigrams(np.empty(len(tokens)), np.zeros(len(tokens), np.int64))
    for c in range(len(tokens)):
        edge = find_edge(model.first, model.token, 0, tokens[c])
        single.chance[c] = model.probability[edge] if edge >= 0 else model.unseen
        single.state[c] = model.target[edge] if edge >= 0 else 0
    return single


@compiled
def _normalise_scores(values: Any, low: int, high: int, least: float) -> float:
    """Make values[low:high] add up to 1, none under the least; returns what they added up to."""
    total = 0.0
    for c in range(low, high):
        total += values[c]
    total = max(total, TINY)
    for c in range(low, high):
        values[c] = values[c] / total + least
    return total


@compiled
def _follow_state(model: Automaton, row: Lattice, state: int, low: int, high: int, work: Workspace) -> int:
    """Put the edges of a state that read one of the candidates low:high beside those candidates; how many there are.

    A short list of edges is walked, in a long one each candidate is looked for.
    """
    count = 0
    begin, end = int(model.first[state]), int(model.first[state + 1])
    if state == 0:
        return 0
    if end - begin > LONG * (high - low):
        for c in range(low, high):
            edge = find_edge(model.first, model.token, state, row.tokens[c])
            if edge >= 0:
                work.edge[count], work.candidate[count] = edge, c
                count += 1
        return count
    for edge in range(begin, end):
        if model.token[edge] < len(work.place) and work.place[model.token[edge]] >= 0:
            work.edge[count], work.candidate[count] = edge, work.place[model.token[edge]]
            count += 1
    return count


@compiled
def _score_forward(model: Automaton, row: Lattice, single: Unigrams, work: Workspace) -> Any:
    """The forward score of every candidate, and the log-probability of all that was seen."""
    forward = single.chance * row.weights
    evidence = 0.0
    for i in range(1, len(row.start) - 1):
        before, low, high = row.start[i - 1], row.start[i], row.start[i + 1]
        backed = 0.0
        for p in range(before, low):
            backed += forward[p] * model.backoff[single.state[p]] if single.state[p] else forward[p]
        for c in range(low, high):
            work.place[row.tokens[c]] = c
            forward[c] = backed * single.chance[c]
        for p in range(before, low):
            off = model.backoff[single.state[p]]
            for k in range(_follow_state(model, row, single.state[p], low, high, work)):
                c = work.candidate[k]
                forward[c] += forward[p] * (model.probability[work.edge[k]] - off * single.chance[c])
        for c in range(low, high):
            work.place[row.tokens[c]] = -1
            forward[c] *= row.weights[c]
        evidence += np.log(_normalise_scores(forward, low, high, 1e-30))
    return forward, evidence


@compiled
def _score_backward(model: Automaton, row: Lattice, single: Unigrams, work: Workspace) -> Any:
    backward = np.ones(len(row.tokens))
    for i in range(len(row.start) - 3, -1, -1):
        low, high, end = row.start[i], row.start[i + 1], row.start[i + 2]
        backed = 0.0
        for n in range(high, end):
            work.place[row.tokens[n]] = n
            backed += single.chance[n] * row.weights[n] * backward[n]
        for c in range(low, high):
            off = model.backoff[single.state[c]] if single.state[c] else 1.0
            backward[c] = off * backed
            for k in range(_follow_state(model, row, single.state[c], high, end, work)):
                n = work.candidate[k]
                backward[c] += (model.probability[work.edge[k]] - off * single.chance[n]) * row.weights[n] * backward[n]
        for n in range(high, end):
            work.place[row.tokens[n]] = -1
        _normalise_scores(backward, low, high, 1e-30)
    return backward


@compiled
def search_beam(model: Automaton, row: Lattice, ahead: Any, width: int) -> Any:
    """The posterior of every candidate under the whole model, `width` histories kept by what `ahead` promises."""
    slots, size = len(row.start) - 1, 2
    while size < 2 * width * np.max(row.start[1:] - row.start[:-1]):
        size *= 2
    reached = Extensions(np.full(size, -1, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64),
                       np.zeros(size, np.int64), np.zeros(size))
    room = (slots + 1) * width
    kept = Histories(np.zeros(slots + 2, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room))
    kept.begin[1], kept.chance[0] = 1, 1.0
    room = width * len(row.tokens)       # only what is used is ever touched
    arcs = Arcs(np.zeros(slots + 1, np.int64), np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room))
    for i in range(slots):
        made, drawn = _extend_histories(model, row, i, kept, reached, arcs)
        _prune_histories(i, kept, reached, made, arcs, drawn, ahead, width)
    return _read_posterior(row, kept, arcs)


@compiled
def _extend_histories(model: Automaton, row: Lattice, i: int, kept: Histories, reached: Extensions, arcs: Arcs) -> Any:
    """Every history before slot i with every candidate of it; how many were reached, and the end of the arcs there."""
    made, drawn = 0, int(arcs.end[i])
    for h in range(kept.begin[i], kept.begin[i + 1]):
        for c in range(row.start[i], row.start[i + 1]):
            chance, state = read_token(model, kept.state[h], row.tokens[c])
            chance *= row.weights[c]
            slot = (state * 1000003 + c * 7919) & (len(reached.table) - 1)
            number = reached.table[slot]
            while number >= 0 and not (reached.state[number] == state and reached.candidate[number] == c):
                slot = (slot + 1) & (len(reached.table) - 1)
                number = reached.table[slot]
            if number < 0:
                number = made
                reached.table[slot], reached.slot[made] = made, slot
                reached.state[made], reached.candidate[made], reached.chance[made] = state, c, 0.0
                made += 1
            reached.chance[number] += kept.chance[h] * chance
            arcs.source[drawn], arcs.goal[drawn], arcs.weight[drawn] = h, number, chance
            drawn += 1
    return made, drawn


@compiled
def _prune_histories(
    i: int, kept: Histories, reached: Extensions, made: int, arcs: Arcs, drawn: int, ahead: Any, width: int
) -> None:
    """Keep the histories of slot i that promise most, and the arcs into them; empty the table."""
    promise = np.empty(made)
    for m in range(made):
        promise[m] = reached.chance[m] * ahead[reached.candidate[m]]
        reached.table[reached.slot[m]] = -1
    floor = np.partition(promise, made - width)[made - width] if made > width else 0.0
    number = np.full(made, -1, np.int64)
    begin = end = int(kept.begin[i + 1])
    for m in range(made):
        if promise[m] >= floor and end < begin + width:
            number[m] = end
            kept.state[end], kept.candidate[end] = reached.state[m], reached.candidate[m]
            kept.chance[end] = reached.chance[m]
            end += 1
    _normalise_scores(kept.chance, begin, end, 0.0)
    kept.begin[i + 2] = end
    last = int(arcs.end[i])
    for a in range(last, drawn):
        if number[arcs.goal[a]] >= 0:
            arcs.source[last], arcs.goal[last], arcs.weight[last] = arcs.source[a], number[arcs.goal[a]], arcs.weight[a]
            last += 1
    arcs.end[i + 1] = last


@compiled
def _read_posterior(row: Lattice, kept: Histories, arcs: Arcs) -> Any:
    """The posterior of every candidate from the histories that were kept, read backwards."""
    slots = len(row.start) - 1
    posterior = np.zeros(len(row.tokens))
    backward = np.zeros(kept.begin[slots + 1])
    backward[kept.begin[slots]:] = 1.0
    for i in range(slots - 1, -1, -1):
        low, high, end = kept.begin[i], kept.begin[i + 1], kept.begin[i + 2]
        for h in range(high, end):
            posterior[kept.candidate[h]] += kept.chance[h] * backward[h]
        _normalise_scores(posterior, row.start[i], row.start[i + 1], 0.0)
        for a in range(arcs.end[i], arcs.end[i + 1]):
            backward[arcs.source[a]] += arcs.weight[a] * backward[arcs.goal[a]]
        _normalise_scores(backward, low, high, 0.0)
    return posterior
