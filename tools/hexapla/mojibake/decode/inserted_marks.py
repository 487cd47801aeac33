"""Tell inserted marks from written ones: the language model weighs the text with each mark and without it.

A mark inside a character's bytes was inserted for certain; the rate of those is the prior for the marks elsewhere.
"""

import math
from collections.abc import Sequence

from hexapla.mojibake.decode.decoder import Choice
from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.encodings.steps import Edit
from hexapla.mojibake.model import forward_backward
from hexapla.mojibake.model.ngrams import LanguageModel

BEFORE, AFTER = 16, 8      # characters on either side that are weighed


def inserted_mark_edits(text: str, slots: Sequence[Slot], chosen: Sequence[Choice], mark: str, certain: int,
                        model: LanguageModel, most: int | None = None) -> tuple[Edit, ...]:
    """The edits that remove inserted marks.

    certain: how many marks were found before, inside characters or at regular distances; most: how many may be left.
    """
    inside = sum(slot.end - slot.start - 1 for slot in slots)
    rate = min(certain / max(inside, 1), 0.5)
    prior = math.log(rate / (1.0 - rate)) if rate else -math.inf
    places, filled = _fill_gaps(text, slots, chosen, mark)
    edits: list[tuple[float, Edit]] = []
    kept: list[str] = []
    at = 0
    for place, stood in places:
        kept.append(filled[at:stood])
        at = stood + 1
        before, after = "".join(kept[-BEFORE:])[-BEFORE:], filled[at:at + AFTER]
        without = prior + _log_probability(before + after, model)
        gain = without - _log_probability(before + mark + after, model)
        if gain > 0.0:
            edits.append((gain, Edit(place, place + 1, "")))
        else:
            kept.append(mark)
    return tuple(sorted(edit for _, edit in sorted(edits, reverse=True)[:most]))


def _fill_gaps(
    text: str, slots: Sequence[Slot], chosen: Sequence[Choice], mark: str
) -> tuple[list[tuple[int, int]], str]:
    """The offsets of the marks outside slots, in the text and in the text with its slots filled; and the latter."""
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


def _log_probability(text: str, model: LanguageModel) -> float:
    return float(forward_backward.measure_likelihood(model.automaton, model.vocabulary.encode(text)))
