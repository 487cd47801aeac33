"""Describe a diagnosis in words for translators, and give the reasons why a text cannot be repaired."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.diagnose.chain_diagnosis import DiagnosedChain
from hexapla.mojibake.diagnose.insertions import Insertion
from hexapla.mojibake.encodings.byte_patterns import MIN_COUNT
from hexapla.mojibake.encodings.encoding_chain import MULTI_BYTE, EncodingChain, Layer, byte_map
from hexapla.mojibake.encodings.steps import Recode, Step
from hexapla.mojibake.model.plausibility import count_non_ascii, share_common

# What is left of text that was replaced by U+FFFD, or of memory never written, read through gbk or cp949.
_LOST_SIGNS = (
    ("锟斤拷", "U+FFFD read as GBK"), ("烫烫烫", "unwritten memory read as GBK"),
    ("屯屯屯", "unwritten memory read as GBK"), ("占쏙옙", "U+FFFD read as EUC-KR"),
    ("ï¿½ï¿½", "U+FFFD read as Latin-1"),
)
# The share of signs for lost bytes among the characters beyond ASCII from which on nothing can be told: what could be
# mended to half or more had up to 0.79 (`python -m benchmarks.mojibake.refusals --part tune`).
LOST = 0.85
SPELLED = 0.25  # the share of common characters that a repaired text has; hopeless ones had up to 0.20, others 0.30 on
TORN = 0.1      # the share of characters with something left beside them from which on the chain is another one
_BESIDE = re.compile("(?<=[^\x00-\x7f])[?]++|(?<![?])[?]++(?=[^\x00-\x7f])")
_MARKS = re.compile(r"[?]*+(?=([\s\S]?))")    # and what follows them


class Diagnosis(NamedTuple):
    """What happened to a text; `steps` are the misreadings in the order in which they happened."""

    garbled: bool = False
    steps: tuple[str, ...] = ()
    language: str = ""
    inserted: str = ""
    confidence: float = 1.0
    cut_short: bool = False
    refused: str = ""          # why nothing can be repaired; empty when something can


def too_much_lost(text: str) -> str:
    """The reason when too much of a text is lost for a repair; empty otherwise."""
    strange = count_non_ascii(text)
    asked = sum(row.count("?") for row in _BESIDE.findall(text)) if "?" in text else 0
    # Each sign that may replace lost bytes: how often it does, and the number of characters, these included.
    for sign, often, all_of_them in (("U+FFFD", text.count("\ufffd"), strange), ("?", asked, strange + asked)):
        if often >= MIN_COUNT and often > LOST * all_of_them:
            return (f"{sign} stands for {often / all_of_them:.0%} of what was not ASCII: too much was lost to tell "
                    "what it was; find another copy of the text")
    for sign, reason in _LOST_SIGNS:
        if (found := text.count(sign)) and found * len(sign) * 2 >= strange:
            return f"{sign} is {reason}: the original was lost before; find another copy of the text"
    return ""


def unexplained_signs(text: str, slots: Sequence[Slot], chain: EncodingChain) -> str:
    """The reason when a chain leaves too many signs that are part of no character; empty otherwise."""
    starts = {slot.start for slot in slots}
    ends = (_MARKS.match(text, slot.end) for slot in slots)
    left = sum(1 for marks in ends if marks and marks.end() not in starts and marks[1] >= "\x80")
    return (f"it looks like {chain}, but beside {left} of {len(slots)} characters stand signs that are part of none; "
            "find another copy of the text") if left > TORN * len(slots) else ""


def spells_nothing(text: str, chain: EncodingChain) -> str:
    """The reason when a repaired text is written in no language; empty otherwise."""
    return (f"it looks like {chain}, but what is left spells no language; find another copy of the text"
            if share_common(text) < SPELLED else "")


def unreadable_reason(codec: str) -> str:
    """The reason why a text that looks like UTF-8 read through a multi-byte codec is not repaired."""
    return f"it looks like utf-8 read as {codec}, but what is left spells no language; find another copy of the text"


def _of_layer(layer: Layer) -> list[str]:
    undefined = {byte for byte, symbol in enumerate(byte_map(layer.decoded)) if not symbol}
    lost = sorted(undefined | set(layer.lost))
    if layer.decoded in MULTI_BYTE:
        how = f"replaced with {'?' if layer.instead == '?' else 'U+FFFD'}" if layer.instead else "dropped"
        return [str(layer), f"what it could not read {how}"]
    if not lost:
        return [str(layer)]
    return [str(layer), ("replaced " if layer.instead else "dropped ") + " ".join(f"{value:02x}" for value in lost)]


def describe_steps(steps: Sequence[Step], finding: DiagnosedChain | None, insertion: Insertion | None,
               cut_short: bool = False) -> Diagnosis:
    """Describe what happened to a text, from the steps that undo it."""
    happened = [said for layer in finding.chain.layers for said in _of_layer(layer)] if finding else []
    happened += [str(step.layer) for step in reversed(steps) if isinstance(step, Recode)]
    return Diagnosis(
        bool(happened), tuple(happened), finding.language if finding else "", str(insertion or ""),
        finding.confidence if finding else 1.0, cut_short,
    )
