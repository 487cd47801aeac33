"""The glossary's terms: forbidden renderings, and terms that are rendered otherwise than agreed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.checks.rules.text.prose import find_readable
from hexapla.glossary import Term
from hexapla.languages import HAN, KANA, without_region
from hexapla.pages import Block

V = TypeVar("V")
# What follows a verb: the method weights the tokens, scales the loss.
VERB = r"\s+(?:the|an?|its?|them|each|every|all|this|that)\b"
Said = list[tuple[Term, Block]]  # terms, each with the first block of the source that says it


class SectionTerms(NamedTuple):
    """The blocks of two sections that stand for each other, the translation's text, and the terms of the source's."""

    source: list[Block]
    target: list[Block]
    text: str
    terms: Said


class Lexicon(NamedTuple):
    """A glossary's terms by their English words in lower case, and one expression that finds the longest of them."""

    terms: Mapping[str, Term]
    found: re.Pattern[str]


@memoized
def compile_lexicon(terms: tuple[Term, ...]) -> Lexicon:
    """The terms, to be looked for in lower-case text; one inside a longer one is not meant: memory in GPU memory."""
    by_word = {term.term.lower(): term for term in terms}
    longest_first = sorted(by_word, key=lambda word: (-len(word), word))
    parts = "|".join(r"[\s-]".join(map(re.escape, re.split(r"[\s-]", word))) for word in longest_first)
    return Lexicon(by_word, re.compile(rf"(?<![a-z0-9_-])({parts})(?:e?s)?(?![a-z0-9_-])(?!{VERB})"))


@memoized
def terms_by_rendering(terms: tuple[Term, ...], language: str) -> dict[str, str]:
    """The English words of each term, in lower case, by its renderings in a language; one that renders two is none."""
    found: dict[str, set[str]] = {}
    for term in terms:
        right = term.term if term.keep else for_language(term.renderings, language)
        for word in filter(None, (right, *(for_language(term.also, language) or ()))):
            found.setdefault(word, set()).add(term.term.lower())
    return {word: names.pop() for word, names in found.items() if len(names) == 1}


@memoized
def mentioned_terms(blocks: tuple[Block, ...], terms: tuple[Term, ...]) -> dict[int, list[Term]]:
    """The terms that each of a page's blocks mentions, by the block's identity."""
    known = compile_lexicon(terms)
    found: dict[int, list[Term]] = {}
    for block in blocks:
        words = {re.sub(r"\s+", " ", match[1]) for match in known.found.finditer(block.text.lower())}
        if words:
            found[id(block)] = [known.terms[word] for word in sorted(words) if word in known.terms]
    return found


def term_forbidden(context: RuleContext) -> Iterator[Violation]:
    """Renderings that the glossary rules out, where the source's section has the term."""
    language = context.document.language
    for section in sections_with_terms(context):
        for term, said in with_parts(section.terms, context.settings.terms):
            right = for_language(term.renderings, language) or term.term
            for word in for_language(term.forbidden, language) or ():
                for block in section.target if says_besides(section.text, word, right) else ():
                    if says_besides(block.text, word, right):
                        yield Violation("term-forbidden", word, f"{word!r} stands for {term.term!r}",
                                        f"write {right!r}", block.line, block.column, said.line)


def with_parts(said: Said, terms: tuple[Term, ...]) -> Iterator[tuple[Term, Block]]:
    """Terms, and those that are a part of them: what is forbidden for memory is so for GPU memory."""
    yield from said
    known, seen = parts_by_term(terms), {term.term for term, _ in said}
    for term, block in said:
        for part in known[term.term]:
            if part.term not in seen:
                seen.add(part.term)
                yield part, block


@memoized
def parts_by_term(terms: tuple[Term, ...]) -> dict[str, list[Term]]:
    """The other terms that each term ends with or has at the start of one of its words: memory of GPU memory."""
    return {
        whole.term: [
            part for part in terms if part is not whole and f" {part.term.lower()}" in f" {whole.term.lower()}"
        ]
        for whole in terms
    }


def term_inconsistent(context: RuleContext) -> Iterator[Violation]:
    """Sections where the source has a term and the translation has none of its agreed rendering."""
    language = context.document.language
    for source, target, whole, terms in sections_with_terms(context):
        stands_for: dict[int, Block] = {}
        for term, said in terms:
            right = term.term if term.keep else for_language(term.renderings, language)
            also = for_language(term.also, language) or ()
            if not right or any(says(whole, word) for word in (right, *also)) or any(
                says(whole, other) for other in find_longer_terms(term, context.settings.terms, language)
            ):
                continue
            stands_for = stands_for or {id(a): b for a, b in alignment.blocks(source, target)}
            place = stands_for.get(id(said), target[0])
            yield Violation("term-inconsistent", term.term, f"{term.term!r} is not rendered as {right!r} here",
                            f"write {right!r}", place.line, place.column, said.line)


@memoized
def sections_with_terms(context: RuleContext) -> list[SectionTerms]:
    """The sections of a translation whose source says terms."""
    found: list[SectionTerms] = []
    if not context.settings.terms:
        return found
    first, second = find_readable(context.original.blocks), find_readable(context.page.blocks)
    known = mentioned_terms(first, context.settings.terms)
    for _, source, target in alignment.section_pairs(context.original, context.page, first, second):
        terms: dict[str, tuple[Term, Block]] = {}
        for block in source:
            for term in known.get(id(block), ()):
                terms.setdefault(term.term, (term, block))
        if terms and target:
            text = "\n".join(block.text for block in target)
            found.append(SectionTerms(source, target, text, list(terms.values())))
    return found


def find_longer_terms(term: Term, terms: tuple[Term, ...], language: str) -> Iterator[str]:
    """How terms are rendered that say more precisely what a term says: GPU memory for memory."""
    for other in terms:
        if other.term.lower().endswith(f" {term.term.lower()}"):
            right = other.term if other.keep else for_language(other.renderings, language)
            if right:
                yield right


def for_language(table: Mapping[str, V], language: str) -> V | None:
    """The entry of a language, or of the language without its region: zh-CN is zh, zh-Hant is not."""
    return table.get(language) or table.get(without_region(language))


def says(text: str, word: str) -> bool:
    """Whether a text has a word or a phrase; making an expression takes longer than to see most of them."""
    return (not word.isascii() and word in text) or word_pattern(word).search(text) is not None


def says_besides(text: str, word: str, right: str) -> bool:
    """Whether a text has a word elsewhere than inside the right one."""
    return says(text.replace(right, " ") if word in right else text, word)


@lru_cache(maxsize=4096)
def word_pattern(word: str) -> re.Pattern[str]:
    """A word or a phrase in either case: on its own where it is Latin, else with or without a particle inside."""
    if word.isascii():
        parts = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", word.strip()))
        return re.compile(rf"(?<![A-Za-z0-9_]){parts}(?:e?s)?(?![A-Za-z0-9_])", re.I)
    letters = re.compile(f"[{HAN}{KANA}]")
    return re.compile("".join(
        re.escape(letter) + (r"[的の ]?" if letters.match(letter) else r"\s?") for letter in word[:-1]
    ) + re.escape(word[-1]), re.I)
