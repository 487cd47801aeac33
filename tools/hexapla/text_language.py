"""The language that a text is written in, by its letters and its commonest words, where these leave no doubt."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache

from hexapla.languages import ANY_SCRIPT, HAN, HANGUL, KANA, LETTERS, base, is_chinese, is_traditional, own_letters
from hexapla.yaml_text import load_table

LATIN_WORD = re.compile(r"[^\W\d_]+")
# Characters of Chinese sentences: those that Japanese does not write, and those that its compounds have too.
CHINESE_ALONE = frozenset("这這们們你您它吗嗎呢把让讓很哪说從从对还還没沒吧给給为")
CHINESE_OFTEN = frozenset("的了是在不和与个")
LEAST_LETTERS = 6  # of a text that can be told
LEAST_WORDS = 3    # of the commonest ones, and twice as many as of any other language


@cache
def letter_of(letters: str) -> re.Pattern[str]:
    """A pattern of one of these letters, made when a text is looked at."""
    return re.compile(f"[{letters}]")


@cache
def language_words() -> dict[str, frozenset[str]]:
    """Words that a language of Latin letters cannot do without; what English has too says nothing of another."""
    found = {code: frozenset(words.split()) for code, words in load_table(__package__, "language_words.yml").items()}
    return {code: words if code == "en" else frozenset(word for word in words if len(word) > 1) - found["en"]
            for code, words in found.items()}


def other_language(text: str, expected: str) -> str:
    """The code of the language a text is in where that is certainly not `expected`, else "".

    >>> other_language("이 설정은 메모리를 줄입니다.", "ja")
    'ko'
    """
    found = language_of(text)
    if not found or base(found) != base(expected):
        return found if found and not same_script(found, expected) else ""
    if is_chinese(expected) and found != "zh?" and (found == "zh-Hant") != is_traditional(expected):
        return found
    return ""


def same_script(found: str, expected: str) -> bool:
    """Whether a script that several languages are written in may be that of the expected one: Cyrillic may be any."""
    if found == "zh?" and is_chinese(expected):
        return True
    letters = LETTERS.get(base(expected))
    if base(found) in {"zh", "ja", "ko"} or found not in LETTERS:
        return False
    return base(expected) in ANY_SCRIPT or LETTERS[found] == letters


@lru_cache(maxsize=8192)
def language_of(text: str) -> str:
    """The code of a text's language, "zh?" for Chinese of either script, "" where it cannot be told."""
    if text.isascii():
        return latin_language(text)
    han, kana, hangul = (len(letter_of(each).findall(text)) for each in (HAN, KANA, HANGUL))
    east, latin = han + kana + hangul, sum(map(len, re.findall(r"[A-Za-z]+", text)))
    if east >= LEAST_LETTERS and (kana or hangul or han >= LEAST_LETTERS):
        if hangul > (han + kana) and hangul * 3 > latin:
            return "ko"
        if kana * 6 > east:
            return "ja"
        if not kana and not hangul and han * 3 > latin:
            often = han >= 2 * LEAST_LETTERS and sum(one in CHINESE_OFTEN for one in text) > 1
            return chinese_script(text) if often or not CHINESE_ALONE.isdisjoint(text) else ""
        return ""
    for code, letters in LETTERS.items():
        found = 0 if code in {"zh", "yue", "ja", "ko"} else len(letter_of(letters).findall(text))
        if found >= LEAST_LETTERS and found * 2 > latin:
            return code
    return latin_language(text)


def chinese_script(text: str) -> str:
    """The script of a Chinese text, "zh?" where its characters are of both."""
    simplified = sum(is_in_charset(one, "gb2312") and not is_in_charset(one, "big5") for one in text)
    traditional = sum(is_in_charset(one, "big5") and not is_in_charset(one, "gb2312") for one in text)
    if simplified > 3 * traditional and simplified > 1:
        return "zh"
    return "zh-Hant" if traditional > 3 * simplified and traditional > 1 else "zh?"


@lru_cache(maxsize=8192)
def is_in_charset(character: str, encoding: str) -> bool:
    """Whether an ideograph stands in a national character set."""
    try:
        return letter_of(HAN).match(character) is not None and bool(character.encode(encoding))
    except UnicodeEncodeError:
        return False


def latin_language(text: str) -> str:
    """The language of a text in Latin letters by its commonest words, "" where two are near."""
    words = LATIN_WORD.findall(text.lower())
    counted = Counter({code: sum(word in known for word in words) for code, known in language_words().items()})
    (first, most), (_, second) = counted.most_common(2)
    return first if most >= LEAST_WORDS and most >= 2 * second and most * 6 >= len(words) else ""


def language_of_texts(texts: Iterable[str], expected: str, source: str) -> str:
    """The language most texts are in where it is not `expected`, by letters; what is in the `source`'s is left out."""
    counted: Counter[str] = Counter()
    for text in texts:
        found = other_language(text, expected)
        if not source or base(found) != base(source):
            letters = own_letters((found or expected).rstrip("?"))
            counted[found] += len(letters.findall(text)) if letters else sum(map(str.isalpha, text))
    found, most = counted.most_common(1)[0] if counted else ("", 0)
    return found if most * 2 > counted.total() else ""
