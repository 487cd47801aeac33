"""Prints what each search engine finds on a built site: `python -m benchmarks.search --site DIR`.

Needs `pip install -e '.[test]' 'pagefind[extended]==1.5.2'` and Chromium. jieba must not be installed: Material would
segment its index with it, which is not what its users have by default.

The queries are cut from the site's own pages by a fixed seed (benchmarks/search/queries.py) and asked in Chromium.

- recall: the share of queries whose page is among the results
- first 5: the share of queries whose page is among the first five results
- precision: of all results, the share that are pages of this language that hold the query as it was typed
- index, gzip: kB of the index files a search in this language may load (Material: one file for all languages)
"""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.search import box
from benchmarks.search.engines import ENGINES, Engine, installed, size, sources
from benchmarks.search.queries import BuiltPage, Query, page_paths, queries, read_pages

_SPACED = ("en",)  # languages written with spaces between words; of the others queries are cut anywhere


@dataclass(frozen=True)
class Score:
    """Shares, 0 to 1, over the queries of one language."""

    recall: float
    first_five: float
    precision: float


def score(answers: Sequence[tuple[Query, Sequence[str]]], pages: Sequence[BuiltPage]) -> Score:
    """What was answered against what the pages hold; `pages` are all of the language."""
    known = {page.path: page for page in pages}
    shown = sum(len(paths) for _, paths in answers)
    right = sum(path in known and known[path].holds(query.text) for query, paths in answers for path in paths)
    return Score(
        recall=sum(query.page.path in paths for query, paths in answers) / len(answers),
        first_five=sum(query.page.path in paths[:5] for query, paths in answers) / len(answers),
        precision=right / shown if shown else 1.0,
    )


def read(browser: Browser, site: Path, prefixes: Mapping[str, str]) -> dict[str, list[BuiltPage]]:
    """The pages of each language that have an article."""
    with box.served(site) as url:
        tab = browser.new_page()
        tab.goto(url)
        folders = list(prefixes.values())
        found = {lang: read_pages(tab, url, page_paths(site, prefix, folders)) for lang, prefix in prefixes.items()}
    return {lang: [page for page in pages if page.blocks] for lang, pages in found.items()}


def table(
    browser: Browser, engine: Engine, site: Path, asked: Mapping[str, list[Query]], pages: Mapping[str, list[BuiltPage]]
) -> list[str]:
    """One line for each language: what this engine answers, and the size of its index."""
    lines = []
    with box.served(site) as url:
        for language, drawn in asked.items():
            prefix = _prefix(language, list(asked))
            tab = engine.open(browser, url + prefix)
            result = score([(query, engine.ask(tab, query.text)) for query in drawn], pages[language])
            tab.close()
            plain, packed = size(engine.files(site, prefix))
            lines.append(
                f"{engine.name:20} {language:8} {result.recall:6.3f} {result.first_five:8.3f} "
                f"{result.precision:10.3f} {plain / 1000:8.0f} {packed / 1000:8.0f}"
            )
    return lines


def main() -> None:
    """Reads the arguments, prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--languages", default="en,zh,zh-Hant,ja", help="the first at the root, the others in folders")
    parser.add_argument("--queries", type=int, default=60, help="for each language")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if find_spec("pagefind") is None:
        parser.error("pagefind is not installed: pip install 'pagefind[extended]==1.5.2'")
    if find_spec("jieba") is not None:
        parser.error("jieba changes what Material indexes: pip uninstall jieba")
    languages = arguments.languages.split(",")
    prefixes = {language: _prefix(language, languages) for language in languages}
    found = sources(arguments.site, prefixes)

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = box.launch(playwright)
        pages = read(browser, arguments.site, prefixes)
        asked = {
            language: queries(pages[language], language not in _SPACED, arguments.queries, arguments.seed)
            for language in languages
        }
        print("pages:", ", ".join(f"{language} {len(pages[language])}" for language in languages))
        print(f"queries: {arguments.queries} a language, seed {arguments.seed}\n")
        print(f"{'engine':20} {'language':8} recall  first 5  precision index kB  gzip kB")
        for number, engine in enumerate(ENGINES):
            copy = Path(folder) / str(number)
            cpu = installed(engine, arguments.site, copy, found, prefixes)
            print("\n".join(table(browser, engine, copy, asked, pages)))
            print(f"{engine.name:20} index made in {cpu:.2f} s of CPU", flush=True)


def _prefix(language: str, languages: Sequence[str]) -> str:
    return "" if language == languages[0] else f"{language}/"


if __name__ == "__main__":
    main()
