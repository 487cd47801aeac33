"""The two passes over a row of slots: a bigram forward-backward prunes, an n-gram beam forward-backward decides.

Plain loops over arrays, compiled by numba where it is installed; without it they run as they stand, slowly.
A row of slots is a list of candidate sets: slot i's candidates are tokens[start[i]:start[i + 1]], each with the
weight the channel gives it. Forward-backward: Rabiner, "A tutorial on hidden Markov models" (1989), eq. 19-27.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

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
def find(first: Any, token: Any, state: int, wanted: int) -> int:
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
def step(first: Any, backoff: Any, shorter: Any, token: Any, probability: Any, target: Any, unseen: float,
         state: int, wanted: int) -> Any:
    """P(wanted | state) and the state after it. A token the model never saw leads to the empty context."""
    weight = 1.0
    while True:
        edge = find(first, token, state, wanted)
        if edge >= 0:
            return weight * probability[edge], int(target[edge])
        if state == 0:
            return weight * unseen, 0
        weight *= backoff[state]
        state = int(shorter[state])


@compiled
def likelihood(first: Any, backoff: Any, shorter: Any, token: Any, probability: Any, target: Any, unseen: float,
               tokens: Any) -> float:
    """The log-probability (nats) of a row of tokens, from the empty context on."""
    total, state = 0.0, 0
    for wanted in tokens:
        chance, state = step(first, backoff, shorter, token, probability, target, unseen, state, wanted)
        total += np.log(chance)
    return total


@compiled
def bigram(first: Any, backoff: Any, token: Any, probability: Any, target: Any, unseen: float,
           start: Any, tokens: Any, weights: Any) -> Any:
    """Under the model cut down to bigrams: each candidate's posterior and backward score, both of shape
    (candidates,), and the log-probability (nats) of all that was seen.

    What follows a candidate is the unigram distribution, weighed by its back-off, plus the few edges that its
    context has; only those are walked, so a slot costs its edges and not candidates times candidates.
    """
    slots = len(start) - 1
    unigram = np.empty(len(tokens))
    place = np.full(int(tokens.max()) + 2 if len(tokens) else 1, -1, np.int64)
    context = np.zeros(len(tokens), np.int64)
    for c in range(len(tokens)):
        edge = find(first, token, 0, tokens[c])
        unigram[c] = probability[edge] if edge >= 0 else unseen
        # The state of a single token is its own, or the empty one where nothing ever followed it.
        context[c] = target[edge] if edge >= 0 else 0
    forward = np.zeros(len(tokens))
    backward = np.ones(len(tokens))
    evidence = 0.0
    for c in range(start[0], start[1]):
        forward[c] = unigram[c] * weights[c]
    for i in range(1, slots):
        low, high = start[i], start[i + 1]
        for c in range(low, high):
            place[tokens[c]] = c
        backed, scale = 0.0, 0.0
        for p in range(start[i - 1], low):
            backed += forward[p] * backoff[context[p]] if context[p] else forward[p]
        for c in range(low, high):
            forward[c] = backed * unigram[c]
        for p in range(start[i - 1], low):
            if context[p] == 0:
                continue
            off = backoff[context[p]]
            for edge in range(first[context[p]], first[context[p] + 1]):
                if token[edge] < len(place) and place[token[edge]] >= 0:
                    c = place[token[edge]]
                    forward[c] += forward[p] * (probability[edge] - off * unigram[c])
        for c in range(low, high):
            place[tokens[c]] = -1
            forward[c] *= weights[c]
            scale += forward[c]
        if scale <= 0.0:
            scale = 1e-300
        evidence += np.log(scale)
        for c in range(low, high):
            forward[c] = forward[c] / scale + 1e-30
    for i in range(slots - 2, -1, -1):
        low, high, end = start[i], start[i + 1], start[i + 2]
        backed, scale = 0.0, 0.0
        for n in range(high, end):
            place[tokens[n]] = n
            backed += unigram[n] * weights[n] * backward[n]
        for c in range(low, high):
            if context[c] == 0:
                backward[c] = backed
            else:
                off = backoff[context[c]]
                total = off * backed
                for edge in range(first[context[c]], first[context[c] + 1]):
                    if token[edge] < len(place) and place[token[edge]] >= 0:
                        n = place[token[edge]]
                        total += (probability[edge] - off * unigram[n]) * weights[n] * backward[n]
                backward[c] = total
            scale += backward[c]
        for n in range(high, end):
            place[tokens[n]] = -1
        if scale <= 0.0:
            scale = 1e-300
        for c in range(low, high):
            backward[c] = backward[c] / scale + 1e-30
    posterior = forward * backward
    for i in range(slots):
        total = 0.0
        for c in range(start[i], start[i + 1]):
            total += posterior[c]
        for c in range(start[i], start[i + 1]):
            posterior[c] = posterior[c] / total if total > 0 else 0.0
    return posterior, backward, evidence


@compiled
def beam(first: Any, backoff: Any, shorter: Any, token: Any, probability: Any, target: Any, unseen: float,
         start: Any, tokens: Any, weights: Any, ahead: Any, width: int) -> Any:
    """The posterior of every candidate under the whole model, `width` histories kept at a slot. Shape (candidates,).

    ahead is the bigram pass's backward score of each candidate: histories are kept by what they promise.
    """
    slots = len(start) - 1
    most = 0
    for i in range(slots):
        most = max(most, start[i + 1] - start[i])
    room = width * most
    # Histories of all slots, one after another: where each slot's begin, what each is, and the arcs into it.
    begin = np.zeros(slots + 2, np.int64)
    state = np.zeros((slots + 1) * width, np.int64)
    cand = np.zeros((slots + 1) * width, np.int64)
    alpha = np.zeros((slots + 1) * width)
    arc_begin = np.zeros(slots + 2, np.int64)
    arc_from = np.zeros(1 << 16, np.int64)
    arc_to = np.zeros(1 << 16, np.int64)
    arc_weight = np.zeros(1 << 16)
    arcs = 0
    begin[1] = 1
    alpha[0] = 1.0
    table_size = 1
    while table_size < 2 * room + 2:
        table_size *= 2
    table = np.full(table_size, -1, np.int64)
    new_state = np.zeros(room, np.int64)
    new_cand = np.zeros(room, np.int64)
    new_alpha = np.zeros(room)
    for i in range(slots):
        low, high = begin[i], begin[i + 1]
        made = 0
        arc_low = arcs
        for h in range(low, high):
            for c in range(start[i], start[i + 1]):
                p, after = step(first, backoff, shorter, token, probability, target, unseen, state[h], tokens[c])
                p *= weights[c]
                where = (after * 1000003 + c * 7919) & (table_size - 1)
                while table[where] >= 0 and not (new_state[table[where]] == after and new_cand[table[where]] == c):
                    where = (where + 1) & (table_size - 1)
                if table[where] < 0:
                    table[where] = made
                    new_state[made] = after
                    new_cand[made] = c
                    new_alpha[made] = 0.0
                    made += 1
                new_alpha[table[where]] += alpha[h] * p
                if arcs == len(arc_from):
                    arc_from = np.concatenate((arc_from, np.zeros(arcs, np.int64)))
                    arc_to = np.concatenate((arc_to, np.zeros(arcs, np.int64)))
                    arc_weight = np.concatenate((arc_weight, np.zeros(arcs)))
                arc_from[arcs] = h
                arc_to[arcs] = table[where]
                arc_weight[arcs] = p
                arcs += 1
        for m in range(made):                    # the table is emptied by the keys put in: cheaper than all of it
            where = (new_state[m] * 1000003 + new_cand[m] * 7919) & (table_size - 1)
            while table[where] != -1:
                table[where] = -1
                where = (where + 1) & (table_size - 1)
        kept = np.full(made, -1, np.int64)
        promise = np.empty(made)
        for m in range(made):
            promise[m] = new_alpha[m] * ahead[new_cand[m]]
        floor = 0.0
        if made > width:
            floor = np.sort(promise)[made - width]
        scale, count = 0.0, 0
        for m in range(made):
            if promise[m] >= floor and count < width:
                kept[m] = high + count
                state[high + count] = new_state[m]
                cand[high + count] = new_cand[m]
                alpha[high + count] = new_alpha[m]
                scale += new_alpha[m]
                count += 1
        if scale <= 0.0:
            scale = 1e-300
        for h in range(high, high + count):
            alpha[h] /= scale
        begin[i + 2] = high + count
        keep = arc_low
        for a in range(arc_low, arcs):
            if kept[arc_to[a]] >= 0:
                arc_from[keep] = arc_from[a]
                arc_to[keep] = kept[arc_to[a]]
                arc_weight[keep] = arc_weight[a]
                keep += 1
        arcs = keep
        arc_begin[i + 1] = arcs
    posterior = np.zeros(len(tokens))
    beta = np.zeros(begin[slots + 1])
    for h in range(begin[slots], begin[slots + 1]):
        beta[h] = 1.0
    for i in range(slots - 1, -1, -1):
        total = 0.0
        for h in range(begin[i + 1], begin[i + 2]):
            total += alpha[h] * beta[h]
        for h in range(begin[i + 1], begin[i + 2]):
            posterior[cand[h]] += alpha[h] * beta[h] / total if total > 0 else 0.0
        scale = 0.0
        for a in range(arc_begin[i], arc_begin[i + 1]):
            beta[arc_from[a]] += arc_weight[a] * beta[arc_to[a]]
        for h in range(begin[i], begin[i + 1]):
            scale += beta[h]
        if scale > 0:
            for h in range(begin[i], begin[i + 1]):
                beta[h] /= scale
    return posterior
