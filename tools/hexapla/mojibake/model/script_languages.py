"""Tell the language of a text by its script, which is enough to choose a language model."""

import re
from functools import cache, lru_cache

from hexapla.languages import ARABIC, CYRILLIC, GREEK, HAN, HANGUL, HEBREW, KANA, THAI
from hexapla.mojibake.model.plausibility import usual_characters

_SCRIPTS = (
    ("ja", re.compile(f"[{KANA}ー]")),
    ("ko", re.compile(f"[{HANGUL}]")),
    ("ru", re.compile(f"[{CYRILLIC}]")),
    ("el", re.compile(f"[{GREEK}]")),
    ("zh", re.compile(f"[{HAN}]")),
    ("th", re.compile(f"[{THAI}]")),
    ("ar", re.compile(f"[{ARABIC}]")),
    ("he", re.compile(f"[{HEBREW}]")),
)
LATIN = "latin"     # stands for the languages of no other script
_LETTER = re.compile("|".join(pattern.pattern for _, pattern in _SCRIPTS))
# Japanese is written with kanji and kana, so a small share of kana makes it Japanese and not Chinese.
_SHARE = {"ja": 0.12}


def language_of(text: str) -> str:
    """A language code by the script of the non-ASCII characters; "latin" when none of the scripts prevails."""
    counts = {language: len(pattern.findall(text)) for language, pattern in _SCRIPTS}
    total = sum(counts.values())
    if total * 5 < sum(1 for character in text[:4000] if character >= "\x80"):
        return LATIN
    for language, count in counts.items():
        if total and count > _SHARE.get(language, 0.5) * total:
            return language
    return max(counts, key=lambda language: counts[language]) if total else LATIN


@lru_cache(maxsize=50_000)
def first_letter(characters: str) -> str:
    """The first letter of a known script among the characters, preferably of a national standard; or ''."""
    letters = _LETTER.findall(characters)
    return next((letter for letter in letters if letter in usual_characters()), letters[0] if letters else "")


@cache
def languages_by_script(characters: str) -> frozenset[str]:
    """The languages, by script, that some of the characters are usual letters of."""
    usual_ones = "".join(character for character in characters if character in usual_characters())
    return frozenset(language for language, pattern in _SCRIPTS if pattern.search(usual_ones))
