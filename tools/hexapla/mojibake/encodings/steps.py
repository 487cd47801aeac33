"""The steps of a repair as data: replayed over the garbled text they give the repaired one."""

from collections.abc import Iterable
from typing import NamedTuple

from hexapla.mojibake.encodings.encoding_chain import Layer
from hexapla.mojibake.encodings.lossless import to_bytes, to_raw
from hexapla.mojibake.encodings.utf8_framing import with_holes


class Edit(NamedTuple):
    """text[start:end] becomes `instead`."""

    start: int
    end: int
    instead: str


class Recode(NamedTuple):
    """Encode the whole text back to bytes, and decode the bytes as what they were."""

    layer: Layer


class Unpack(NamedTuple):
    """Encode the whole text back to bytes, each written as the Latin-1 character of its number, lost ones as U+FFFD.

    `instead` is what lost bytes were written as before; '' where they were dropped.
    """

    codec: str
    instead: str = "\ufffd"


class Rewrite(NamedTuple):
    """Edits in order of their offsets, none overlapping the next."""

    edits: tuple[Edit, ...]


Step = Recode | Unpack | Rewrite


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (text[at:edit.start], edit.instead)
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)


def unpack_bytes(text: str, step: Unpack) -> str:
    """Turn a text into the bytes behind it, lost ones as U+FFFD."""
    raw = to_raw(text, step.codec)
    return with_holes(raw) if step.instead == "?" else raw


def replay(text: str, steps: Iterable[Step]) -> str:
    """Replay the steps of a repair over the garbled text. Raises ValueError for the steps of another text."""
    for step in steps:
        if isinstance(step, Rewrite):
            text = apply_edits(text, step.edits)
        elif isinstance(step, Unpack):
            text = unpack_bytes(text, step)
        elif (data := to_bytes(text, step.layer.decoded)) is not None:
            text = data.decode(step.layer.encoded)
        else:
            raise ValueError(f"these steps read the text as {step.layer.decoded}, which cannot hold it")
    return text
