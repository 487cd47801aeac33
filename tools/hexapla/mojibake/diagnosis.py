"""A garbled text to the channel it came through, chosen by how likely the text is under each.

The survey names the code pages that fit; the symbols present tell which bytes may have been lost; where several
channels remain, the model of the language that the slots speak decides.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hexapla.mojibake.channel import C1, SOFT_HYPHEN, Channel, Layer
from hexapla.mojibake.charsets import MULTI_BYTE, byte_map
from hexapla.mojibake.codec_evidence import LEAST, asked, survey
from hexapla.mojibake.framing import explained
from hexapla.mojibake.languages import language_of, letter_of, scripts_of
from hexapla.mojibake.lossless import DISTINCT, ENOUGH
from hexapla.mojibake.plausibility import lines_of_interest, others, share_common
from hexapla.mojibake.slots import Slot, index_of
from hexapla.mojibake.steps import Unpack, unpack

if TYPE_CHECKING:
    from hexapla.mojibake.models import Corpus

SAMPLE = 4000        # characters of garbled lines that the channels are compared on
INNER = ("latin-1", "cp1252", "cp1254")
# Code pages of the Latin alphabet whose C1 controls a program may drop; elsewhere a lead alone says nothing.
C1_LOST = ("latin-1", "iso8859-2", "iso8859-9", "iso8859-15")
GLANCE = 2000        # characters that multi-byte codecs are tried on
EXPLAINED = 0.9      # the share of the bytes behind a text that must read as UTF-8 where one is to blame
KNOWN = 24           # and how many there must be
# The same share where nothing stands for the bytes that were lost: clean lists of rare characters have up to 0.5.
MOSTLY = 0.7
UNCOMMON = 0.25      # the share of common characters from which on such a text is not asked about
EASTERN = "\u2e80"   # ideographs, kana and Hangul begin here: what such codecs make of UTF-8
MIXED = ("ja", "ko", "zh")      # languages whose letters a slot without its lead byte may all be
MAY = 0.3            # the least share among them that makes a language worth trying
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


def packed(text: str, least: float = EXPLAINED) -> Unpack | None:
    """How to come back to the bytes of UTF-8 that a multi-byte codec lost some of; None where none fits.

    least: the share of the bytes, 0 to 1, that must read as UTF-8.
    """
    sample = lines_of_interest(text, GLANCE)
    strange = others(sample) - sample.count("\ufffd")
    if others(sample) < ENOUGH or others("".join(set(sample))) < DISTINCT:
        return None
    instead = "?" if "?" in sample and "\ufffd" not in sample else "\ufffd"
    best: tuple[float, int] = (least, KNOWN)
    found = None
    for codec in MULTI_BYTE:
        step = Unpack(codec, instead)
        raw = unpack(sample, step)
        fit = (round(explained(raw), 2), sum(1 for byte in raw if "\x80" <= byte <= "\xff"))
        if fit[0] >= least and fit[1] >= max(KNOWN, strange) and (fit > best or found is None):
            best, found = fit, step
    return found


def gutted(text: str) -> Unpack | None:
    """The misreading of a text that is mostly UTF-8 read through a multi-byte codec, what it could not read dropped."""
    shown = lines_of_interest(text, GLANCE)
    eastern = sum(1 for character in shown if character >= EASTERN)
    return packed(text, MOSTLY) if 2 * eastern >= others(shown) and share_common(text) < UNCOMMON else None


def channels(text: str) -> Iterator[tuple[Channel, float]]:
    """The channels that may explain a text, each with the number of its assumptions."""
    for fit in survey(text)[:4]:
        symbols = byte_map(fit.codec)
        undefined = symbols.count("") / 8
        doubled = sum(text.count(symbols[lead]) for lead in (0xC2, 0xC3) if symbols[lead])
        replaced = [sign for sign in ("\ufffd", "?") if sign in text and (sign != "?" or asked(text) >= LEAST)]
        for instead in ("", *replaced):
            layer = _layer(text, fit.codec, instead)
            yield Channel((layer,)), undefined
            if doubled * 6 > fit.paired:
                for inner in INNER:
                    yield Channel((Layer(inner), layer)), undefined + 1


def spoken(slots: list[Slot]) -> list[str]:
    """The languages that the slots may speak, by the script that their candidates may be of; likeliest first.

    Where lead bytes are lost a slot may hold letters of several scripts, and the models decide among them.
    """
    often = Counter(slot.candidates for slot in slots if slot.candidates)
    first = language_of("".join(letter_of(candidates) * times for candidates, times in often.items()))
    may = Counter[str]()
    for candidates, times in often.items():
        for language in scripts_of(candidates):
            may[language] += times
    return [first, *(language for language in MIXED if language != first and may[language] > MAY * may.total())]


def diagnose(text: str, corpus: "Corpus", unpacked: Unpack | None = None) -> Finding | None:
    """The likeliest channel of a garbled text, or None where none explains it.

    unpacked: how it was unpacked, where the text stands as the bytes behind what a multi-byte codec showed.
    """
    sample = lines_of_interest(text, SAMPLE)
    known = unpacked and Channel((Layer(unpacked.codec, instead=unpacked.instead),))
    possible = [(known, 0.0)] if known else channels(sample)
    findings = [finding for channel, assumed in possible for finding in _judge(sample, channel, assumed, corpus)]
    if not findings:
        return None
    best, *rest = sorted(findings, key=lambda finding: -finding.evidence)
    lead = min((best.evidence - other.evidence for other in rest if other.channel != best.channel), default=math.inf)
    return replace(best, confidence=round(1.0 / (1.0 + math.exp(-min(lead, 50.0))), 4))


def _judge(sample: str, channel: Channel, assumed: float, corpus: "Corpus") -> Iterator[Finding]:
    """What a channel makes of the sample, once for each language it may be in; nothing where it explains little."""
    slots = index_of(channel).read(sample)
    filled = sum(1 for slot in slots if slot.candidates)
    if filled < 0.5 * sum(1 for slot in slots if sample[slot.start:slot.end].strip("?")):
        return
    for language in spoken(slots):
        if held := corpus.model(language):
            from hexapla.mojibake.decoder import evidence

            yield Finding(channel, language, evidence(sample, slots, *held) - PRIOR * assumed)
        else:
            left = others(sample) - sum(slot.end - slot.start for slot in slots if slot.candidates)
            yield Finding(channel, language, -16.0 * left - 8.0 * filled - PRIOR * assumed)
