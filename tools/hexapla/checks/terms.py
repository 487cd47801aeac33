"""The glossary's terms: forbidden renderings, and terms that are rendered otherwise than agreed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.pages import Block

V = TypeVar("V")


def term_forbidden(case: Case) -> Iterator[Found]:
    """Renderings that the glossary rules out, where the source's section has the term."""
    language = case.document.language
    for term in case.settings.terms:
        wrong = [word for word in for_language(term.forbidden, language) or () if mentions(case.page.text, word)]
        if not wrong:
            continue
        right = for_language(term.renderings, language) or term.term
        for section, source, target in section_blocks(case):
            if not any(mentions(block.text, term.term, plural=True) for block in source):
                continue
            for block in target:
                for word in wrong:
                    if mentions(without(block.text, right), word):
                        yield Found("term-forbidden", f"{word!r} stands for {term.term!r}", f"write {right!r}",
                                    block.line, block.column, source[0].line, key=f"{section}{word}")


def term_inconsistent(case: Case) -> Iterator[Found]:
    """Sections where the source has a term and the translation has none of its agreed rendering."""
    language = case.document.language
    for term in case.settings.terms:
        right = term.term if term.keep else for_language(term.renderings, language)
        if not right or not mentions(case.original.text, term.term, plural=True):
            continue
        longer = [other.term for other in case.settings.terms if other is not term and mentions(other.term, term.term)]
        accepted = (right, *(for_language(term.also, language) or ()))
        for _, source, target in section_blocks(case):
            said = [block for block in source if mentions(apart_from(block.text, longer), term.term, plural=True)]
            if not said or not target:
                continue
            if any(mentions(block.text, word, plural=True) for block in target for word in accepted):
                continue
            place = next((b for a, b in align.blocks(source, target) if a is said[0]), target[0])
            yield Found("term-inconsistent", f"{term.term!r} is not rendered as {right!r} here", f"write {right!r}",
                        place.line, place.column, said[0].line)


def section_blocks(case: Case) -> list[tuple[int, list[Block], list[Block]]]:
    """The blocks of both pages, section by section."""
    return align.section_pairs(case.original, case.page, case.original.blocks, case.page.blocks)


def for_language(table: Mapping[str, V], language: str) -> V | None:
    """The entry of a language, or of the language without its region."""
    return table.get(language, table.get(re.split("[-_]", language)[0]) if "-" not in language else None)


def mentions(text: str, word: str, plural: bool = False) -> bool:
    """Whether a text has a word or a phrase in it: on its own where it is written in Latin letters."""
    return pattern(word, plural).search(text) is not None


@lru_cache(maxsize=4096)
def pattern(word: str, plural: bool) -> re.Pattern[str]:
    """The word in either case, with the plural's s where asked, and any white space or hyphen between its parts."""
    parts = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", word.strip()))
    if not word.isascii():
        return re.compile(parts, re.I)
    return re.compile(rf"(?<![A-Za-z0-9_]){parts}{'(?:e?s)?' if plural else ''}(?![A-Za-z0-9_])", re.I)


def without(text: str, right: str) -> str:
    """A text with the agreed rendering taken out: a forbidden word may be a part of it."""
    return text.replace(right, " ")


def apart_from(text: str, longer: list[str]) -> str:
    """A text without the longer terms that a term is a part of: each has a rendering of its own."""
    for term in longer:
        text = pattern(term, plural=True).sub(" ", text)
    return text
