"""The numbers of a text in any of the languages, made comparable: 110亿, 11 billion and 11,000,000,000 are one."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from hexapla.checks.rules.numbers import tables
from hexapla.languages import base


class Number(NamedTuple):
    """A number as written, and what it may stand for, each as plain decimal digits with "%" behind a percentage.

    `certain` ones are written in digits. A number word is not certain: "one" and 一 may be no number at all.
    """

    text: str
    values: frozenset[str]
    certain: bool
    offset: int


DIGITS = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f\u2009]\d+)*(?:[eE][-+\u2212]?\d{1,3}(?!\w|\.\d))?")
PLAIN = re.compile(r"[0-9]+(?:\.[0-9]{1,2})?")
SPACED = re.compile(r"\d{1,3}(?: \d{3}){1,8}(?:,\d+)?(?![\d.,])")  # bounded: it is tried at each number
GROUPED = re.compile(r"\d{1,3}(?:([,'\u2019\u00a0\u202f\u2009])\d{3})(?:\1\d{3})*(?:\.\d+)?$")
CJK_SCALE = re.compile(r"[ ]?([十百千万萬亿億兆십백천만억조]{1,8})")
REST = re.compile(r"(\d{1,4})(?!\d)([十百千万萬십백천만]*)")
WORD_SCALE = re.compile(r"[ \u00a0-]?(" + "|".join(
    sorted({*tables.SCALES, *tables.LONG_SCALE}, key=len, reverse=True)) + r")\b\.?", re.I)
LETTER_SCALE = re.compile(r"[ ]?([kKMBT])(?![A-Za-z])")
PERCENT = re.compile(r"[ \u00a0\u202f-]?(?:" + tables.PERCENT + ")", re.I)
POINTS = re.compile(r"[ \u00a0\u202f-]?(?:" + tables.POINTS + ")", re.I)
RANGE = re.compile(r"\s?(?:-|–|—|~|～|〜|−|到|至|から|에서|to|or|and|bis|à|a|y|до|или|và|や|或|和|、|,)\s?$")
# A minus; behind a letter or a number it may be a dash, and its word may say something else.
SIGN = re.compile(
    r"(?P<sure>(?:^|(?<![\d%\s])\s|[(（\[「『，、：=])[-\u2212])$|(?:[\u3040-\ud7a3]|[\d%]\s)[-\u2212]$"
    r"|(?:[负負]|マイナス|마이너스|음의|\b(?i:minus|moins|menos|meno|negative|минус|мінус|eksi))\s?$"
)
CJK_RUN = re.compile(r"[零〇一二两兩三四五六七八九十百千万萬亿億]+")
CJK_COUNT = re.compile(f"[{''.join(tables.CJK_COUNTS)}]")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# What looks like a number and is a name.
NAME = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]2[A-Z]|K[38]s|i18n|l10n|g11n|a11y|W3C|3rd(?=[ -]part(?:y|ies)))(?![A-Za-z0-9])", re.I
)
AFTERNOON = re.compile(r"(?:[:：.]\d\d)?[ \u00a0\u202f]?[Pp]\.?[Mm]\b")
AFTERNOON_BEFORE = ("午後", "下午", "晚上", "오후")
TENTHS = re.compile(r"[ ]?(?:割|成(?![为為功立熟长長本员員绩績果]))")  # 6割, 六成: six in ten
MORE_THAN_ONE = re.compile(r"\bmore than (?:one|once)\b", re.I)  # 2つ以上
ONE = re.compile(r"[ ]?[つ个個种種件本人回度枚篇条條点點步份次块塊行개가명번](?!目)")  # 1 つ says as little as "a"
# 千 and 兆 open the names of units (千字节, 兆字节), 조 counts articles and 百 words: the bare number stands too.
GERMAN_COMPOUND = re.compile(
    r"(zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)"
    r"(?:minütig|stündig|tägig|wöchig|monatig|jährig|fach|mal|teilig|stufig|zeilig|stellig|dimensional)"
)
BEFORE = 24  # characters before a number in which its sign or its unit is looked for
LONGEST = 40  # numerals in a row; more are no number
UNSURE_SCALES = frozenset("千兆백천조百십十")


def find_numbers(text: str, language: str) -> list[Number]:
    """Every number of `text`, in order; `language` settles 1,5 and Billion."""
    return sorted([*written_numbers(text, language), *find_numerals(text, language)], key=lambda number: number.offset)


def plain_digits(text: str) -> str:
    """`text` with ASCII digits, percent signs, points and commas for those of other scripts; no length changes."""
    if text.isascii():
        return text
    text = text.translate(_NARROW)
    return re.sub(r"[^\D0-9]", lambda match: str(unicodedata.decimal(match[0])), text)


_NARROW = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *map(ord, "％．＋－"))}


@lru_cache(maxsize=8192)
def written_numbers(text: str, language: str) -> tuple[Number, ...]:
    """The numbers written in digits."""
    if PLAIN.fullmatch(text):  # as in most cells of a table
        return (Number(text, frozenset({without_zeros(text)}), True, 0),)
    text = NAME.sub(lambda name: " " * len(name[0]), plain_digits(text))
    return tuple(in_digits(text, base(language)))


def in_digits(text: str, base: str) -> Iterator[Number]:
    """The numbers of a text with plain digits."""
    position, previous = 0, None
    while match := DIGITS.search(text, position):
        spaced = SPACED.match(text, match.start())
        if spaced and (base in tables.DECIMAL_COMMA or spaced[0].endswith(" 000")):
            match = spaced
        pieces = read_digits(match[0], base)
        position = match.end()
        for piece, values, offset in pieces[:-1]:
            yield Number(piece, values, True, match.start() + offset)
        piece, values, offset = pieces[-1]
        if position < len(text):
            values, position = take_scale(text, values, position, base)
        start = match.start() + offset
        values, position = mark_percentage(text, values, start, position)
        if AFTERNOON.match(text, position) or text_before(text, start).endswith(AFTERNOON_BEFORE):
            hours = {int(value) for value in values if value.isdigit() and len(value) < 3}
            values |= {str(hour + 12) for hour in hours if hour < 12}  # 5 p.m. is 17
        certain = piece != "1" or not ONE.match(text, position)
        if piece == "00" and text[start - 1 : start] in {":", "："}:
            continue  # 12:00 is 12
        if sign := SIGN.search(text, max(start - 12, 0), start):
            below = frozenset("-" + value for value in values)
            if sign["sure"]:
                start, values = start - 1, below
            else:
                values |= below
        number = Number(text[start:position], values, certain, start)
        if previous is not None:
            between = text[previous.offset + len(previous.text) : number.offset]
            yield share_unit(previous, number) if len(between) < 8 and RANGE.match(between) else previous
        previous = number
    if previous is not None:
        yield previous


def text_before(text: str, start: int) -> str:
    """The last characters of a text before a place, without white space behind them."""
    return text[max(start - BEFORE, 0) : start].rstrip()


def share_unit(first: Number, second: Number) -> Number:
    """10 to 20 %: the first number of a range, where it has no unit, may have that of the second."""
    values = set(first.values)
    if first.text not in values:
        return first
    if any(value.endswith("%") for value in second.values):
        values |= {value + "%" for value in values if not value.endswith("%")}
    bare = re.match(r"[\d.,]+", second.text)
    if bare and bare[0] not in second.values and "," not in bare[0] and not bare[0].endswith("."):
        factors = {Decimal(value.rstrip("%")) / Decimal(bare[0]) for value in second.values
                   if bare[0].count(".") < 2 and Decimal(bare[0])}
        values |= {canonical_digits(Decimal(value) * factor) for value in first.values for factor in factors
                   if value.replace(".", "", 1).isdigit() and factor >= 10}
    return Number(first.text, frozenset(values), first.certain, first.offset)


def read_digits(token: str, base: str) -> list[tuple[str, frozenset[str], int]]:
    """What a run of digits, points and commas may say: one number, or several with commas between."""
    if PLAIN.fullmatch(token):
        return [(token, frozenset({without_zeros(token)}), 0)]
    comma, values = base in tables.DECIMAL_COMMA, set[str]()
    if "e" in token or "E" in token:
        values = {token.lower().replace("\u2212", "-").replace("e+", "e")}
    elif " " in token:
        values = {token.replace(" ", "").replace(",", ".")}
    elif grouped := GROUPED.match(token):
        values = {token.replace(grouped[1], "")}
        if comma and grouped[1] == "," and token.count(",") == 1 and "." not in token:
            values.add(token.replace(",", "."))
    elif comma and re.fullmatch(r"[0-3]?\d\.[01]?\d\.\d{4}", token):  # a date
        return [(part, frozenset({without_zeros(part)}), token.index(part)) for part in token.split(".")]
    elif comma and re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", token):
        values = {token.replace(".", "").replace(",", "."), token}
    elif comma and re.fullmatch(r"\d+,\d+", token):
        values = {token.replace(",", ".")}
    if values:
        return [(token, frozenset(values), 0)]
    return [(part[0], frozenset({without_zeros(part[0])}), part.start()) for part in re.finditer(r"[\d.]+", token)]


def without_zeros(token: str) -> str:
    """05 is 5; 0.5, 3.10, 1.0.2 and 00 stay."""
    return token if "." in token else token.lstrip("0") or token


def canonical_digits(value: Decimal) -> str:
    """Plain digits, no exponent, no zeros behind."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def multiply_values(values: frozenset[str], factor: int) -> frozenset[str]:
    """Each value multiplied; one that is no plain decimal (a version) stays."""
    return frozenset(
        canonical_digits(Decimal(value) * factor) if value.count(".") < 2 and "e" not in value else value
        for value in values
    )


