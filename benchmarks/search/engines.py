"""Four search engines, each put into a copy of the same built site."""

import gzip
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from types import SimpleNamespace

from hexapla.glossary import parse
from hexapla.site.search import search_index
from hexapla.site.search.search_page_words import SearchLanguage
from hexapla.site.search.search_sections import make_entry
from hexapla.site.search.search_terms import FILE, read_terms
from material.plugins.search.plugin import SearchIndex
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from benchmarks.search import box
from benchmarks.search.queries import page_paths

_DOCS = Path(__file__).parents[2] / "docs"
_ARTICLE = re.compile(r"<article class=\"md-content__inner[^>]*>(.*)</article>", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)( - [^<]*)?</title>", re.DOTALL)
_WORKER = re.compile(r'("search":\s*")([^"]*)assets/[^"]+"')
_FIELDS = {"title": {"boost": 1e3}, "text": {"boost": 1.0}, "tags": {"boost": 1e6}}
_CJK = r"\u3040-\u30ff\u3400-\u9fff"


@dataclass(frozen=True)
class Source:
    """One page of the site: its language, its address, its title, the HTML of its article."""

    language: str
    path: str
    title: str
    html: str


@dataclass(frozen=True)
class Engine:
    """`install` puts the engine into a site; `files` are the index files that a search in a language may load."""

    name: str
    install: Callable[[Path, list[Source], Mapping[str, str]], None]
    files: Callable[[Path, str], list[Path]]
    open: Callable[[Browser, str], Tab] = box.open_box
    ask: Callable[[Tab, str], list[str]] = box.ask
    sections: Callable[[Tab], list[list[str]]] = box.sections  # of the pages of the last answer, best first


def sources(site: Path, prefixes: Mapping[str, str]) -> list[Source]:
    """Every page of the site that has an article."""
    found = []
    for language, prefix in prefixes.items():
        for path in page_paths(site, prefix, list(prefixes.values())):
            html = _file(site, path).read_text("utf-8")
            article, title = _ARTICLE.search(html), _TITLE.search(html)
            if article and title:
                found.append(Source(language, path, unescape(title[1]).strip(), article[1]))
    return found


def installed(engine: Engine, site: Path, copy: Path, pages: list[Source], prefixes: Mapping[str, str]) -> float:
    """Makes a copy of the site with this engine; gives the CPU seconds its index took."""
    shutil.copytree(site, copy)
    before = _cpu()
    engine.install(copy, pages, prefixes)
    return _cpu() - before


def size(files: list[Path]) -> tuple[int, int]:
    """Bytes of the files, and bytes of each compressed with gzip, summed."""
    contents = [file.read_bytes() for file in files]
    return sum(map(len, contents)), sum(len(gzip.compress(content, mtime=0)) for content in contents)


def _file(site: Path, path: str) -> Path:
    return site / (f"{path}index.html" if path.endswith("/") or not path else path)


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _use_worker(site: Path, page: Source, worker: str) -> None:
    file = _file(site, page.path)
    file.write_text(_WORKER.sub(rf'\g<1>\g<2>{worker}"', file.read_text("utf-8")), "utf-8")


def _install_hexapla(site: Path, pages: list[Source], prefixes: Mapping[str, str]) -> None:
    worker = site / search_index.WORKER
    worker.parent.mkdir(parents=True, exist_ok=True)
    for name in (search_index.WORKER, search_index.ANSWERS):
        shutil.copy(Path(search_index.__file__).parents[1] / "theme" / name, worker.parent)
    terms, words = read_terms(_DOCS / FILE), parse((_DOCS / "glossary.yml").read_text("utf-8"))
    for language, prefix in prefixes.items():
        own = [page for page in pages if page.language == language]
        shutil.rmtree(site / prefix / search_index.FOLDER, ignore_errors=True)
        entries = [make_entry(p.path, p.title, p.html, p.path[len(prefix):].rstrip("/") or "index") for p in own]
        files = search_index.index_files(entries, SearchLanguage(language, terms, words))
        for name, text in files.items():
            (site / prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (site / prefix / name).write_text(text, "utf-8")
        for page in own:
            _use_worker(site, page, f"{search_index.WORKER}?index=../../{prefix}{search_index.INDEX}")
    (site / "search").mkdir(exist_ok=True)
    (site / "search/search_index.json").write_text('{"config":{"lang":["en"],"separator":"\\\\s+"},"docs":[]}')


def _install_lunr(separator: str) -> Callable[[Path, list[Source], Mapping[str, str]], None]:
    def install(site: Path, pages: list[Source], prefixes: Mapping[str, str]) -> None:
        index = SearchIndex(lang=["en", "zh", "ja"], separator=separator, pipeline=["stopWordFilter"], fields=_FIELDS)
        worker = next(site.glob("assets/javascripts/workers/search.*.js")).relative_to(site).as_posix()
        for page in pages:
            index.add_entry_from_context(
                SimpleNamespace(meta={}, content=page.html, toc=[], url=page.path, title=page.title)
            )
            _use_worker(site, page, worker)
        (site / "search").mkdir(exist_ok=True)
        (site / "search/search_index.json").write_text(index.generate_search_index(None), "utf-8")

    return install


def _install_pagefind(site: Path, pages: list[Source], prefixes: Mapping[str, str]) -> None:
    for page in pages:
        file = _file(site, page.path)
        file.write_text(file.read_text("utf-8").replace("<article ", "<article data-pagefind-body ", 1), "utf-8")
    subprocess.run([sys.executable, "-m", "pagefind", "--site", str(site)], check=True, stdout=subprocess.DEVNULL)


def _open_tab(browser: Browser, url: str) -> Tab:
    tab = browser.new_page()
    tab.goto(url)
    tab.evaluate("async () => { window.pagefind = await import('/pagefind/pagefind.js') }")
    return tab


def _ask_pagefind(tab: Tab, query: str) -> list[str]:
    urls = tab.evaluate(
        """async query => {
          const {results} = await window.pagefind.search(query)
          const pages = await Promise.all(results.map(result => result.data()))
          window.searchSections = pages.map(({sub_results}) => sub_results
            .sort((a, b) => b.locations.length - a.locations.length).map(({url}) => url.slice(1)))
          return pages.map(({url}) => url)
        }""",
        query,
    )
    return [box.address(url) for url in urls]


def _lunr_files(site: Path, prefix: str) -> list[Path]:
    return [site / "search/search_index.json"]


def _pagefind_files(site: Path, prefix: str) -> list[Path]:
    language = (prefix.rstrip("/") or "en").lower()
    return sorted(path for path in (site / "pagefind").rglob(f"*{language}_*") if path.is_file())


def _hexapla_files(site: Path, prefix: str) -> list[Path]:
    return sorted((site / prefix / search_index.FOLDER).rglob("*.json"))


ENGINES = (
    Engine("Material", _install_lunr(r"[\s\-]+"), _lunr_files),
    Engine("Material, CJK split", _install_lunr(rf"[\s\-]+|(?=[{_CJK}])|(?<=[{_CJK}])"), _lunr_files),
    Engine("Pagefind", _install_pagefind, _pagefind_files, _open_tab, _ask_pagefind),
    Engine("Hexapla", _install_hexapla, _hexapla_files),
)
