"""Diagnose the chain that garbled a text: of those that fit, the one under which the text is likeliest.

The symbols present tell which bytes may have been lost; among several chains the model of a language decides.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hexapla.mojibake.decode.slots import Slot, candidate_index
from hexapla.mojibake.encodings.byte_patterns import MIN_COUNT, count_lost_marks, fitting_codecs
from hexapla.mojibake.encodings.encoding_chain import C1, MULTI_BYTE, SOFT_HYPHEN, EncodingChain, Layer, byte_map
from hexapla.mojibake.encodings.lossless import DISTINCT, ENOUGH
from hexapla.mojibake.encodings.steps import Unpack, unpack_bytes
from hexapla.mojibake.encodings.utf8_framing import share_explained
from hexapla.mojibake.model.plausibility import UNCOMMON, count_non_ascii, non_ascii_lines, share_common
from hexapla.mojibake.model.script_languages import first_letter, language_of, languages_by_script

if TYPE_CHECKING:
    from hexapla.mojibake.model.models import Corpus

SAMPLE = 4000        # characters of garbled lines that the chains are compared on
INNER = ("latin-1", "cp1252", "cp1254")
# Code pages of the Latin alphabet whose C1 controls a program may drop; elsewhere a lead alone says nothing.
C1_LOST = ("latin-1", "iso8859-2", "iso8859-9", "iso8859-15")
CODEC_SAMPLE = 2000        # characters that multi-byte codecs are tried on
EXPLAINED = 0.9      # the share of the bytes behind a text that must read as UTF-8 where one is to blame
MIN_BYTES = 24           # and how many there must be
# The same share where nothing stands for the bytes that were lost: clean lists of rare characters have up to 0.5.
MOSTLY = 0.7
EASTERN = "\u2e80"   # ideographs, kana and Hangul begin here: what such codecs make of UTF-8
MIXED = ("ja", "ko", "zh")      # languages whose letters a slot without its lead byte may all be
MIN_SHARE = 0.3            # the least share among them that makes a language worth trying
PRIOR = 4.0          # nats that each further assumption of a chain must earn


class DiagnosedChain(NamedTuple):
    """A chain, the language of what it garbled, and how likely the sample is under it (nats)."""

    chain: EncodingChain
    language: str
    evidence: float
    confidence: float = 1.0      # that it is this chain and not the next likeliest


def _last_layer(text: str, codec: str, instead: str = "") -> Layer:
    """The last layer with all the bytes that may be lost: one candidate too many costs less than one too few."""
    lost: tuple[int, ...] = ()
    if codec in C1_LOST and not re.search(r"[\x80-\x9f]", text):
        lost = C1
    if byte_map(codec)[SOFT_HYPHEN] == "\xad" and "\xad" not in text:
        lost += (SOFT_HYPHEN,)
    return Layer(codec, lost=lost, instead=instead)


def multibyte_misreading(text: str, least: float = EXPLAINED) -> Unpack | None:
    """The multi-byte codec that UTF-8 was read through, if `least` of the bytes, 0 to 1, read as UTF-8."""
    sample = non_ascii_lines(text, CODEC_SAMPLE)
    strange = count_non_ascii(sample) - sample.count("\ufffd")
    if count_non_ascii(sample) < ENOUGH or count_non_ascii("".join(set(sample))) < DISTINCT:
        return None
    instead = "\ufffd" if "\ufffd" in sample else "?" if "?" in sample else ""
    best: tuple[float, int] = (least, MIN_BYTES)
    found = None
    for codec in MULTI_BYTE:
        step = Unpack(codec, instead)
        raw = unpack_bytes(sample, step)
        fit = (round(share_explained(raw), 2), sum(1 for byte in raw if "\x80" <= byte <= "\xff"))
        if fit[0] >= least and fit[1] >= max(MIN_BYTES, strange) and (fit > best or found is None):
            best, found = fit, step
    return found


def thinned_misreading(text: str) -> Unpack | None:
    """Find a multi-byte misreading that dropped what it could not decode, so that less of UTF-8 is left."""
    shown = non_ascii_lines(text, CODEC_SAMPLE)
    eastern = sum(1 for character in shown if character >= EASTERN)
    odd = 2 * eastern >= count_non_ascii(shown) and share_common(text) < UNCOMMON
    return multibyte_misreading(text, MOSTLY) if odd else None


def possible_chains(text: str) -> Iterator[tuple[EncodingChain, float]]:
    """The chains that may explain a text, each with the number of its assumptions."""
    for fit in fitting_codecs(text)[:4]:
        symbols = byte_map(fit.codec)
        undefined = symbols.count("") / 8
        doubled = sum(text.count(symbols[lead]) for lead in (0xC2, 0xC3) if symbols[lead])
        replaced = ["\ufffd"] if "\ufffd" in text else []
        replaced += ["?"] if count_lost_marks(text) >= MIN_COUNT else []
        for instead in ("", *replaced):
            layer = _last_layer(text, fit.codec, instead)
            yield EncodingChain((layer,)), undefined
            if doubled * 6 > fit.paired:
                for inner in INNER:
                    yield EncodingChain((Layer(inner), layer)), undefined + 1


def possible_languages(slots: list[Slot]) -> list[str]:
    """The languages that the slots may be in, by the scripts of their candidates, likeliest first."""
    often = Counter(slot.candidates for slot in slots if slot.candidates)
    first = language_of("".join(first_letter(candidates) * times for candidates, times in often.items()))
    may = Counter[str]()
    for candidates, times in often.items():
        for language in languages_by_script(candidates):
            may[language] += times
    return [first, *(language for language in MIXED if language != first and may[language] > MIN_SHARE * may.total())]


def diagnose_chain(text: str, corpus: "Corpus", unpacked: Unpack | None = None) -> DiagnosedChain | None:
    """The likeliest chain of a garbled text, if any explains it; `unpacked` is the step that made bytes of it."""
    sample = non_ascii_lines(text, SAMPLE)
    known = unpacked and EncodingChain((Layer(unpacked.codec, instead=unpacked.instead),))
    possible = [(known, 0.0)] if known else possible_chains(sample)
    weighed = [found for chain, assumed in possible for found in _weigh_chain(sample, chain, assumed, corpus)]
    if not weighed:
        return None
    best, *rest = sorted(weighed, key=lambda found: -found.evidence)
    lead = min((best.evidence - other.evidence for other in rest if other.chain != best.chain), default=math.inf)
    return best._replace(confidence=round(1.0 / (1.0 + math.exp(-min(lead, 50.0))), 4))


def _weigh_chain(sample: str, chain: EncodingChain, assumed: float, corpus: "Corpus") -> Iterator[DiagnosedChain]:
    """Weigh a chain: its likelihood once for each possible language; nothing when it explains few slots."""
    slots = candidate_index(chain).read_slots(sample)
    filled = sum(1 for slot in slots if slot.candidates)
    if filled < 0.5 * sum(1 for slot in slots if sample[slot.start:slot.end].strip("?")):
        return
    for language in possible_languages(slots):
        if model := corpus.model(language):
            from hexapla.mojibake.decode.decoder import text_likelihood

            yield DiagnosedChain(chain, language, text_likelihood(sample, slots, model) - PRIOR * assumed)
        else:
            left = count_non_ascii(sample) - sum(slot.end - slot.start for slot in slots if slot.candidates)
            yield DiagnosedChain(chain, language, -16.0 * left - 8.0 * filled - PRIOR * assumed)
