"""The search index of one language, made of its rendered pages, and the worker that the theme's search box asks.

The index is cut into files, of which `theme/assets/hexapla/search-answers.js` loads those that a query needs: one that
lists the sections, then those with the words that were typed, and the text of the pages that it shows.
"""

import json
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import sub
from types import MappingProxyType
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError

from hexapla.cache import digest
from hexapla.glossary import Term
from hexapla.site.search.search_page_words import SearchLanguage, SectionWords, WordReader, simple_characters
from hexapla.site.search.search_sections import SearchEntry
from hexapla.site.search.search_terms import SearchTerms
from hexapla.site.search.search_words import STEMS, fold_text, split_atoms, stop_words
from hexapla.site.texts.strings import say_sentence

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

WORKER = "assets/hexapla/search-worker.js"  # the worker's address, from the site's root
ANSWERS = "assets/hexapla/search-answers.js"  # and that of what it loads with the first query
FOLDER = "search/"  # of an index, from the root of its language
INDEX = f"{FOLDER}index.json"  # the file that is loaded first
BUCKET = 40_000  # bytes of a file of words, about; compressed it is a third

NONE: Mapping[str, Sequence[SectionWords]] = MappingProxyType({})
NOWHERE: Mapping[str, str] = MappingProxyType({})

# How the templates of Material and MaterialX name their own worker to their script; theme_contract.py has the lines.
_THEME_WORKER = re.compile(
    r'("(?:search|workerUrl)":\s*")([^"]*)assets/javascripts/workers/search\.[0-9a-f]+\.min\.js"'
)
_CONFIG = re.compile(r'<script id="?__config\b')


def index_files(
    entries: Iterable[SearchEntry], language: SearchLanguage, index: str = INDEX,
    known: Mapping[str, Sequence[SectionWords]] = NONE, places: Mapping[str, str] = NOWHERE,
) -> dict[str, str]:
    """The files of an index, by their address from the site's root. The same pages give the same files.

    `index` is the address of the first of them, `known` are the words of pages that were read before, by the page's,
    `places` where pages stand in the navigation, see `nav_places`.
    """
    pages, reader = [*entries], WordReader(language)
    postings: dict[str, list[int]] = defaultdict(list)
    named: dict[int, list[str]] = {}
    rows: list[tuple[int, str, str, int, int]] = []  # page, anchor, heading, length, parent's row
    for number, page in enumerate(pages):
        parents: list[tuple[int, int]] = []  # level and row of the headings above
        for section, (length, words) in zip(page.sections, known.get(page.url) or reader.read(page), strict=True):
            for word, code in words.items():
                postings[word] += (len(rows), code)
            parents = [each for each in parents if each[0] < section.level]
            heading = section.heading if section.anchor else page.title
            if names := language.names(page, section):
                named[len(rows)] = names
            rows.append((number, section.anchor, heading, length, parents[-1][1] if parents else -1))
            parents.append((section.level, len(rows) - 1))
    files = {
        f"{FOLDER}text/{number}.json": dump_json([section.shown_text() for section in page.sections])
        for number, page in enumerate(pages)
    }
    files |= {f"{FOLDER}{name}": text for name, text in word_files(postings).items()}
    stop, context, characters = stop_words(language.code), language.terms.context_words(language.code), {}
    if reader.characters:
        characters = simple_forms(pages, [*stop, *context, *(name for group in reader.groups for name in group)])
    known_rows = {f"{pages[row[0]].name}#{row[1]}".rstrip("#"): number for number, row in enumerate(rows)}
    manifest = {
        "pages": [[page.url, page.title, page.boost * language.terms.boost_of(page.name)] for page in pages],
        "places": [places.get(page.url, "") for page in pages],
        "sections": [*map(list, zip(*rows, strict=True))] if rows else [[]] * 5,
        "names": named,
        "files": sum(name.startswith(f"{FOLDER}words/") for name in files),
        "phrases": reader.phrases,
        "stop": make_keys(stop),
        "context": make_keys(context),
        "stems": STEMS,
        "characters": ["".join(map(chr, characters)), "".join(map(chr, characters.values()))],
        "help": [known_rows[name] for name in language.terms.help if name in known_rows],  # where nothing is found
        "say": language.say,
    }
    manifest["version"] = digest(dump_json([manifest, files]))[:8]
    root = index.removesuffix(INDEX)
    return {root + name: text for name, text in {INDEX: dump_json(manifest), **files}.items()}


