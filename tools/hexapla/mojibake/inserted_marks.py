"""Marks between characters: written there, or pushed in? The model of the language weighs the text with and without.

Marks inside characters cannot have been written. How many of those there are tells how many to expect elsewhere.
"""

import math
from collections.abc import Sequence

from hexapla.mojibake import kernels
from hexapla.mojibake.decoder import Choice
from hexapla.mojibake.ngrams import Model
from hexapla.mojibake.slots import Slot
from hexapla.mojibake.steps import Edit
from hexapla.mojibake.tokens import Vocabulary

BEFORE, AFTER = 16, 8      # characters on either side that are weighed


def strays(text: str, slots: Sequence[Slot], chosen: Sequence[Choice], mark: str, certain: int,
           held: tuple[Model, Vocabulary]) -> tuple[Edit, ...]:
    """The edits that take out the marks which were pushed in. certain: how many stood inside characters."""
    inside = sum(slot.end - slot.start - 1 for slot in slots)
    rate = min(certain / max(inside, 1), 0.5)
    prior = math.log(rate / (1.0 - rate)) if rate else -math.inf
    places, filled = _filled(text, slots, chosen, mark)
    edits: list[Edit] = []
    kept: list[str] = []
    at = 0
    for place, stood in places:
        kept.append(filled[at:stood])
        at = stood + 1
        before, after = "".join(kept[-BEFORE:])[-BEFORE:], filled[at:at + AFTER]
        if prior + _likely(before + after, held) > _likely(before + mark + after, held):
            edits.append(Edit(place, place + 1, ""))
        else:
            kept.append(mark)
    return tuple(edits)


def _filled(text: str, slots: Sequence[Slot], chosen: Sequence[Choice], mark: str) -> tuple[list[tuple[int, int]], str]:
    """Where each mark outside the slots stands, in the text and in the text with its slots filled; and the latter."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    at = size = 0
    ends = [*((slot.start, slot.end, choice.text) for slot, choice in zip(slots, chosen, strict=True)),
            (len(text), len(text), "")]
    for start, end, filling in ends:
        between = text[at:start]
        places += ((at + number, size + number) for number, sign in enumerate(between) if sign == mark)
        pieces += (between, filling)
        size += len(between) + len(filling)
        at = end
    return places, "".join(pieces)


def _likely(text: str, held: tuple[Model, Vocabulary]) -> float:
    """How likely a text is, as log-probability (nats)."""
    model, vocabulary = held
    return float(kernels.likelihood(model.automaton, vocabulary.encode(text)))
