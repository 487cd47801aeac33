"""What the conversion did to a text, word by word, and why."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from hexapla.hanzi.converter import FORMS, QUOTES, TAIWAN, Converter, to_traditional
from hexapla.hanzi.tables import BOUNDARY, CODE, taiwan_words

AXES = {"列": "行", "欄": "列"}  # Taiwan's row and column by the mainland's


class ConvertedWord(NamedTuple):
    """A word that became more than the same characters in the other script; `reason` is what decided that."""

    column: int
    word: str
    converted: str
    reason: str


def converted_words(line: str, convert: Converter) -> Iterator[ConvertedWord]:
    """The words of a line of prose, and what became of them."""
    letters = to_traditional(BOUNDARY.join(line.translate(QUOTES)), convert.standard).translate(FORMS)
    result = convert(line)
    terms = dict(convert.terms)
    words = (taiwan_words() if convert.standard == TAIWAN else {}) | terms
    named = [match for match in either_of(tuple(words)).finditer(line) if words[match[0]] in result]
    seen = 0
    for tag, start, end, first, last in SequenceMatcher(None, letters, result, autojunk=False).get_opcodes():
        if tag == "equal" or start < seen:
            continue
        term = next((match for match in named if match.start() <= start < match.end()), None)
        if term:
            seen = term.end()
            reason = "glossary" if term[0] in terms else "Taiwan's words"
            yield ConvertedWord(term.start() + 1, format_word(term[0]), format_word(words[term[0]]), reason)
            continue
        if AXES.get(result[first:last]) == line[start:end]:
            yield ConvertedWord(start + 1, line[start:end], result[first:last], "row or column")
            continue
        before = max(0, start - 1)  # with a character on each side: OpenCC does not say where its words end
        word, converted = line[before : end + 1], result[max(0, first - 1) : last + 1]
        yield ConvertedWord(before + 1, format_word(word), format_word(converted), "OpenCC")


@lru_cache(maxsize=8)
def either_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)")


def format_word(word: str) -> str:
    """A word for people; a backtick stands for inline code."""
    return word.replace(CODE, "`")
