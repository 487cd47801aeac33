"""Find the single-byte codecs that UTF-8 may have been read through, by the pattern of lead and continuation bytes.

No language model is needed. Clean text passes here, so doubtful text counts as clean: a French "é »" looks like a lead
and two followers, a German "ß«" like a lead and one.
"""

import re
from collections import Counter
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from hexapla.mojibake.encodings.encoding_chain import SINGLE_BYTE, byte_map, size_of
from hexapla.mojibake.model.plausibility import count_non_ascii, non_ascii_lines, usual_characters

MIN_COUNT = 3        # pairs of a lead and a follower; fewer are taken for chance
PAIRED = 0.5     # the least share of adjacent symbols that are in such pairs
ORPHANS = 0.1    # the share that may be followers with no lead before them
ALONE = 0.5      # leads between ASCII characters, to those in slots: more, and they are the accents of a clean text
MARKS_SHARE = 0.1  # question marks to other symbols from which on they may replace lost bytes
SAMPLE = 1500    # characters of lines with non-ASCII ones that are read first, and the rest only if they tell nothing
ALIKE = 0.8      # codecs that pair nearly as many symbols as the best one stay in the running
# About what a character of UTF-8 costs, some of its bytes lost, on the scale of plausible.bits.
LETTER_BITS, IDEOGRAPH_BITS = 6.0, 12.0


class CodecShape:
    """A code page's symbols by the role of their byte in UTF-8: leads and followers, undefined bytes among these.

    `twos` are leads of two-byte characters, `latin` those of accented letters, which occur between plain letters.
    """

    def __init__(self, codec: str) -> None:
        self.codec, symbols = codec, byte_map(codec)
        self.leads = frozenset(symbols[0xC2:0xF5]) - {""}
        lenient = frozenset(map(chr, range(0x80, 0xA0))) | {"\ufffd"}
        self.followers = (frozenset(symbols[0x80:0xC0]) | lenient) - {""} - self.leads
        self.twos, self.latin = frozenset(symbols[0xC2:0xE0]) - {""}, frozenset(symbols[0xC2:0xC6]) - {""}

    @cached_property
    def runs(self) -> re.Pattern[str]:
        """A pattern for adjacent symbols."""
        return re.compile(_character_class(self.leads | self.followers) + "{2,}")

    @cached_property
    def slots(self) -> re.Pattern[str]:
        """A pattern for a lead and the followers it may have."""
        symbols = byte_map(self.codec)
        bounds = ((0xC2, 0xE0), (0xE0, 0xF0), (0xF0, 0xF5))
        two, three, four = (_character_class(frozenset(symbols[low:high]) - {""}) for low, high in bounds)
        follower = _character_class(self.followers)
        return re.compile(f"{two}{follower}?|{three}{follower}{{0,2}}|{four}{follower}{{0,3}}")

    def length(self, lead: str) -> int:
        """How many bytes the character that begins with this lead symbol takes in UTF-8."""
        return size_of(byte_map(self.codec).index(lead))


def _character_class(symbols: frozenset[str]) -> str:
    return "[" + re.escape("".join(sorted(symbols))) + "]" if symbols else "(?!)"


shape_of = cache(CodecShape)  # the pattern of UTF-8 as a codec shows it, built once


class CodecFit(NamedTuple):
    """How well a codec explains the adjacent symbols: how many are in pairs, and the bits that the slots cost."""

    codec: str
    paired: int
    bits: float
    covered: int      # symbols that are in a slot


def codec_fit(text: str, codec: str, present: frozenset[str]) -> CodecFit | None:
    """How well a codec explains a text whose non-ASCII characters are `present`; None when it does not."""
    shape = shape_of(codec)
    if not (present & shape.leads and present & shape.followers):
        return None
    runs = "\n".join(shape.runs.findall(text))
    slots = shape.slots.findall(runs)
    pairs = [len(slot) for slot in slots if len(slot) > 1]
    together = len(runs) - runs.count("\n")
    orphans = together - sum(map(len, slots))
    if len(pairs) < MIN_COUNT or sum(pairs) < PAIRED * together or orphans > ORPHANS * together:
        return None
    others = shape.leads - shape.latin
    alone = sum(map(text.count, present & others)) - sum(1 for slot in slots if slot[0] in others)
    if alone > ALONE * len(slots):
        return None
    # Most of the complete slots have to be characters in common use: "ß«" would be N'Ko.
    if sum(often * _vote_on_slot(codec, slot) for slot, often in Counter(slots).items()) < 0:
        return None
    letters = sum(1 for slot in slots if slot[0] in shape.twos)
    return CodecFit(codec, sum(pairs), LETTER_BITS * letters + IDEOGRAPH_BITS * (len(slots) - letters),
                   sum(map(len, slots)))


