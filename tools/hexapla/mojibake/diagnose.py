"""A garbled text to the channel it came through, chosen by how likely the text is under each.

The survey names the code pages that fit; the symbols present tell which bytes may have been lost; where several
channels remain, the model of the language that the slots speak decides.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hexapla.mojibake.channel import C1, SOFT_HYPHEN, Channel, Layer
from hexapla.mojibake.charsets import MULTI_BYTE, byte_map
from hexapla.mojibake.languages import language_of, letter_of
from hexapla.mojibake.lossless import ENOUGH, to_raw
from hexapla.mojibake.plausible import lines_of_interest
from hexapla.mojibake.slots import Slot, index_of, read
from hexapla.mojibake.survey import reading, survey

if TYPE_CHECKING:
    from hexapla.mojibake.models import Corpus

SAMPLE = 4000        # characters of garbled lines that the channels are compared on
INNER = ("latin-1", "cp1252", "cp1254")
# Code pages of the Latin alphabet whose C1 controls a program may drop; elsewhere a lead alone says nothing.
C1_LOST = ("latin-1", "iso8859-2", "iso8859-9", "iso8859-15")
PRIOR = 4.0          # nats that each further assumption of a channel must earn


@dataclass(frozen=True)
class Finding:
    """A channel, the language of what it garbled, and how likely the sample is under it (nats)."""

    channel: Channel
    language: str
    evidence: float
    confidence: float = 1.0      # that it is this channel and not the next likeliest


def _layer(text: str, codec: str, instead: str = "") -> Layer:
    """The last layer with the most that it may have lost, going by what the text still holds.

    A candidate too many costs little: the model weighs it. One too few makes the rest look surer than they are.
    """
    lost: tuple[int, ...] = ()
    if codec in C1_LOST and not re.search(r"[\x80-\x9f]", text):
        lost = C1
    if byte_map(codec)[SOFT_HYPHEN] == "\xad" and "\xad" not in text:
        lost += (SOFT_HYPHEN,)
    return Layer(codec, lost=lost, instead=instead)


def packed(text: str) -> str:
    """The multi-byte codec that a text of UTF-8 was read through, some bytes lost on the way; '' where none fits."""
    sample = lines_of_interest(text, SAMPLE)
    if sum(1 for character in sample if character >= "\x80") < ENOUGH:
        return ""
    best = ("", 0)
    for codec in MULTI_BYTE:
        raw = to_raw(sample, codec)
        fit = reading(raw, "latin-1", frozenset(raw) - frozenset(map(chr, range(128))))
        if fit and fit.paired > best[1]:
            best = (codec, fit.paired)
    return best[0]


def channels(text: str) -> Iterator[tuple[Channel, float]]:
    """The channels that may explain a text, each with the number of its assumptions."""
    for fit in survey(text)[:4]:
        symbols = byte_map(fit.codec)
        undefined = symbols.count("") / 8
        doubled = sum(text.count(symbols[lead]) for lead in (0xC2, 0xC3) if symbols[lead])
        for instead in ("", "\ufffd") if "\ufffd" in text else ("",):
            layer = _layer(text, fit.codec, instead)
            yield Channel((layer,)), undefined
            if doubled * 6 > fit.paired:
                for inner in INNER:
                    yield Channel((Layer(inner), layer)), undefined + 1


def spoken(slots: list[Slot]) -> str:
    """The language that the slots speak, by the script that their candidates may be of."""
    letters = {candidates: letter_of(candidates) for candidates in {slot.candidates for slot in slots}}
    return language_of("".join(letters[slot.candidates] for slot in slots))


def diagnose(text: str, corpus: "Corpus", codec: str = "") -> Finding | None:
    """The likeliest channel of a garbled text, or None where none explains it.

    codec: the multi-byte codec, where the text stands unpacked to its bytes.
    """
    sample = lines_of_interest(text, SAMPLE)
    if codec:
        return _judge(sample, Channel((Layer(codec, instead="\ufffd"),)), 0, corpus)
    judged = (_judge(sample, channel, assumed, corpus) for channel, assumed in channels(sample))
    findings = [finding for finding in judged if finding]
    if not findings:
        return None
    best, *others = sorted(findings, key=lambda finding: -finding.evidence)
    lead = min((best.evidence - other.evidence for other in others), default=math.inf)
    return replace(best, confidence=round(1.0 / (1.0 + math.exp(-min(lead, 50.0))), 4))


def _judge(sample: str, channel: Channel, assumed: float, corpus: "Corpus") -> Finding | None:
    slots = read(sample, index_of(channel))
    filled = sum(1 for slot in slots if slot.candidates)
    if filled < 0.5 * len(slots):
        return None
    language = spoken(slots)
    held = corpus.model(language)
    if held is None:
        others = sum(1 for character in sample if character >= "\x80")
        left = others - sum(slot.end - slot.start for slot in slots if slot.candidates)
        return Finding(channel, language, -16.0 * left - 8.0 * filled - PRIOR * assumed)
    from hexapla.mojibake.decode import evidence

    return Finding(channel, language, evidence(sample, slots, *held) - PRIOR * assumed)
