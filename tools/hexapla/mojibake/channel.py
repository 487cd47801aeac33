"""How a clean text came to be garbled, as data, and the garbling itself.

A channel is a row of layers. Each layer encodes the text, and a program that took the bytes for another codec
decoded them: what it could not read was kept, dropped or replaced.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hexapla.mojibake.charsets import byte_map

C1 = tuple(range(0x80, 0xA0))
SOFT_HYPHEN = 0xAD
LEADS = range(0xC2, 0xF5)      # the bytes that a character of UTF-8 begins with


def size_of(lead: int) -> int:
    """How many bytes the character of UTF-8 has that begins with this lead byte."""
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


class Layer(NamedTuple):
    """`encoded` text read as `decoded`. `lost` bytes came out as `instead`; a byte that stands for nothing is one."""

    decoded: str
    encoded: str = "utf-8"
    lost: tuple[int, ...] = ()
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.encoded} -> {self.decoded}"


class Channel(NamedTuple):
    """The layers from the first misreading to the last."""

    layers: tuple[Layer, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.layers))


@cache
def _table(layer: Layer) -> dict[int, str]:
    """What each byte, written as the character of the same number, comes out as."""
    table = dict(enumerate(byte_map(layer.decoded)))
    for byte in (*layer.lost, *(byte for byte, character in table.items() if not character)):
        table[byte] = layer.instead
    return table


@cache
def leading(layer: Layer) -> frozenset[str]:
    """What the lead bytes of UTF-8 come out as; those that are lost are left out."""
    return frozenset(byte_map(layer.decoded)[byte] for byte in LEADS if byte not in layer.lost) - {""}


def _through(text: str, layer: Layer) -> str:
    return text.encode(layer.encoded, "surrogatepass").decode("latin-1").translate(_table(layer))


def garble(text: str, channel: Channel) -> str:
    """The text after a channel whose layers all read single bytes. No character's outcome depends on its neighbours."""
    for layer in channel.layers:
        text = _through(text, layer)
    return text


@cache
def images(channel: Channel) -> tuple[str, ...]:
    """What each byte of the clean text's UTF-8 comes out as; '' where it is dropped."""
    first, *rest = channel.layers
    table = _table(first)
    return tuple(garble(table[byte], Channel(tuple(rest))) for byte in range(256))


def insert_every(text: str, channel: Channel, pushed: str, every: int) -> str:
    """The text after the channel, with `pushed` after every so many bytes of the original's UTF-8."""
    data = text.encode("utf-8")
    pieces: Iterator[bytes] = (data[at:at + every] for at in range(0, len(data), every))
    first, *rest = channel.layers
    raw = pushed.join(piece.decode("latin-1") for piece in pieces).translate(_table(first))
    return garble(raw, Channel(tuple(rest))) if rest else raw
