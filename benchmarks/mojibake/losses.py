"""Every chain of the room with every loss, and texts from which nothing can be read, to measure refusals on."""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hexapla.mojibake.diagnose.chain_diagnosis import C1_LOST, INNER
from hexapla.mojibake.encodings.encoding_chain import (
    C1,
    MULTI_BYTE,
    SINGLE_BYTE,
    SOFT_HYPHEN,
    EncodingChain,
    Layer,
    byte_map,
    garble_text,
)

from benchmarks.mojibake.garbling import insert_every

_C1 = (*C1, SOFT_HYPHEN)
_LEGACY = {"zh": "gb18030", "ja": "shift_jis", "ko": "cp949", "ru": "koi8-r"}
_SIGNS = {"dropped": "", "U+FFFD": "\ufffd", "?": "?"}


class Loss(NamedTuple):
    """A way to garble; `chain` is what a reader is told of it, None where nothing can be told."""

    name: str
    garbled: Callable[[str], str]
    chain: EncodingChain | None = None


def losses() -> list[Loss]:
    """Every codec that text is garbled through with every loss, two of them in a row, and with marks inserted."""
    found = [Loss(f"{codec}, {name}", _through(chain), chain) for codec, name, chain in _single()]
    for codec in MULTI_BYTE:
        found += [
            Loss(f"{codec}, {name}", _read_as(codec, sign), EncodingChain((Layer(codec, instead=sign or "\ufffd"),)))
            for name, sign in _SIGNS.items()
        ]
    for inner in INNER:
        twice = EncodingChain((Layer(inner), Layer("cp1252")))
        found.append(Loss(f"{inner}, then cp1252, dropped", _through(twice), twice))
    for codec in ("latin-1", "cp1252"):
        chain = EncodingChain((Layer(codec, lost=_C1 if codec == "latin-1" else ()),))
        found.append(Loss(f"{codec}, dropped, a comma every 45 bytes", _with_commas(chain), chain))
    return found


def hopeless(language: str) -> list[Loss]:
    """Texts from which nothing can be read: of a language that went through no chain, random, garbled twice."""
    found = [Loss("signs in random order", _shuffled), Loss("random bytes, C1 dropped", _random_bytes("latin-1")),
             Loss("random bytes read as cp1252", _random_bytes("cp1252")),
             Loss("random bytes read as gbk", _random_bytes("gbk")), Loss("twice gbk, U+FFFD", _twice("gbk", "gbk")),
             Loss("euc-kr, U+FFFD, then cp1252", _twice("euc-kr", "cp1252"))]
    if language in _LEGACY:
        legacy = _LEGACY[language]
        found += [Loss(f"{legacy} read as {codec}, dropped", _legacy(legacy, codec)) for codec in ("latin-1", "cp1252")]
    return found


def _single() -> Iterator[tuple[str, str, EncodingChain]]:
    """The code pages, each with nothing lost or with its undefined bytes lost in every way, or all of C1."""
    for codec in SINGLE_BYTE:
        ways = _SIGNS if "" in byte_map(codec) else {"nothing lost": ""}
        yield from ((codec, name, EncodingChain((Layer(codec, instead=sign),))) for name, sign in ways.items())
        if codec in C1_LOST:
            yield from ((codec, f"C1 {name}", EncodingChain((Layer(codec, lost=_C1, instead=sign),)))
                        for name, sign in _SIGNS.items())


def _through(chain: EncodingChain) -> Callable[[str], str]:
    return lambda text: garble_text(text, chain)


def _with_commas(chain: EncodingChain) -> Callable[[str], str]:
    return lambda text: insert_every(text, chain, ",", 45)


def _read_as(codec: str, sign: str) -> Callable[[str], str]:
    return lambda text: text.encode("utf-8").decode(codec, "replace").replace("\ufffd", sign)


def _twice(one: str, two: str) -> Callable[[str], str]:
    return lambda text: _read_as(two, "\ufffd")(_read_as(one, "\ufffd")(text))


def _legacy(encoded: str, decoded: str) -> Callable[[str], str]:
    dropped = dict.fromkeys(_C1) if decoded == "latin-1" else {}
    return lambda text: text.encode(encoded, "ignore").decode(decoded, "ignore").translate(dropped)


def _shuffled(text: str) -> str:
    """The signs of a text that went through Latin-1, in random order among themselves; the same for the same text."""
    signs = list(garble_text(text, EncodingChain((Layer("latin-1", lost=_C1),))))
    places = [place for place, sign in enumerate(signs) if sign >= "\x80"]
    moved = [signs[place] for place in places]
    random.Random(len(text)).shuffle(moved)
    for place, sign in zip(places, moved, strict=True):
        signs[place] = sign
    return "".join(signs)


def _random_bytes(codec: str) -> Callable[[str], str]:
    """Random bytes in place of those that are not ASCII, read as a codec; the same for the same text."""
    def garbled(text: str) -> str:
        dice = random.Random(len(text))
        data = bytes(byte if byte < 0x80 else dice.randrange(0x80, 0x100) for byte in text.encode("utf-8"))
        read = data.decode(codec, "replace" if codec == "gbk" else "ignore")
        return read.translate(dict.fromkeys(_C1)) if codec == "latin-1" else read

    return garbled
