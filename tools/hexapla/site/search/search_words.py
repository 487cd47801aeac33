"""How text is cut into the words of the search index; `search-answers.js` cuts what is typed in the same way.

A word of a script that is written with spaces is one atom, a character of Chinese, Japanese or Thai another. The index
holds words as they stand, and pairs of neighbouring characters. Rules that both sides need are data here, and travel to
the browser inside the index.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from operator import add

from hexapla.languages import base
from hexapla.yaml_text import load_table

# Letters of scripts without spaces between words: Thai to Khmer, kana, Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u303c\u3041-\u30fa\u30fc-\u30ff"
    "\u31c0-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
)
ATOM = re.compile(rf"([{UNSPACED}])|[^\W_{UNSPACED}]+")
RUN = re.compile(rf"([{UNSPACED}]+)|[^\W_{UNSPACED}]+")
# Inside a word a hyphen, an underscore, a dot or a slash joins: `8-bit` is found as 8bit too.
JOINED = re.compile(rf"(?<![^\W_{UNSPACED}])[^\W_{UNSPACED}]++(?:[-_./][^\W_{UNSPACED}]++)+")
GAP = re.compile(rf"(?<! ) ++(?=[{UNSPACED}])|(?<=[{UNSPACED}]) +")  # a space that says nothing about words
LONG_VOWEL = re.compile(r"(?<=[ァ-ヴ]{2})ー(?![ァ-ヴー])")  # サーバー and サーバ are one word
PARTS = 4  # words of a compound that are also indexed as one

# British spelling becomes American, and endings go: one after another, each (what is found, what takes its place).
STEMS = (
    ("^(.{3,})isation(s?)$", "$1ization$2"), ("^(.{3,})is(e|es|ed|er|ers|ing)$", "$1iz$2"),
    ("^(.{2,})our(s|ed|ing|ful)?$", "$1or$2"), ("^(.{3,})ll(ed|ing|er)$", "$1l$2"), ("^(.{3,})tre(s?)$", "$1ter$2"),
    ("^(.{3,})iz(?:e|es|ed|er|ers|ing|ation|ations)$", "$1iz"),
    ("^(.{3,})at(?:e|es|ed|or|ors|ing|ion|ions)$", "$1at"),
    ("^(.{3,})(?:ally|ly|ness)$", "$1"), ("^(.{3,})isms?$", "$1"), ("^(.{3,})(?:ings?|ed)$", "$1"),
    ("^(.{2,})ie[sd]$", "$1y"), ("^(.{2,}(?:ss|x|ch|sh))es$", "$1"), ("^(.+[^su])s$", "$1"), ("^(.{3,})e$", "$1"),
    ("^(.{2,})([bdglmnprt])\\2$", "$1$2"),
)
_STEMS = [(re.compile(found), re.sub(r"\$(\d)", r"\\\1", instead)) for found, instead in STEMS]


def fold_text(text: str, characters: Mapping[int, int]) -> str:
    """A text without what makes no difference: width, case, long vowels at the end, Traditional `characters`."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).lower().translate(characters)
    return LONG_VOWEL.sub("", folded)


@lru_cache(maxsize=1 << 16)
def stem_word(word: str) -> str:
    """What a word has in common with its plural, its other forms and its British spelling."""
    for found, instead in _STEMS:
        word = found.sub(instead, word)
    return word


def split_atoms(folded: str) -> list[str]:
    """The words of a folded text, their forms made alike, and the characters of scripts without spaces."""
    return [match[0] if match[1] else stem_word(match[0]) for match in ATOM.finditer(folded)]


def index_words(folded: str) -> Iterator[str]:
    """The words under which the index has a folded text: a character with the next, the last one of a run alone."""
    for line in (folded if folded.isascii() else GAP.sub("", folded)).split("\n"):
        for match in RUN.finditer(line):
            if match[1]:
                yield from map(add, match[1], match[1][1:])
            yield match[0] if not match[1] else match[1][-1]
        for match in JOINED.finditer(line) if any(sign in line for sign in "-_./") else ():
            parts = re.split("[-_./]", match[0])
            if len(parts) <= PARTS:
                yield "".join(parts)
            if len(parts) > 2:
                yield from (one + two for one, two in pairwise(parts))


@cache
def stop_words(language: str) -> tuple[str, ...]:
    """The words of a language that a query can lack, and English ones in every language."""
    table = load_table(__package__, "search_stop_words.yml")
    return tuple(" ".join(table.get(code, "") for code in ("en", base(language))).split())
