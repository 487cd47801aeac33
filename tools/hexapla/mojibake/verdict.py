"""A diagnosis in words that a translator understands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hexapla.mojibake.channel import Channel, Layer
from hexapla.mojibake.charsets import MULTI_BYTE, byte_map
from hexapla.mojibake.codec_evidence import LEAST
from hexapla.mojibake.diagnosis import Finding
from hexapla.mojibake.insertions import Insertion
from hexapla.mojibake.plausibility import others
from hexapla.mojibake.slots import Slot
from hexapla.mojibake.steps import Recode, Step

# What a text turns to when it was already replaced by U+FFFD, or never written, and then read through gbk or cp949.
_HOLLOW = (
    ("锟斤拷", "U+FFFD read as GBK"), ("烫烫烫", "unwritten memory read as GBK"),
    ("屯屯屯", "unwritten memory read as GBK"), ("占쏙옙", "U+FFFD read as EUC-KR"),
    ("ï¿½ï¿½", "U+FFFD read as Latin-1"),
)
# The share of signs for lost bytes among the characters beyond ASCII from which on a repair would be guesswork.
# Measured on the Hugging Face course: up to 0.49 what is accepted as sure is right, from 0.66 on (Big5, EUC-JP,
# EUC-KR) not always.
LOST = 0.6
# The lead bytes of accented Latin and Cyrillic letters, of punctuation, kana, ideographs, syllables, and emoji.
COMMON_LEADS = (*range(0xC2, 0xC6), 0xD0, 0xD1, *range(0xE2, 0xF1))
TORN = 0.1      # the share of characters with something left beside them from which on the channel is another one
_BESIDE = re.compile("[^\x00-\x7f][^\x00-\x7f?]*[?]+|[?]+(?=[^\x00-\x7f])")


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
    for sign, often, all_of_them in _lost(text):
        if often >= LEAST and often > LOST * all_of_them:
            return (f"{sign} stands for {often / all_of_them:.0%} of what was not ASCII: too much was lost to tell "
                    "what it was; find another copy of the text")
    for sign, reason in _HOLLOW:
        if (found := text.count(sign)) and found * len(sign) * 2 >= others(text):
            return f"{sign} is {reason}: the original was lost before; find another copy of the text"
    return ""


def headless(layer: Layer) -> str:
    """Why nothing can be told of what came through a code page without the common lead bytes; empty otherwise."""
    lost = [byte for byte in COMMON_LEADS if layer.decoded not in MULTI_BYTE and not byte_map(layer.decoded)[byte]]
    return (f"{layer.decoded} has no sign for the bytes {_hex(lost)}, which characters begin with: what followed them "
            "cannot be told apart; find another copy of the text") if lost else ""


def torn(text: str, slots: Sequence[Slot], channel: Channel) -> str:
    """Why a channel is not what happened: it leaves signs beside characters that are part of none; empty otherwise."""
    starts = {slot.start for slot in slots}
    ends = (_after_marks(text, slot.end) for slot in slots)
    left = sum(1 for end in ends if end not in starts and text[end:end + 1] >= "\x80")
    return (f"it looks like {channel}, but beside {left} of {len(slots)} characters stand signs that are part of none; "
            "find another copy of the text") if left > TORN * len(slots) else ""


def unread(codec: str) -> str:
    """Why a text whose bytes look like UTF-8 that a multi-byte codec lost some of is not repaired."""
    return f"it looks like utf-8 read as {codec}, but what is left spells no language; find another copy of the text"


def _after_marks(text: str, at: int) -> int:
    while text[at:at + 1] == "?":
        at += 1
    return at


def _lost(text: str) -> Iterator[tuple[str, int, int]]:
    """Each sign that may stand for lost bytes: how often it does, and how many characters there are with it."""
    strange = others(text)
    yield "U+FFFD", text.count("\ufffd"), strange
    asked = sum(row.count("?") for row in _BESIDE.findall(text)) if "?" in text else 0
    yield "?", asked, strange + asked


def _hex(values: Sequence[int]) -> str:
    return " ".join(f"{value:02x}" for value in values)


def _of_layer(layer: Layer) -> list[str]:
    undefined = {byte for byte, symbol in enumerate(byte_map(layer.decoded)) if not symbol}
    lost = sorted(undefined | set(layer.lost))
    if layer.decoded in MULTI_BYTE:
        return [str(layer), f"what it could not read replaced with {'?' if layer.instead == '?' else 'U+FFFD'}"]
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
