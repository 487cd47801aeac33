"""The words of a page's sections as the search index has them. They take most of an index's time, and can be kept."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain

from hexapla.cache import digest
from hexapla.glossary import Term
from hexapla.hanzi.converter import simplified_characters
from hexapla.languages import base
from hexapla.site.search.search_sections import SearchEntry, SearchSection
from hexapla.site.search.search_terms import SearchTerms, name_groups, phrase_table
from hexapla.site.search.search_words import fold_text, index_words, split_atoms

# Where a word stands, in the lowest bits of a number; above them how often, times two.
HEADING, NAME, STRONG, COUNT = 1, 2, 4, 8
MOST = 31
LINES = 1 << 15  # of which the words are remembered: code is the same in all languages, and stands in the text twice

SectionWords = tuple[int, Mapping[str, int]]  # how many words a section has, and of each where it is and how often


@dataclass(frozen=True)
class SearchLanguage:
    """What the index of a language is made with, besides its pages; `say` are the site's sentences for the worker."""

    code: str = "en"
    terms: SearchTerms = field(default_factory=SearchTerms)
    glossary: tuple[Term, ...] = ()
    say: Mapping[str, str] = field(default_factory=dict)

    def names(self, page: SearchEntry, section: SearchSection) -> list[str]:
        """What readers call a section, each name once."""
        listed = self.terms.names(page.name, section.anchor, self.code)
        return [*dict.fromkeys(name for name in (*section.names.split("\n"), *listed) if name)]


@cache
def simple_characters() -> dict[int, int]:
    """The Simplified form of every Traditional character, for `str.translate`."""
    return {ord(one): ord(other) for one, other in simplified_characters().items()}


class WordReader:
    """Reads the words of pages in a language; `key` is a digest of what they depend on besides the page."""

    def __init__(self, language: SearchLanguage) -> None:
        self.language = language
        self.groups = [*name_groups(language.terms, language.glossary, language.code)]
        self.characters = simple_characters() if base(language.code) == "zh" else {}
        self.phrases = phrase_table(self.groups, language.code, self.characters)
        self.key = digest(language.code, repr(self.phrases), repr(language.terms.sections))
        self._starting: dict[str, list[tuple[tuple[str, ...], list[int]]]] = defaultdict(list)
        for phrase, numbers in self.phrases.items():
            if len(phrase) == 1 and phrase >= "\u0e00":
                continue  # a character is typed for a thing, but on a page it is a part of other words: 快 of 快取
            first, *rest = phrase.split(" ")
            self._starting[first].append((tuple(rest), numbers))
        self._line = lru_cache(LINES)(self._line_words)

    def read(self, page: SearchEntry) -> list[SectionWords]:
        """The words of each section of a page."""
        return [self._section(page, section) for section in page.sections]

    def _section(self, page: SearchEntry, section: SearchSection) -> SectionWords:
        names = [*self.language.names(page, section), section.anchor]
        if not section.anchor:
            names.append(page.name)
            section = replace(section, heading=f"{page.title}\n{section.heading}")
        text, listed = Counter(self._words(section.text)), Counter(self._words(section.listed))
        codes = {
            word: COUNT * min(MOST, 2 * count - min(count, listed.get(word, 0))) for word, count in text.items()
        }
        for flag, words in ((STRONG, section.strong), (NAME, "\n".join(names)), (HEADING, section.heading)):
            for word in self._words(words):
                codes[word] = codes.get(word, 0) | flag
        return sum(text.values()), codes

    def _words(self, text: str) -> Iterator[str]:
        return chain.from_iterable(map(self._line, text.split("\n")))

    def _line_words(self, line: str) -> tuple[str, ...]:
        folded = fold_text(line, self.characters)
        things = self._things(split_atoms(folded)) if self._starting else ()
        return *index_words(folded), *(f"#{number}" for number in things)

    def _things(self, line: Sequence[str]) -> Iterator[int]:
        for at, atom in enumerate(line):
            for rest, numbers in self._starting.get(atom, ()):
                if tuple(line[at + 1:at + 1 + len(rest)]) == rest:
                    yield from numbers
