"""Chains: how a clean text came to be garbled, as data, and the garbling itself.

A chain is a sequence of layers. Each encodes the text and decodes the bytes with another codec; a byte that this
codec does not define is kept, dropped or replaced. Codecs have Python's names. The Windows code pages leave some bytes
undefined; Python raises an error, other programs drop them, replace them or map them to the C1 control of the same
number (WHATWG Encoding, "index single-byte").
"""

from functools import cache
from typing import NamedTuple

SINGLE_BYTE = (
    "latin-1", "cp1252", "cp1254", "cp1250", "cp1251", "cp1253", "cp1255", "cp1256", "cp1257", "cp1258", "cp874",
    "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9",
    "iso8859-10", "iso8859-11", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16",
    "mac-roman", "koi8-r", "koi8-u", "cp437", "cp850", "cp866",
)
MULTI_BYTE = ("gbk", "gb18030", "big5", "cp932", "shift_jis", "euc-jp", "euc-kr", "cp949")
# What a text may have been written in, when it was not UTF-8. gb18030 holds gbk, cp949 holds euc-kr.
LEGACY = ("gb18030", "big5", "cp932", "euc-jp", "cp949", "cp1251", "koi8-r", "cp866", "iso8859-5", "cp1253", "cp1250",
          "cp1254", "cp1252", "mac-roman")
C1 = tuple(range(0x80, 0xA0))
SOFT_HYPHEN = 0xAD
LEADS = range(0xC2, 0xF5)      # the bytes that a character of UTF-8 begins with


@cache
def byte_map(codec: str) -> tuple[str, ...]:
    """The character each of the 256 bytes stands for in a single-byte codec; '' for an undefined one."""
    characters = bytes(range(256)).decode(codec, "replace")
    return tuple("" if character == "\ufffd" else character for character in characters)


def size_of(lead: int) -> int:
    """How many bytes the character of UTF-8 has that begins with this lead byte."""
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


class Layer(NamedTuple):
    """`encoded` text read as `decoded`. `lost` bytes came out as `instead`, as undefined ones do."""

    decoded: str
    encoded: str = "utf-8"
    lost: tuple[int, ...] = ()
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.encoded} -> {self.decoded}"


class EncodingChain(NamedTuple):
    """The layers from the first misreading to the last."""

    layers: tuple[Layer, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.layers))


@cache
def _outcome_table(layer: Layer) -> dict[int, str]:
    """The outcome of each byte, by the character of the same number."""
    table = dict(enumerate(byte_map(layer.decoded)))
    for byte in (*layer.lost, *(byte for byte, character in table.items() if not character)):
        table[byte] = layer.instead
    return table


@cache
def lead_symbols(layer: Layer) -> frozenset[str]:
    """The symbols that the lead bytes of UTF-8 become; lost ones are left out."""
    return frozenset(byte_map(layer.decoded)[byte] for byte in LEADS if byte not in layer.lost) - {""}


def garble_text(text: str, chain: EncodingChain) -> str:
    """Garble a text through a chain of single-byte codecs. No character's outcome depends on its neighbours."""
    for layer in chain.layers:
        text = text.encode(layer.encoded, "surrogatepass").decode("latin-1").translate(_outcome_table(layer))
    return text


@cache
def byte_images(chain: EncodingChain) -> tuple[str, ...]:
    """The outcome of each byte of the clean text's UTF-8; '' for one that is dropped."""
    first, *rest = chain.layers
    table = _outcome_table(first)
    return tuple(garble_text(table[byte], EncodingChain(tuple(rest))) for byte in range(256))
