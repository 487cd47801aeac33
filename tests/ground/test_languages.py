"""Codes of languages, their bases and their letters."""

import re

import pytest
from hexapla import languages


@pytest.mark.parametrize(("code", "base", "without_region"), [
    ("zh", "zh", "zh"), ("zh-CN", "zh", "zh"), ("zh_CN", "zh", "zh"), ("zh-Hant", "zh", "zh-Hant"),
    ("zh-TW", "zh", "zh-TW"), ("zh-Hans-HK", "zh", "zh-Hans-HK"), ("pt-BR", "pt", "pt"), ("en-HK", "en", "en"),
    ("yue", "yue", "yue"), ("ZH-cn", "zh", "zh"),
])
def test_the_base_of_a_code_and_the_code_without_its_region(code, base, without_region):
    assert (languages.base(code), languages.without_region(code)) == (base, without_region)


@pytest.mark.parametrize(("name", "known"), [
    ("zh", True), ("zh-Hant", True), ("zh_CN", True), ("pt-BR", True), ("fil", True), ("sr-Latn-RS", True),
    ("ca-valencia", True), ("es-419", True),
    ("es-module-syntax", False), ("img", False), ("api", False), ("js", False), ("assets", False), ("zh-", False),
    ("e", False), ("", False),
])
def test_a_folder_of_a_language_is_told_from_others(name, known):
    assert languages.is_code(name) is known


@pytest.mark.parametrize("codes", [languages.CODES, languages.ADDRESS_CODES])
def test_the_expression_for_codes_matches_these_and_no_others(codes):
    expression = re.compile(languages.match_any_code(codes))
    others = [f"{code}x" for code in codes if f"{code}x" not in codes] + ["", "q", "xx"]
    assert all(expression.fullmatch(code) for code in codes)
    assert not any(expression.fullmatch(other) for other in others)
    assert list(codes) == sorted(set(codes))


@pytest.mark.parametrize(("code", "own", "foreign"), [
    ("zh-Hant", "字", "かな"), ("ja", "かな字", "한국"), ("ko_KR", "한국", "かな"), ("ru", "Яя", "漢字"),
    ("el", "Ωά", "漢字"),
])
def test_letters_of_a_language_and_of_others(code, own, foreign):
    letters = languages.own_letters(code)
    assert letters
    assert all(map(letters.fullmatch, own))
    assert not any(map(letters.fullmatch, foreign + "ab1"))
    assert languages.foreign_letters(code).fullmatch(foreign)


def test_a_language_in_latin_has_no_letters_of_its_own():
    assert languages.own_letters("de-AT") is None
    assert languages.foreign_letters("de").search("名 und 名前")[0] == "名前"
