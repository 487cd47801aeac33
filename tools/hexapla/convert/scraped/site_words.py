"""How a language names what links lead to: the links and headings of its other pages, beside those they translate."""

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from hexapla.convert.links import ADDRESS
from hexapla.convert.scraped.inline import LINK
from hexapla.convert.scraped.parallel_page import UnitKind, read_parallel_page

SEEN = 2  # pages on which words stand for others, to be known for them
ID = re.compile(r"#(?P<id>[^\s{}]+)")


class SiteWords(NamedTuple):
    """The words of a language for a target, by those that the parallel language has for it.

    `phrases` are those for some words of the parallel language, whatever they lead to.
    """

    exact: Mapping[tuple[str, str], frozenset[str]] = {}
    page: str = ""
    phrases: Mapping[str, frozenset[str]] = {}

    def words(self, target: str, words: str) -> frozenset[str]:
        """The words for a target that this page's parallel names by some words."""
        return self.exact.get((resolve_target(self.page, target), words.casefold()), frozenset())

    def translations(self, words: str) -> frozenset[str]:
        """The words that stand elsewhere for some words of the parallel language."""
        return self.phrases.get(words.casefold(), frozenset())


NO_WORDS = SiteWords()


Names = Mapping[str, Mapping[str, tuple[str, ...]]]  # by page and target, the words for the target in order


def read_names(pages: Mapping[str, str]) -> Names:
    """The words that pages have for targets, given by their paths below their language's folder."""
    return {page: names_on(page, text) for page, text in pages.items()}


def site_words(page: str, parallel: Names, others: Names) -> SiteWords:
    """The words that the other pages of a language have, beside the pages that they translate."""
    exact: dict[tuple[str, str], set[str]] = {}
    phrases: dict[str, dict[str, set[str]]] = {}  # the pages that have them
    for name in others.keys() - {page}:
        theirs = parallel.get(name, {})
        for target, found in others[name].items():
            if len(theirs.get(target, ())) == len(found):
                for one, other in zip(theirs[target], found, strict=True):
                    exact.setdefault((target, one.casefold()), set()).add(other)
                    if target.partition("#")[0] != name:  # a link; what leads to the page itself is a heading
                        phrases.setdefault(one.casefold(), {}).setdefault(other, set()).add(name)
    return SiteWords({key: frozenset(words) for key, words in exact.items()}, page,
                     {key: frozenset(words for words, pages in found.items() if len(pages) >= SEEN)
                      for key, found in phrases.items()})


def resolve_target(page: str, target: str) -> str:
    """A target by its path below the language's folder; an address stays as it is."""
    if ADDRESS.match(target) or target.startswith("/"):
        return target
    path, mark, fragment = target.partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page) + mark + fragment


def names_on(page: str, text: str) -> dict[str, tuple[str, ...]]:
    """Each target that a page links to or is itself, with the words for it."""
    parsed = read_parallel_page(text)
    found: dict[str, list[str]] = {}
    for unit in parsed.units:
        block = parsed.blocks[unit.first]
        if unit.kind is UnitKind.HEADING:
            if block.level == 1:
                found.setdefault(page, []).append(unit.shown.strip())
            if match := ID.search(block.suffix):
                found.setdefault(f"{page}#{match['id']}", []).append(unit.shown.strip())
        for cell in unit.cells:
            for mark in cell.marks:
                if mark.kind is LINK and (words := cell.shown[mark.start : mark.end].strip()):
                    found.setdefault(resolve_target(page, mark.target), []).append(words)
    return {target: tuple(words) for target, words in found.items()}