def take_scale(text: str, values: frozenset[str], position: int, base: str) -> tuple[frozenset[str], int]:
    """Take in the scale that follows a number, and what a smaller scale adds to it: 1亿5000万."""
    if scale := CJK_SCALE.match(text, position):
        factor = tables.scale_of(scale[1])
        found = multiply_values(values, factor)
        if scale[1] in UNSURE_SCALES:
            found |= values
        position = scale.end()
        more = REST.match(text, position)
        if more and tables.scale_of(more[2]) * int(more[1]) < factor:
            rest = int(more[1]) * tables.scale_of(more[2])
            return frozenset(canonical_digits(Decimal(value) + rest) for value in found), more.end()
        return found, position
    if scale := WORD_SCALE.match(text, position):
        word = scale[1].lower()
        long = base in tables.LONG_SCALE_LANGUAGES and word in tables.LONG_SCALE
        factor = tables.LONG_SCALE[word] if long else tables.SCALES.get(word, 1)
        return multiply_values(values, factor), scale.end()
    if scale := LETTER_SCALE.match(text, position):
        return values | multiply_values(values, tables.LETTER_SCALES[scale[1]]), position
    return values, position


def mark_percentage(text: str, values: frozenset[str], start: int, position: int) -> tuple[frozenset[str], int]:
    """Mark a percentage: the sign or the word behind the number, or before it."""
    if sign := PERCENT.match(text, position):
        return frozenset(value + "%" for value in values), sign.end()
    if tenths := TENTHS.match(text, position):
        return values | {value + "%" for value in multiply_values(values, 10)}, tenths.end()
    if text_before(text, start).lower().endswith(tables.PERCENT_BEFORE) or POINTS.match(text, position):
        return values | {value + "%" for value in values}, position
    return values, position


