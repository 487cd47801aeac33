"""What the conversion did to a text, word by word, and why."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from hexapla.hanzi import BOUNDARY, FORMS, QUOTES, Converter, traditional


class ConvertedWord(NamedTuple):
    """A word that became more than the same characters in the other script.

    `reason` is "glossary" or "OpenCC".
    """

    column: int
    word: str
    converted: str
    reason: str


def converted_words(line: str, convert: Converter) -> Iterator[ConvertedWord]:
    """The words of a line of prose, and what became of them."""
    letters = traditional(BOUNDARY.join(line.translate(QUOTES)), convert.standard).translate(FORMS)
    result = convert(line)
    terms = dict(convert.terms)
    found = re.compile("|".join(map(re.escape, sorted(terms, key=len, reverse=True))) or "(?!)")
    named = [match for match in found.finditer(line) if terms[match[0]] in result]
    seen = 0
    for tag, start, end, first, last in SequenceMatcher(None, letters, result, autojunk=False).get_opcodes():
        if tag == "equal" or start < seen:
            continue
        term = next((match for match in named if match.start() <= start < match.end()), None)
        if term:
            seen = term.end()
            yield ConvertedWord(term.start() + 1, term[0], terms[term[0]], "glossary")
            continue
        before = max(0, start - 1)  # with a character on each side: OpenCC does not say where its words end
        yield ConvertedWord(before + 1, line[before : end + 1], result[max(0, first - 1) : last + 1], "OpenCC")