@lru_cache(maxsize=50_000)
def _vote_on_slot(codec: str, slot: str) -> int:
    """1 for a slot that is a character in common use or of Latin-1, -1 for any other, 0 for one that lost bytes."""
    if "\ufffd" in slot:
        return 0
    character = bytes(_bytes_by_symbol(codec).get(symbol, 0x80) for symbol in slot).decode("utf-8", "ignore")
    if len(character) != 1:
        return 0
    return 1 if character in usual_characters() or character < "\u0100" else -1


@cache
def _bytes_by_symbol(codec: str) -> dict[str, int]:
    return {symbol: byte for byte, symbol in enumerate(byte_map(codec)) if symbol}


def _has_followers(often: Counter[str], present: frozenset[str], shape: CodecShape) -> bool:
    """Whether there are enough followers for the pairs that a fit needs: clean Cyrillic has none."""
    followers = sum(often[sign] for sign in present & shape.followers)
    leads = sum(often[sign] for sign in present & shape.leads)
    return 2 * followers >= PAIRED * (leads + followers)


@lru_cache(maxsize=8)
def _codec_fits(text: str, codecs: tuple[str, ...]) -> tuple[CodecFit, ...]:
    """The fits of those codecs that explain a text."""
    present = frozenset(text)
    return tuple(fit for codec in codecs if (fit := codec_fit(text, codec, present)))


_LOST_MARKS = re.compile("(?<=[^\x00-\x7f?])[?]{1,3}")


def count_lost_marks(text: str) -> int:
    """How often question marks follow another symbol, as they do where lost bytes were replaced."""
    return len(_LOST_MARKS.findall(text))


def has_lost_marks(text: str) -> bool:
    """Whether question marks follow other symbols so often that they may replace lost bytes."""
    least = max(MIN_COUNT, MARKS_SHARE * count_non_ascii(text))
    return text.count("?") >= least and count_lost_marks(text) >= least


@lru_cache(maxsize=8)
def fitting_codecs(text: str) -> tuple[CodecFit, ...]:
    """The codecs that a text may have been garbled through, likeliest first; empty when none fits."""
    if (found := _fitting_codecs(text)) or not has_lost_marks(text):
        return found
    return _fitting_codecs(_LOST_MARKS.sub(lambda marks: "\ufffd" * len(marks[0]), text))


# Two symbols that may be a lead and a follower: those of every code page, and few characters of East Asian text.
PAIR = re.compile("([\x80-\u2fff\uf8ff-\ufb4f\ufffd])(?!\\1)[\x80-\u2fff\uf8ff-\ufb4f\ufffd]")


def _fitting_codecs(text: str) -> tuple[CodecFit, ...]:
    if not any(islice(PAIR.finditer(text), MIN_COUNT - 1, None)):
        return ()  # before thirty code pages are imported
    present = frozenset(text) - frozenset(map(chr, range(128)))
    shapes = {codec: shape_of(codec) for codec in SINGLE_BYTE} if present else {}
    fitting = [codec for codec, shape in shapes.items() if present & shape.leads and present & shape.followers]
    if not fitting:
        return ()
    # A codec that has no sign for half of what the best one has cannot pair most of it.
    often = Counter(text)
    signs = {codec: present & (shapes[codec].leads | shapes[codec].followers) for codec in fitting}
    held = {codec: sum(often[sign] for sign in signs[codec]) for codec in fitting}
    fitting = [codec for codec in fitting if 2 * held[codec] >= max(held.values())]
    fitting = [codec for codec in fitting if _has_followers(often, present, shapes[codec])]
    found = _codec_fits(non_ascii_lines(text, SAMPLE), tuple(fitting)) or _codec_fits(text, tuple(fitting))
    most = max((fit.paired for fit in found), default=0)
    likely = (fit for fit in found if fit.paired >= ALIKE * most)
    return tuple(sorted(likely, key=lambda fit: (-fit.paired, SINGLE_BYTE.index(fit.codec))))