def in_percent(text: str, values: frozenset[str], start: int, end: int) -> frozenset[str]:
    """What a number word may stand for, a percentage too where one is written."""
    percentages, _ = mark_percentage(text, values, start, end)
    return values | percentages


@lru_cache(maxsize=1024)
def find_numerals(text: str, language: str) -> tuple[Number, ...]:
    """The number words and numerals that may stand for a number."""
    return tuple(in_words(text, base(language)))


def in_words(text: str, base: str) -> Iterator[Number]:
    """The number words of a language, by the first part of its code."""
    known = tables.number_words(base)
    if known:
        for match in WORD.finditer(text):
            word = match[0].lower()
            if compound := GERMAN_COMPOUND.match(word) if base == "de" else None:
                word = compound[1]
            if values := known.get(word):
                scale = WORD_SCALE.match(text, match.end())  # three million
                found = frozenset(values)
                found |= take_scale(text, found, match.end(), base)[0] if scale else set()
                number = Number(match[0], in_percent(text, found, *match.span()), False, match.start())
                yield from (number,) * (2 if word in tables.VAGUE else 1)  # a few: 2 or 3
    if base == "en":
        for match in MORE_THAN_ONE.finditer(text):
            yield Number(match[0], frozenset({"2"}), False, match.start())
    if base not in {"zh", "ja", "yue"}:
        return
    for match in CJK_RUN.finditer(text):
        if len(match[0]) <= LONGEST:
            value = frozenset({str(tables.cjk_value(match[0]))})
            yield Number(match[0], in_percent(text, value, *match.span()), False, match.start())
        for offset, character in enumerate(match[0] if len(match[0]) > 1 else ""):  # 三四行: three or four lines
            yield Number(character, frozenset({str(tables.cjk_value(character))}), False, match.start() + offset)
    for match in CJK_COUNT.finditer(text):
        yield Number(match[0], frozenset(tables.CJK_COUNTS[match[0]]), False, match.start())
