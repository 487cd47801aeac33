"""Choose a character for every slot with a language model, and give its probability."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.model import forward_backward
from hexapla.mojibake.model.forward_backward import Lattice
from hexapla.mojibake.model.gram_counts import UNKNOWN, Vocabulary
from hexapla.mojibake.model.ngrams import LanguageModel

KEPT = 48           # candidates a slot that the first pass leaves to the second
FLOOR = 1e-7        # and the least posterior it must give them
WIDTH = 64          # histories that the second pass keeps at a slot
WINDOW = 1024       # slots decoded at once: bounds the memory
MARGIN = 32         # slots read on either side of a window, so that its edges know their neighbours
SHOWN = 4           # candidates of a slot that are reported
OPEN = "\U000f0000"  # stands for a slot with several candidates in the row; private use, in no page

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Choice(NamedTuple):
    """The likeliest character of a slot. `others` are the runners-up with their probabilities, likeliest first."""

    text: str
    probability: float
    others: tuple[tuple[str, float], ...] = ()


class _Set(NamedTuple):
    """A candidate set as tokens. Characters that the model never saw are one candidate, as heavy as they are many."""

    names: str
    tokens: NDArray[np.int32]
    weights: Floats


@lru_cache(maxsize=50_000)
def _set_of(characters: str, vocabulary: Vocabulary) -> _Set:
    tokens = vocabulary.encode_each(characters)
    known = np.flatnonzero(tokens != UNKNOWN)
    names = "".join(characters[place] for place in known)
    unknown = np.flatnonzero(tokens == UNKNOWN)
    if not len(unknown):
        return _Set(names, tokens, np.ones(len(tokens)))
    return _Set(
        names + characters[unknown[0]],
        np.append(tokens[known], UNKNOWN).astype(np.int32),
        np.append(np.ones(len(known)), float(len(unknown))),
    )


def choose_characters(text: str, slots: Sequence[Slot], model: LanguageModel | None) -> list[Choice]:
    """The choice at each slot, "" where there is no candidate; without a model, all candidates are equally likely."""
    if model is None:
        chances = (1.0 / len(slot.candidates) if slot.candidates else 0.0 for slot in slots)
        return [Choice(slot.candidates[:1], each, tuple((other, each) for other in slot.candidates[1:4]))
                for slot, each in zip(slots, chances, strict=True)]
    choices = [Choice(slot.candidates, 1.0 if slot.candidates else 0.0) for slot in slots]
    open_slots = [number for number, slot in enumerate(slots) if len(slot.candidates) > 1]
    if open_slots:
        row, places, sets = _candidate_row(text, slots, model.vocabulary)
        for number, choice in zip(open_slots, _choose_each(row, places, sets, posteriors_of(row, model)), strict=True):
            choices[number] = choice
    return choices


def text_likelihood(text: str, slots: Sequence[Slot], model: LanguageModel) -> float:
    """How likely the text is to have been seen, whatever the slots were: log-probability in nats, by bigrams."""
    row, _, _ = _candidate_row(text, slots, model.vocabulary)
    return float(forward_backward.measure_evidence(model.automaton, row))


def _candidate_row(text: str, slots: Sequence[Slot], vocabulary: Vocabulary) -> tuple[Lattice, Ints, list[_Set]]:
    """The whole text as candidate sets; and for each slot with several, its place in the row and its set."""
    pieces, at = [], 0
    for slot in slots:
        pieces.append(text[at:slot.start])
        pieces.append(OPEN if len(slot.candidates) > 1 else slot.candidates or "\ufffd" * (slot.end - slot.start))
        at = slot.end
    pieces.append(text[at:])
    known = {characters: _set_of(characters, vocabulary)
             for characters in {slot.candidates for slot in slots if len(slot.candidates) > 1}}
    sets = [known[slot.candidates] for slot in slots if len(slot.candidates) > 1]
    ids = vocabulary.encode("".join(pieces), OPEN)
    places = np.flatnonzero(ids == -1)
    sizes = np.ones(len(ids), dtype=np.int64)
    sizes[places] = [len(found.tokens) for found in sets]
    start = np.concatenate(([0], np.cumsum(sizes)))
    tokens = np.repeat(ids, sizes)
    weights = np.ones(len(tokens))
    inside = np.repeat(ids == -1, sizes)
    if sets:
        tokens[inside] = np.concatenate([found.tokens for found in sets])
        weights[inside] = np.concatenate([found.weights for found in sets])
    return Lattice(start, tokens, weights), places, sets


def posteriors_of(row: Lattice, model: LanguageModel) -> Floats:
    """The posterior of every candidate of a row. Shape (candidates,)."""
    slots = len(row.start) - 1
    out = np.zeros(len(row.tokens))
    for begin in range(0, slots, WINDOW):
        end = min(begin + WINDOW, slots)
        low, high = max(begin - MARGIN, 0), min(end + MARGIN, slots)
        first, last = row.start[low], row.start[high]
        part = Lattice(row.start[low:high + 1] - first, row.tokens[first:last], row.weights[first:last])
        posterior = _decode_window(part, model)
        out[row.start[begin]:row.start[end]] = posterior[row.start[begin] - first:row.start[end] - first]
    return out


def _decode_window(row: Lattice, model: LanguageModel) -> Floats:
    """The posterior of every candidate of a short row: pruned by bigrams, decided by the whole model."""
    rough, ahead = forward_backward.score_by_bigrams(model.automaton, row)
    slot = np.repeat(np.arange(len(row.start) - 1), np.diff(row.start))
    order = np.lexsort((-rough, slot))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - row.start[slot]
    kept = np.flatnonzero((rank == 0) | ((rank < KEPT) & (rough > FLOOR)))
    start = np.concatenate(([0], np.cumsum(np.bincount(slot[kept], minlength=len(row.start) - 1))))
    out = np.zeros(len(row.tokens))
    lattice = Lattice(start, row.tokens[kept], row.weights[kept])
    out[kept] = forward_backward.search_beam(model.automaton, lattice, ahead[kept], WIDTH)
    return out


def _choose_each(row: Lattice, places: Ints, sets: Sequence[_Set], posterior: Floats) -> Iterator[Choice]:
    """The likeliest of each set. The mass of its unknown characters is shared out evenly among them."""
    opened = np.zeros(len(row.start) - 1, dtype=bool)
    opened[places] = True
    inside = np.repeat(opened, np.diff(row.start))
    each = posterior[inside] / row.weights[inside]
    names = "".join(found.names for found in sets)
    order = np.lexsort((-each, np.repeat(np.arange(len(sets)), [len(found.names) for found in sets])))
    begin, ranked, chances = 0, order.tolist(), each.tolist()
    for found in sets:
        best, *rest = [(names[place], chances[place]) for place in ranked[begin:begin + min(len(found.names), SHOWN)]]
        begin += len(found.names)
        yield Choice(*best, tuple((name, chance) for name, chance in rest if chance > 1e-3))
