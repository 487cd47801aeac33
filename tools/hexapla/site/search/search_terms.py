"""What a project says of its search: other names of things, words for sections, pages that rank lower, where to look.

`docs/search.yml` has them, beside the glossary, whose renderings are other names too:

    synonyms:                  # by language; each line is one thing by several names, `all` is for every language
      en: [[out of memory, OOM, (memory|VRAM) is full]]      # (one|other) is either
    sections:                  # what readers call a section that does not say so itself
      page: {anchor: {en: [save memory]}}
    boost: {tools/*: 0.5}      # pages that rank lower, or higher
    help: [page#anchor]        # shown where nothing is found
    context: {en: [training]}  # words of most queries, which say less of what is looked for than others
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from hexapla.errors import ConfigError
from hexapla.files import read_text
from hexapla.glossary import Term
from hexapla.hanzi.converter import to_traditional
from hexapla.languages import base
from hexapla.site.search.search_words import fold_text, split_atoms
from hexapla.yaml_text import load_yaml

FILE = "search.yml"
_ALTERNATIVES = re.compile(r"\(([^()]*\|[^()]*)\)")
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SearchTerms:
    """What the file says, as it stands there; `sections` is by page and anchor ("" is the page), then by language."""

    synonyms: Mapping[str, Groups] = field(default_factory=dict)
    sections: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    boost: Mapping[str, float] = field(default_factory=dict)
    help: tuple[str, ...] = ()
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self, page: str, anchor: str, language: str) -> tuple[str, ...]:
        """The words for a section in a language; those of Chinese are for each of its scripts."""
        found = self.sections.get((page, anchor), {})
        return tuple(dict.fromkeys(
            name for code in ("all", base(language), language) for name in found.get(code, ())
        ))

    def context_words(self, language: str) -> tuple[str, ...]:
        """The words that say where a problem is rather than what it is."""
        codes = dict.fromkeys(("all", base(language), language))
        return tuple(word for code in codes for word in self.context.get(code, ()))

    def boost_of(self, page: str) -> float:
        """By what the rank of a page is multiplied."""
        return next((factor for glob, factor in self.boost.items() if fnmatchcase(page, glob)), 1.0)


def read_terms(file: Path) -> SearchTerms:
    """The terms of a project; none where it has no such file. Raises ConfigError."""
    if not file.is_file():
        return SearchTerms()
    try:
        return make_terms(load_yaml(read_text(file.parent, file)) or {})
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(f"{file}: is not a table of search terms ({error}); compare it with the guide's") from error


def make_terms(data: Mapping[str, Any]) -> SearchTerms:
    """The terms of a parsed file. Raises AttributeError, TypeError and ValueError for what has another shape."""
    if unknown := {*data} - {"synonyms", "sections", "boost", "help", "context"}:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    return SearchTerms(
        {code: tuple(map(read_words, groups)) for code, groups in (data.get("synonyms") or {}).items()},
        {
            (page, anchor or ""): {code: read_words(names) for code, names in by_language.items()}
            for page, anchors in (data.get("sections") or {}).items() for anchor, by_language in anchors.items()
        },
        {glob: float(factor) for glob, factor in (data.get("boost") or {}).items()},
        read_words(data.get("help") or []),
        {code: read_words(entry) for code, entry in (data.get("context") or {}).items()},
    )


def read_words(entry: object) -> tuple[str, ...]:
    """A list of words. Raises TypeError for what is none."""
    if not isinstance(entry, list) or any(isinstance(each, list | dict) for each in entry):
        raise TypeError(f"{entry!r} is no list of words")
    return tuple(name for each in entry for name in expand_alternatives(str(each)))


def expand_alternatives(name: str) -> Iterator[str]:
    """The names that one with `(one|other)` in it stands for: `(GPU |)memory` is `GPU memory` and `memory`."""
    parts = _ALTERNATIVES.split(name)
    choices = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
    return (" ".join("".join(chosen).split()) for chosen in product(*choices))


def name_groups(terms: SearchTerms, glossary: Iterable[Term], language: str) -> Iterator[tuple[str, ...]]:
    """Things by all their names in a language: the project's synonyms, and the glossary's renderings.

    Both scripts of Chinese know the words of both.
    """
    codes = (language, base(language)) if base(language) != "zh" else ("zh", "zh-Hant", language)
    for term in glossary:
        yield (term.term, *(
            name for code in dict.fromkeys(codes)
            for name in (term.renderings.get(code, ""), *term.also.get(code, ()), *term.forbidden.get(code, ())) if name
        ))
    for code in dict.fromkeys(("all", *codes)):
        yield from terms.synonyms.get(code, ())


def phrase_table(
    groups: Iterable[tuple[str, ...]], language: str, characters: Mapping[int, int],
) -> dict[str, list[int]]:
    """The names of things, as atoms with spaces between, each with the numbers of the things that it may be."""
    table: dict[str, list[int]] = {}
    number = 0
    for group in groups:
        written = {*group, *map(to_traditional, group)} if base(language) == "zh" else group
        keys = {" ".join(split_atoms(fold_text(name, characters))) for name in written} - {""}
        if len(keys) > 1:
            for key in sorted(keys):
                table.setdefault(key, []).append(number)
            number += 1
    return table
