"""Undo a misreading that lost no bytes: encode the characters again, decode the bytes as what they were.

Bytes that are not UTF-8 seldom decode as UTF-8. A legacy encoding decodes almost any bytes, so its outcome has to look
like a text that people write.
"""

from collections import Counter
from functools import cache

from hexapla.mojibake.encodings.byte_patterns import MIN_COUNT, fitting_codecs
from hexapla.mojibake.encodings.encoding_chain import LEGACY, MULTI_BYTE, SINGLE_BYTE, Layer, byte_map
from hexapla.mojibake.model import plausibility

PLAUSIBLE = 0.5      # the share of common characters that a text has when it is read rightly; measured: 0.6 and more
GAIN = 0.15          # and how much greater it must be than before
LETTERS = 0.6        # the share of letters that words leave among marks
TORN = 0.05          # the share of signs and capitals inside words up to which they are words of a language
ENOUGH = 8           # non-ASCII characters; fewer say nothing about a legacy encoding
DISTINCT = 5         # different ones among them: one letter over and over is no word of any language
CYRILLIC_LETTERS = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф"
CYRILLIC_ENOUGH = 40     # of these in a text; Russian has a third of them from р to я, which Big5 and EUC-KR drop
UNREAD = 0.05        # the share of such letters under which they were dropped
SAMPLE = 4000        # characters of garbled lines on which the pairs of codecs are tried
UNSURE = "〓"  # what a repair shows for a character that it cannot tell: the text has been repaired


_DIGITS = [bytes([code]) for code in b"0123456789"]


@cache
def _bytes_of(codec: str) -> dict[int, str]:
    """The character of a single-byte codec -> its byte, as the Latin-1 character of that number."""
    return {ord(symbol or chr(byte)): chr(byte) for byte, symbol in enumerate(byte_map(codec))}


def lacks_letters(text: str, codec: str) -> bool:
    """Whether a Cyrillic text has next to none of the letters that a codec cannot read: they were dropped."""
    often = Counter(text)
    letters = sum(often[letter] for letter in CYRILLIC_LETTERS)
    unread = [letter for letter in CYRILLIC_LETTERS if not letter.encode("utf-8").decode(codec, "ignore")]
    return letters >= CYRILLIC_ENOUGH and 4 * len(unread) >= len(CYRILLIC_LETTERS) and (
        sum(often[letter] for letter in unread) < UNREAD * letters)


def to_bytes(text: str, codec: str) -> bytes | None:
    """The bytes that a program decoded to show this text; None when the codec cannot have produced it.

    An undefined byte of a code page may stand as the C1 control of its number (WHATWG Encoding).
    """
    try:
        if codec in MULTI_BYTE:
            return None if "\ufffd" in text else text.encode(codec)
        table = _bytes_of(codec)
        if not table.keys() >= set(map(ord, set(text))):
            return None
        return text.translate(table).encode("latin-1")
    except UnicodeError:
        return None


def to_raw(text: str, codec: str) -> str:
    """The bytes behind a text, each as the Latin-1 character of its number; what is no byte stays, U+FFFD too."""
    encoded = ((character, character.encode(codec, "ignore")) for character in set(text) - {"\ufffd"})
    return text.translate({ord(character): data.decode("latin-1") for character, data in encoded if data})


def _decode_or_none(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _is_written(text: str, least: float) -> bool:
    """Whether a text looks like one that people write; least: the share of common characters that it must have."""
    whole = plausibility.count_torn(text) <= TORN * plausibility.count_non_ascii(text)
    return whole and plausibility.share_common(text) >= least and plausibility.share_letters(text) >= LETTERS


def undo_misreading(text: str) -> tuple[str, Layer] | None:
    """The text before its last misreading, and that misreading; None unless one that lost nothing explains the text."""
    sample = plausibility.non_ascii_lines(text, SAMPLE)
    if len(set(sample)) == 1:
        return None  # one character over and over is a line or a joke, whatever its bytes would be elsewhere
    before = plausibility.share_common(sample)
    # A legacy encoding has to explain the text in fewer bits than UTF-8 with its bytes lost would.
    strange = plausibility.count_non_ascii(sample)
    plain = plausibility.estimated_bits(sample.encode("ascii", "ignore").decode("ascii"))
    lossy = (plain + fit.bits + plausibility.RARE * (strange - fit.covered) for fit in fitting_codecs(sample))
    most = min(lossy, default=float("inf"))
    if before >= plausibility.CLEAN and most == float("inf"):
        return None
    found: list[tuple[float, Layer]] = []
    tells = strange >= ENOUGH and plausibility.count_non_ascii("".join(set(sample))) >= DISTINCT
    least = max(PLAUSIBLE, before + GAIN) if tells else float("inf")
    digits = sum(map(sample.count, "0123456789"))
    for decoded in (*SINGLE_BYTE, *MULTI_BYTE):
        data = to_bytes(sample, decoded)
        if data is None or data.isascii():
            continue
        # Of the legacy encodings only gb18030 has digits among the bytes of a character, and no misreading makes those.
        legacy = UNSURE not in text and sum(map(data.count, _DIGITS)) == digits
        encodings = ("utf-8", *LEGACY) if legacy else ("utf-8",)
        for encoded in encodings:
            outcome = None if encoded == decoded else _decode_or_none(data, encoded)
            if outcome is None or outcome == sample:
                continue
            price = plausibility.estimated_bits(outcome) + plausibility.RARE * plausibility.count_torn(outcome)
            as_utf8 = encoded == "utf-8" and plausibility.count_non_ascii(outcome) >= MIN_COUNT
            if as_utf8 and plausibility.share_common(outcome) > min(before, PLAUSIBLE):
                found.append((price, Layer(decoded)))
            elif price < most and _is_written(outcome, least):
                found.append((price, Layer(decoded, encoded)))
    for _, layer in sorted(found, key=lambda pair: pair[0]):
        data = to_bytes(text, layer.decoded)
        outcome = _decode_or_none(data, layer.encoded) if data is not None else None
        if outcome is not None:
            return outcome, layer
    return None
