"""The encoding chains of the table, as code that garbles a clean text."""

import random
from collections.abc import Callable, Iterator

from hexapla.mojibake.encodings.encoding_chain import (
    C1,
    LEGACY,
    MULTI_BYTE,
    SINGLE_BYTE,
    SOFT_HYPHEN,
    EncodingChain,
    Layer,
    byte_images,
    garble_text,
)

_CP1252 = EncodingChain((Layer("cp1252"),))
_CP1254 = EncodingChain((Layer("cp1254", lost=(SOFT_HYPHEN,)),))
_C1 = EncodingChain((Layer("latin-1", lost=(*C1, SOFT_HYPHEN)),))
_ASKED = EncodingChain((Layer("cp1254", lost=(SOFT_HYPHEN,), instead="?"),))
_DOUBLED = EncodingChain((Layer("latin-1"), Layer("cp1252")))


def _apply_layer(codec: str) -> Callable[[str], str]:
    return lambda text: text.encode("utf-8").decode(codec, "replace")


def _commas_anywhere(text: str) -> str:
    """A comma at random places, one in 45 bytes on average; the same for the same text."""
    dice = random.Random(len(text))
    raw = "".join(symbol + ("," if dice.random() < 1 / 45 else "") for symbol in text.encode("utf-8").decode("latin-1"))
    lost = dict.fromkeys((*C1, SOFT_HYPHEN))
    return raw.translate(lost)


def insert_every(text: str, chain: EncodingChain, pushed: str, every: int) -> str:
    """Garble a text through the chain, with an ASCII character inserted after every `every` bytes of its UTF-8."""
    images, data = byte_images(chain), text.encode("utf-8")
    return pushed.join("".join(images[byte] for byte in data[at:at + every]) for at in range(0, len(data), every))


def lossless(text: str) -> Iterator[str]:
    """The text in every encoding, read as every other codec that can read it all."""
    for encoded in ("utf-8", *LEGACY):
        for decoded in (*SINGLE_BYTE, *MULTI_BYTE):
            try:
                garbled = text.encode(encoded).decode(decoded)
            except UnicodeError:
                continue
            if garbled != text:
                yield garbled


# Name -> garbling, and what the issue commits to per language (share of non-ASCII characters that are right, percent).
CHAINS: dict[str, tuple[Callable[[str], str], dict[str, float]]] = {
    "cp1252, bytes dropped": (
        lambda text: garble_text(text, _CP1252), {"zh": 99.4, "ja": 99.8, "ko": 99.6, "ru": 99.9}),
    "cp1254, bytes dropped": (
        lambda text: garble_text(text, _CP1254), {"zh": 99.4, "ja": 99.8, "ko": 99.6, "ru": 99.9}),
    "latin-1, C1 dropped": (lambda text: garble_text(text, _C1), {"zh": 93.0, "ja": 91.0, "ko": 94.5, "ru": 98.7}),
    "the same, a comma every 45 bytes": (
        lambda text: insert_every(text, _C1, ",", 45), {"zh": 93.0, "ja": 91.0, "ko": 94.5, "ru": 98.7}),
    "the same, commas at random": (_commas_anywhere, {}),
    "utf-8 as gbk, U+FFFD": (_apply_layer("gbk"), {"zh": 99.2, "ja": 99.2, "ko": 99.2, "ru": 99.5}),
    "utf-8 as gb18030, U+FFFD": (_apply_layer("gb18030"), {"zh": 99.2, "ja": 99.2, "ko": 99.2, "ru": 99.5}),
    "utf-8 as cp932, U+FFFD": (_apply_layer("cp932"), {}),
    "utf-8 as cp949, U+FFFD": (_apply_layer("cp949"), {}),
    "utf-8 as gbk, ?": (lambda text: _apply_layer("gbk")(text).replace("\ufffd", "?"), {}),
    "cp1254, bytes replaced with ?": (lambda text: garble_text(text, _ASKED), {}),
    "latin-1, then cp1252 dropped": (
        lambda text: garble_text(text, _DOUBLED), {"zh": 99.3, "ja": 99.3, "ko": 99.3, "ru": 99.3}),
}
# Without clean pages: the counts that come with the program, and wordfreq.
ALONE: dict[str, dict[str, float]] = {
    "cp1252, bytes dropped": {"zh": 98.5, "ja": 99.3, "ko": 99.0, "ru": 99.8},
    "cp1254, bytes dropped": {"zh": 98.5, "ja": 99.3, "ko": 99.0, "ru": 99.8},
    "latin-1, C1 dropped": {"zh": 84.0, "ja": 82.0, "ko": 86.0, "ru": 97.5},
    "utf-8 as gbk, U+FFFD": {"zh": 97.0, "ja": 97.0, "ko": 97.0, "ru": 98.5},
    "utf-8 as gb18030, U+FFFD": {"zh": 97.0, "ja": 97.0, "ko": 97.0, "ru": 98.5},
}
