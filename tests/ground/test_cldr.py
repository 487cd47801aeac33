"""The table of languages: names and numbers are those that Babel gives."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from babel import Locale
from babel.numbers import format_compact_decimal, format_decimal
from hexapla.cldr import DIGITS, SCALES, load_locales, native_name, number_text

from tests.ground import cldr_table

VALUES = [*map(Decimal, (
    "0", "1", "2", "-3", "999", "1000", "-1234.5", "12345", "57000", "999999", "1000000", "2100000", "2900000000",
    "1000000000000", "21000000000000.5", "123456789012345678",
))]
LOCALES = {form: code for code, (_, form) in load_locales()["locales"].items()}.values()  # one a form of numbers


def by_babel(value, decimals, code, scale):
    """A number as Babel writes it."""
    locale, unit = Locale.parse(code), SCALES.get(scale, Decimal(1))
    rounded = (value / unit).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) * unit
    if not scale:
        return format_decimal(rounded, "#,##0" + "." * bool(decimals) + "0" * decimals, locale=locale)
    kind = "long" if "other" in (locale.compact_decimal_formats.get("long") or {}) else "short"
    return format_compact_decimal(rounded, format_type=kind, locale=locale, fraction_digits=DIGITS)


def test_the_table_is_what_babel_has():
    assert (cldr_table.FOLDER / "locales.json").read_text(encoding="utf-8") == cldr_table.text(), (
        "write it again: python -m tests.ground.cldr_table"
    )


@pytest.mark.parametrize("scale", ["", *SCALES])
def test_numbers_are_written_as_babel_writes_them(scale):
    cases = [(value, decimals, code, scale) for value in VALUES for decimals in (0, 1, 3) for code in LOCALES]
    found = [case for case in cases if number_text(*case) != by_babel(*case)]
    assert [case for case in found if case[0] >= 0 or not case[2].startswith("sw")] == []  # `elfu -1` there


@pytest.mark.parametrize(("code", "name"), [
    ("ja", "日本語"), ("zh-Hant", "中文 (繁體)"), ("zh_TW", "中文 (繁體, 台灣)"), ("pt-br", "português (Brasil)"),
])
def test_names_are_those_of_unicode(code, name):
    assert native_name(code) == name


def test_a_language_that_nobody_knows_has_no_name_and_english_numbers():
    with pytest.raises(ValueError, match="xx"):
        native_name("xx")
    assert number_text(Decimal("1234.5"), 1, "xx") == "1,234.5"
    assert number_text(Decimal("1234.5"), 1, "de-JP") == "1.234,5"
