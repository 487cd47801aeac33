"""Fill the slots of a garbled text with the characters chosen, and list those that are uncertain."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.diagnose.chain_diagnosis import DiagnosedChain
from hexapla.mojibake.encodings.encoding_chain import C1, MULTI_BYTE, EncodingChain
from hexapla.mojibake.encodings.steps import Edit, apply_edits

if TYPE_CHECKING:
    from hexapla.mojibake.decode.decoder import Choice

# By which the log-odds are scaled where all C1 bytes are lost: characters given 99.7 % there were right in 99.2
# to 99.4 % of the tuning pages (`python -m benchmarks.mojibake --part tune`). Elsewhere the posterior is what it says.
HEAVY = 0.95
NEGATION = "不"              # a dropped or invented negation is the worst of errors
NEGATION_THRESHOLD = 0.999
GETA = "〓"           # what Japanese printers set where the type was missing
CUT = 0.5            # the most confidence in a last character whose bytes are cut short


def has_lost_all_c1(chain: EncodingChain) -> bool:
    """Whether all C1 bytes are lost, so that a lead byte may be all that is left of a character."""
    return any(len(layer.lost) >= len(C1) for layer in chain.layers)


def calibrate_posterior(probability: float, scale: float) -> float:
    """The confidence, 0 to 1, of a choice with this posterior."""
    if scale == 1.0 or not 0.0 < probability < 1.0:
        return probability
    odds = scale * math.log(probability / (1.0 - probability))
    return 1.0 / (1.0 + math.exp(-odds))


def needed_confidence(threshold: float, choice: str, others: tuple[str, ...]) -> float:
    """The confidence that a choice needs: a higher one when a negation is among the candidates."""
    return max(threshold, NEGATION_THRESHOLD) if others and NEGATION in (choice, *others) else threshold


class Uncertain(NamedTuple):
    """A character under the threshold by its place in the repaired text; `shown` is there, `text` is likeliest."""

    start: int
    line: int
    column: int
    shown: str
    text: str
    confidence: float
    alternatives: tuple[str, ...]


def is_cut_short(text: str, slot: Slot) -> bool:
    """Whether the text ends inside this slot: it is the last, and its candidates are none or several."""
    return slot.end == len(text) and len(slot.candidates) != 1


def doubt_everything(text: str, slots: Sequence[Slot], chosen: "Sequence[Choice]",
            most: float) -> "tuple[list[Slot], list[Choice]]":
    """The slots and choices of a text in which nothing, what is left beside them included, is surer than `most`."""
    from hexapla.mojibake.decode.decoder import Choice

    pairs = [(slot, choice._replace(probability=min(choice.probability, most)))
             for slot, choice in zip(slots, chosen, strict=True)]
    filled = {place for slot in slots for place in range(slot.start, slot.end)}
    pairs += [(Slot(place, place + 1, sign), Choice(sign, most)) for place, sign in enumerate(text)
              if sign >= "\x80" and place not in filled]
    pairs.sort()
    return [slot for slot, _ in pairs], [choice for _, choice in pairs]


def fill_slots(text: str, slots: Sequence[Slot], chosen: "Sequence[Choice]", found: DiagnosedChain, threshold: float,
               guess: bool) -> tuple[tuple[Edit, ...], tuple[Uncertain, ...]]:
    """Fill every slot with the character chosen: the edits, and the choices that are uncertain."""
    edits: list[Edit] = []
    doubtful: list[Uncertain] = []
    grown, scale = 0, HEAVY if has_lost_all_c1(found.chain) else 1.0
    last = found.chain.layers[-1]
    # Where bytes that are part of no character begin and end: those beside them may belong to another one.
    torn = {place for slot in slots if not slot.candidates for place in (slot.start, slot.end)
            } if last.decoded in MULTI_BYTE and not last.instead else set()
    for slot, choice in zip(slots, chosen, strict=True):
        confidence, shown = calibrate_posterior(choice.probability, scale), choice.text
        if is_cut_short(text, slot) or not torn.isdisjoint((slot.start, slot.end)):
            confidence = min(confidence, CUT)
        others = tuple(other for other, _ in choice.others)
        if confidence < needed_confidence(threshold, choice.text, others):
            shown = (choice.text or text[slot.start:slot.end]) if guess else GETA
            doubtful.append(Uncertain(slot.start + grown, 1, 1, shown, choice.text, round(confidence, 4), others))
        edits.append(Edit(slot.start, slot.end, shown))
        grown += len(shown) - (slot.end - slot.start)
    return tuple(edits), tuple(_with_lines(apply_edits(text, edits), doubtful))


def _with_lines(text: str, doubtful: Iterable[Uncertain]) -> Iterator[Uncertain]:
    """Fill in line and column of the uncertain characters, which are in order."""
    line, at = 1, 0
    for item in doubtful:
        line += text.count("\n", at, item.start)
        at = item.start
        yield item._replace(line=line, column=at - text.rfind("\n", 0, at))
