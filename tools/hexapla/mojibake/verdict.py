"""A diagnosis in words that a translator understands."""

from collections.abc import Sequence
from dataclasses import dataclass

from hexapla.mojibake.channel import Layer
from hexapla.mojibake.charsets import MULTI_BYTE, byte_map
from hexapla.mojibake.diagnose import Finding
from hexapla.mojibake.insertions import Insertion
from hexapla.mojibake.steps import Recode, Step

# What a text turns to when it was already replaced by U+FFFD, or never written, and then read through gbk or cp949.
_HOLLOW = (
    ("锟斤拷", "U+FFFD read as GBK"), ("烫烫烫", "unwritten memory read as GBK"),
    ("屯屯屯", "unwritten memory read as GBK"), ("占쏙옙", "U+FFFD read as EUC-KR"),
    ("\ufffd\ufffd\ufffd", "U+FFFD and nothing else"), ("ï¿½ï¿½", "U+FFFD read as Latin-1"),
)


@dataclass(frozen=True)
class Diagnosis:
    """What happened to a text. `steps` are in the order in which they happened."""

    garbled: bool = False
    steps: tuple[str, ...] = ()
    language: str = ""
    inserted: str = ""
    confidence: float = 1.0
    cut_short: bool = False
    refused: str = ""          # why nothing can be repaired; empty where something can


def hollow(text: str) -> str:
    """Why a text holds nothing any more that could be repaired; empty where it does."""
    others = sum(1 for character in text if character >= "\x80")
    for sign, reason in _HOLLOW:
        if (found := text.count(sign)) and found * len(sign) * 2 >= others:
            return f"{sign} is {reason}: the original was lost before; find another copy of the text"
    return ""


def _hex(values: Sequence[int]) -> str:
    return " ".join(f"{value:02x}" for value in values)


def _of_layer(layer: Layer) -> list[str]:
    undefined = {byte for byte, symbol in enumerate(byte_map(layer.decoded)) if not symbol}
    lost = sorted(undefined | set(layer.lost))
    if layer.decoded in MULTI_BYTE:
        return [str(layer), "what it could not read replaced with U+FFFD"]
    if not lost:
        return [str(layer)]
    return [str(layer), ("replaced " if layer.instead else "dropped ") + _hex(lost)]


def verdict_of(steps: Sequence[Step], finding: Finding | None, insertion: Insertion | None,
               cut_short: bool = False) -> Diagnosis:
    """The diagnosis of a text from what undid it."""
    happened: list[str] = []
    if finding:
        for layer in finding.channel.layers:
            happened += _of_layer(layer)
    for step in reversed(steps):
        if isinstance(step, Recode):
            happened.append(str(step.layer))
    return Diagnosis(
        bool(happened), tuple(happened), finding.language if finding else "", str(insertion or ""),
        finding.confidence if finding else 1.0, cut_short,
    )
