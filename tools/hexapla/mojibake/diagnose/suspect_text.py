"""Detect suspect text: the cheap test that lets clean pages pass without a diagnosis."""

import re

from hexapla.mojibake.encodings.byte_patterns import MIN_COUNT, fitting_codecs
from hexapla.mojibake.model.plausibility import (
    CLEAN,
    UNCOMMON,
    count_non_ascii,
    non_ascii_lines,
    share_common,
    share_everyday,
)

# Characters that no written text holds: C1 controls, and words of signs alone.
CONTROLS = tuple(chr(code) for code in range(0x80, 0xA0) if code != 0x85)     # 0x85 is a line end to some
# Signs that are written alone or at a word's edge. Russian that lost its lead bytes leaves whole words of such signs.
_EASTERN = re.compile("[\u2e80-\uffef]")
_SIGNS = re.compile("[\xa1-\xbf][?\ufffd]?(?:[\xa1-\xbf][?\ufffd]?){2,}")
# Arabic and Hebrew letters inside Latin words: accented letters misread, the rest of their bytes dropped.
_FOREIGN = re.compile("[\u05d0-\u05ea\u0621-\u06ff](?=[a-z])")
WORDS = 8       # different such words; a table of a code page's signs has fewer
SAMPLE = 6000   # characters of lines with non-ASCII ones that are looked at
RUNNING = 40    # ideographs, kana and Hangul that are enough to tell text by
# Of these the share that a language uses every day. Measured on excerpts of 2,000 bytes: clean ones have 0.93 and more,
# UTF-8 read as a multi-byte encoding up to 0.90; a list of rare characters in three languages 0.56.
EVERYDAY = 0.91
LISTED = 0.85   # different ones among them: a list has more, in which each character stands about once


def find_impossible(text: str) -> str:
    """Find characters that no text holds: the reason why it is garbled, empty for a text without them."""
    held = [control for control in CONTROLS if control in text]
    if held and sum(map(text.count, held)) >= MIN_COUNT:
        return _reason_why(f"control characters ({', '.join(f'U+{ord(control):04X}' for control in held[:3])})")
    foreign = sum(1 for found in _FOREIGN.finditer(text) if "a" <= text[found.start() - 1].lower() <= "z")
    if foreign >= WORDS:
        return _reason_why("letters of Arabic or Hebrew inside Latin words")
    words = {word for word in _SIGNS.findall(text) if len(set(word) - {"?", "\ufffd"}) >= MIN_COUNT}
    return _reason_why("words of signs alone") if len(words) >= WORDS else ""


def find_unwritten(text: str) -> str:
    """Find text in characters that no language puts together: the reason why it is garbled, else empty.

    UTF-8 that was read as a multi-byte encoding, with what could not be read dropped, is left so.
    """
    eastern = _EASTERN.findall(non_ascii_lines(text, SAMPLE))
    if len(eastern) < RUNNING or 2 * len(eastern) < count_non_ascii(non_ascii_lines(text, SAMPLE)):
        return ""
    odd = share_common(text) < UNCOMMON and len(set(eastern)) < LISTED * len(eastern)
    odd = odd and share_everyday(eastern) < EVERYDAY
    return _reason_why("rare characters where a text has common ones") if odd else ""


def _reason_why(what: str) -> str:
    return f"it holds {what}: it is garbled, but too little is left to tell how; find another copy of the text"


def is_suspect(text: str) -> bool:
    """Whether a text may be garbled. Cheap and without a language model; a suspect text may still be clean."""
    return not text.isascii() and (
        "\ufffd" in text or bool(fitting_codecs(text)) or share_common(text) < CLEAN or bool(find_impossible(text)))
