"""What a repair did, as data: replaying the steps over the garbled text gives the repaired one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from hexapla.mojibake.channel import Layer
from hexapla.mojibake.framing import with_holes
from hexapla.mojibake.lossless import to_bytes, to_raw


class Edit(NamedTuple):
    """text[start:end] becomes `instead`."""

    start: int
    end: int
    instead: str


@dataclass(frozen=True)
class Recode:
    """The whole text back to bytes, and the bytes read as what they were."""

    layer: Layer


@dataclass(frozen=True)
class Unpack:
    """The whole text back to bytes, each standing as the Latin-1 character of its number, lost ones as U+FFFD.

    `instead` is what they stood as before.
    """

    codec: str
    instead: str = "\ufffd"


@dataclass(frozen=True)
class Rewrite:
    """Edits in order of place, none reaching into the next."""

    edits: tuple[Edit, ...]


Step = Recode | Unpack | Rewrite


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits made."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (text[at:edit.start], edit.instead)
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)


def unpack(text: str, step: Unpack) -> str:
    """The bytes behind a text, lost ones as U+FFFD."""
    raw = to_raw(text, step.codec)
    return with_holes(raw) if step.instead == "?" else raw


def replay(text: str, steps: Iterable[Step]) -> str:
    """The repaired text from the garbled one and the steps of its repair.

    Raises ValueError where the steps are not of this text.
    """
    for step in steps:
        if isinstance(step, Rewrite):
            text = apply(text, step.edits)
            continue
        if isinstance(step, Unpack):
            text = unpack(text, step)
            continue
        data = to_bytes(text, step.layer.decoded)
        if data is None:
            raise ValueError(f"these steps read the text as {step.layer.decoded}, which cannot hold it")
        text = data.decode(step.layer.encoded)
    return text
