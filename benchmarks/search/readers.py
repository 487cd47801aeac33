"""How often what readers type is answered: `python -m benchmarks.search.readers --site DIR`.

`reader_queries/LANGUAGE.tsv` has queries as readers type them, in forums, titles of issues and search boxes. Each has
the sections that answer it (`page#id`; `page#` is its beginning, `page` any part of it), where it comes from, and its
half: the search was tuned on one, the other was put aside. The `first` were written before the search was made, the
`second` later, without a look at the index; `titles` are those of issues and articles. `all.tsv` has what is pasted in
every language, messages of errors; it is `pasted`, and asked for with `--origin pasted` alone.

- success@1: the share of queries whose first result, the best section of the first page, is an answer
- success@3: the share with an answer among the three best sections of the first three pages
- page@1, page@3: the same, with any section of an answer's page
"""

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.search import box
from benchmarks.search.engines import ENGINES, installed, sources

QUERIES = Path(__file__).parent / "reader_queries"
LANGUAGES = ("en", "zh", "zh-Hant", "ja")
ORIGINS = ("first", "second", "titles")
PASTED = "pasted"
HALVES = ("tuning", "held-out", "all")


@dataclass(frozen=True)
class ReaderQuery:
    """What is typed, and what answers it: addresses below the language's root, `page#id`, or `page` for all of it."""

    text: str
    answers: frozenset[str]

    def is_answered(self, address: str) -> bool:
        """Whether a section is an answer."""
        page, mark, _ = address.partition("#")
        return address in self.answers or page in self.answers or (not mark and f"{page}#" in self.answers)

    def is_on_page(self, address: str) -> bool:
        """Whether a section is on the page of an answer."""
        return address.partition("#")[0] in {answer.partition("#")[0] for answer in self.answers}


def reader_queries(language: str, half: str, origins: Sequence[str] = ORIGINS) -> list[ReaderQuery]:
    """The queries of a language: those to tune with, those put aside, or all."""
    files = (QUERIES / f"{name}.tsv" for name in (language, "all"))
    rows = [line.split("\t") for file in files for line in file.read_text("utf-8").splitlines()]
    return [
        ReaderQuery(text, frozenset(answers.split()))
        for text, answers, origin, of_half in rows if origin in origins and half in ("all", of_half)
    ]


def rates(answers: Sequence[tuple[ReaderQuery, Sequence[Sequence[str]]]]) -> list[float]:
    """success@1, success@3, page@1, page@3; an answer is the best sections of each page."""
    def share(good: Sequence[bool]) -> float:
        return sum(good) / len(good)

    return [
        share([
            any(is_good(query, each) for page in pages[:depth] for each in page[:depth]) for query, pages in answers
        ])
        for is_good in (ReaderQuery.is_answered, ReaderQuery.is_on_page) for depth in (1, 3)
    ]


def address(location: str, prefix: str) -> str:
    """A section below the language's root, as the queries name it."""
    page, mark, anchor = location.removeprefix(prefix).partition("#")
    return (page.removesuffix("index.html").rstrip("/") or "index") + mark + anchor


def main() -> None:
    """Reads the arguments, prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.readers", description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--half", choices=HALVES, default="all")
    some = f"again for another; {', '.join(ORIGINS)} if none is given"
    parser.add_argument("--origin", choices=[*ORIGINS, PASTED], action="append", help=some)
    arguments = parser.parse_args()
    engines = [engine for engine in ENGINES if engine.name != "Pagefind" or find_spec("pagefind")]
    prefixes = {language: "" if language == LANGUAGES[0] else f"{language}/" for language in LANGUAGES}
    found = sources(arguments.site, prefixes)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = box.launch(playwright)
        origins = arguments.origin or ORIGINS
        asked = {language: reader_queries(language, arguments.half, origins) for language in LANGUAGES}
        print("queries:", arguments.half, *(f"{language} {len(each)}" for language, each in asked.items()))
        print(f"\n{'engine':20} {'language':8} success@1 success@3    page@1    page@3")
        for number, engine in enumerate(engines):
            copy = Path(folder) / str(number)
            installed(engine, arguments.site, copy, found, prefixes)
            with box.served(copy) as url:
                for language, prefix in prefixes.items():
                    tab = engine.open(browser, url + prefix)
                    answers = []
                    for query in asked[language]:
                        engine.ask(tab, query.text)
                        pages = [[address(each, prefix) for each in page] for page in engine.sections(tab)]
                        answers.append((query, [page for page in pages if page]))
                    tab.close()
                    shares = "".join(f"{each:10.2f}" for each in rates(answers))
                    print(f"{engine.name:20} {language:8}{shares}", flush=True)


if __name__ == "__main__":
    main()
