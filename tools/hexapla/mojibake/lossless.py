"""Undoing a misreading that lost nothing: the characters back to their bytes, the bytes read as what they were.

UTF-8 vouches for itself: bytes that were not UTF-8 seldom read as it. Legacy encodings read almost anything, so
there the outcome has to look like a text that people write.
"""

from functools import cache, lru_cache

from hexapla.mojibake.channel import Layer
from hexapla.mojibake.charsets import LEGACY, MULTI_BYTE, SINGLE_BYTE, byte_map
from hexapla.mojibake.codec_evidence import LEAST, survey
from hexapla.mojibake.plausibility import CLEAN, RARE, bits, lines_of_interest, others, share_common, share_letters

PLAUSIBLE = 0.5      # the share of common characters that a text has when it is read rightly; measured: 0.6 and more
GAIN = 0.15          # and how much greater it must be than before
LETTERS = 0.6        # the share of letters that words leave among marks
ENOUGH = 8           # non-ASCII characters; fewer say nothing about a legacy encoding
DISTINCT = 5         # different ones among them: one letter over and over is no word of any language
SAMPLE = 4000        # characters of garbled lines on which the pairs of codecs are tried


_DIGITS = [bytes([code]) for code in b"0123456789"]


@cache
def _bytes_of(codec: str) -> dict[int, str]:
    """The character of a single-byte codec -> its byte, as the Latin-1 character of that number."""
    symbols = byte_map(codec)
    table = {}
    for byte in range(256):
        table[ord(symbols[byte] or chr(byte))] = chr(byte)
    return table


@lru_cache(maxsize=2)
def _codes(text: str) -> frozenset[int]:
    """The code points in a text, which is asked about once for every codec."""
    return frozenset(map(ord, set(text)))


def to_bytes(text: str, codec: str) -> bytes | None:
    """The bytes that a program read through a codec to show this text; None where it cannot have.

    An undefined byte of a code page may stand as the C1 control of its number (WHATWG Encoding).
    """
    try:
        if codec in MULTI_BYTE:
            return None if "\ufffd" in text else text.encode(codec)
        table = _bytes_of(codec)
        if not table.keys() >= _codes(text):
            return None
        return text.translate(table).encode("latin-1")
    except UnicodeError:
        return None


def to_raw(text: str, codec: str) -> str:
    """The bytes behind a text, each as the Latin-1 character of its number; what is no byte stays as it is.

    U+FFFD stays too: it stands for a byte that the codec could not read.
    """
    table = {}
    for character in set(text):
        data = b"" if character == "\ufffd" else character.encode(codec, "ignore")
        if data:
            table[ord(character)] = data.decode("latin-1")
    return text.translate(table)


def _read(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _words(outcome: str) -> bool:
    return share_letters(outcome) >= LETTERS


def undo(text: str) -> tuple[str, Layer] | None:
    """The text before its last misreading, where that lost nothing, and the misreading; None where none shows."""
    sample = lines_of_interest(text, SAMPLE)
    before = share_common(sample)
    # Where the shape of UTF-8 shows, a legacy encoding must tell more than UTF-8 with its bytes lost would.
    strange = others(sample)
    plain = bits(sample.encode("ascii", "ignore").decode("ascii"))
    most = min((plain + fit.bits + RARE * (strange - fit.covered) for fit in survey(sample)), default=float("inf"))
    if before >= CLEAN and most == float("inf"):
        return None
    found: list[tuple[float, Layer]] = []
    tells = strange >= ENOUGH and others("".join(set(sample))) >= DISTINCT
    least = max(PLAUSIBLE, before + GAIN) if tells else float("inf")
    digits = sum(map(sample.count, "0123456789"))
    for decoded in (*SINGLE_BYTE, *MULTI_BYTE):
        data = to_bytes(sample, decoded)
        if data is None or data.isascii():
            continue
        # Of the legacy encodings only gb18030 has digits among the bytes of a character, and no misreading makes those.
        encodings = ("utf-8", *LEGACY) if sum(map(data.count, _DIGITS)) == digits else ("utf-8",)
        for encoded in encodings:
            outcome = None if encoded == decoded else _read(data, encoded)
            if outcome is None or outcome == sample:
                continue
            price = bits(outcome)
            if encoded == "utf-8" and others(outcome) >= LEAST and share_common(outcome) > min(before, PLAUSIBLE):
                found.append((price, Layer(decoded)))
            elif price < most and share_common(outcome) >= least and _words(outcome):
                found.append((price, Layer(decoded, encoded)))
    for _, layer in sorted(found, key=lambda pair: pair[0]):
        data = to_bytes(text, layer.decoded)
        outcome = _read(data, layer.encoded) if data is not None else None
        if outcome is not None:
            return outcome, layer
    return None