def nav_places(pages: Iterable["Page"]) -> dict[str, str]:
    """Where pages stand in the navigation, by their address: the titles of the sections around them."""
    return {page.url: " › ".join(each.title for each in [*page.ancestors][::-1] if each.title) for page in pages}


def make_search_language(code: str, search: SearchTerms, terms: tuple[Term, ...]) -> SearchLanguage:
    """What the index of a site's language is made with."""
    said = {
        "nothing": say_sentence(code, "search-nothing", query="{query}"),
        "nearest": say_sentence(code, "search-nearest", query="{query}", terms="{terms}"),
    }
    return SearchLanguage(code, search, terms, said)


def simple_forms(pages: Iterable[SearchEntry], names: Iterable[str]) -> dict[int, int]:
    """Traditional characters with their Simplified forms, as far as one of both is on a page or in a name."""
    seen = {each for page in pages for section in page.sections for each in section.heading + section.text}
    seen.update(*names)
    return {one: other for one, other in simple_characters().items() if chr(one) in seen or chr(other) in seen}


def word_files(postings: Mapping[str, list[int]]) -> dict[str, str]:
    """The words in files of about one size; words that begin alike are in one file, see `find_bucket`."""
    texts = {word: f"{dump_json(word)}:{pack_postings(postings[word])}" for word in sorted(postings)}
    count = max(1, sum(map(len, texts.values())) // BUCKET)
    buckets: list[list[str]] = [[] for _ in range(count)]
    for word, text in texts.items():
        buckets[find_bucket(word, count)].append(text)
    files = {f"words/{number}.json": "{" + ",".join(each) + "}" for number, each in enumerate(buckets)}
    similar = [word for word in texts if word.isascii() and word.isalpha() and len(word) > 3]
    return files | {"words.json": dump_json(similar)}


def pack_postings(postings: list[int]) -> str:
    """The sections of a word as distances, each with where the word stands."""
    rows, codes = postings[::2], postings[1::2]
    pairs = zip(map(sub, rows, (0, *rows)), codes, strict=True)
    return "[" + ",".join(map(str, chain.from_iterable(pairs))) + "]"


def find_bucket(word: str, count: int) -> int:
    """The number of the file that has a word: by its first two characters, one in scripts without spaces."""
    key = word if word[0] == "#" else word[:1] if word[0] >= "\u0e00" else word[:2]  # Hangul and others: by one, too
    value = 0
    for unit in array("H", key.encode("utf-16-le")):
        value = (value * 31 + unit) % 1_000_003
    return value % count


def make_keys(words: Iterable[str]) -> list[str]:
    """Words as atoms with spaces between, in whichever script they were written."""
    return sorted({" ".join(split_atoms(fold_text(word, simple_characters()))) for word in words} - {""})


ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # made once: a word is encoded alone


def dump_json(value: object) -> str:
    """JSON without spaces."""
    return ENCODER.encode(value)


def use_worker(html: str, index: str) -> str:
    """A finished page whose search box asks our worker for `index` (its path from the site's root).

    A page without the theme's configuration, a redirect for instance, is returned as it is. Raises PluginError where
    that configuration names no worker that could be replaced: the box would search an empty index.
    """
    up = "../" * WORKER.count("/")
    html, replaced = _THEME_WORKER.subn(rf'\g<1>\g<2>{WORKER}?index={up}{index}"', html, count=1)
    if not replaced and _CONFIG.search(html):
        raise PluginError(
            "the theme's search box cannot be given Hexapla's search worker: #__config names no worker "
            "assets/javascripts/workers/search.*.min.js; install the version of the theme that Hexapla was "
            "tested with, or report this to Hexapla"
        )
    return html
