"""What a first query loads on a large site, and how long it takes: `python -m benchmarks.search.speed --site DIR`.

Pages of about 10 KB are put together from blocks of the built pages, drawn by a fixed seed, until there are 500. Files
come from this machine; the worker's code runs in the page, since a worker of its own is neither slowed nor timed.

- ms: from the query to the answer, in Chromium whose processor is slowed four times: of use on a quiet machine alone
- CPU ms: what the page's thread worked for it, not slowed, times four
- kB: of the files that are loaded for it, compressed
"""

import argparse
import gzip
import random
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hexapla.glossary import parse
from hexapla.site.search import search_index
from hexapla.site.search.search_page_words import SearchLanguage
from hexapla.site.search.search_sections import SearchEntry, SearchSection
from hexapla.site.search.search_terms import FILE, read_terms
from playwright.sync_api import CDPSession, sync_playwright
from playwright.sync_api import Page as Tab

from benchmarks.search import box
from benchmarks.search.queries import Block, BuiltPage, page_paths, read_pages
from benchmarks.search.readers import reader_queries

_DOCS = Path(__file__).parents[2] / "docs"

# A worker in the page: [milliseconds, pages found, files loaded] of a query.
_START = """async () => {
  const loaded = [], read = address => { loaded.push(new URL(address).pathname); return fetch(address) }
  const self = {
    location: {href: new URL("search-worker.js?index=search/index.json", location.href).href},
    addEventListener: (_, listen) => { self.listen = listen },
    postMessage: ({data}) => self.take(data.items.length)
  }
  const run = async (name, load) =>
    new Function("self", "fetch", "importScripts", await (await fetch(name)).text())(self, read, load)
  await run("search-answers.js")
  await run("search-worker.js")
  window.ask = query => new Promise(resolve => {
    const start = performance.now()
    self.take = found => resolve([performance.now() - start, found, loaded.splice(0)])
    self.listen({data: {type: 2, data: query}})
  })
}"""


def large(pages: Sequence[BuiltPage], count: int, size: int, seed: int) -> list[BuiltPage]:
    """`count` pages of at least `size` bytes of UTF-8 each, from the blocks of these."""
    draw = random.Random(seed)
    blocks = [block for page in pages for block in page.blocks]
    made = []
    for number in range(count):
        chosen: list[Block] = []
        while sum(len(block.text.encode()) for block in chosen) < size:
            chosen.append(draw.choice(blocks))
        made.append(BuiltPage(f"{number}/", tuple(chosen)))
    return made


def entry(page: BuiltPage) -> SearchEntry:
    """The page in the index, a section for each heading."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for block in page.blocks:
        if block.tag in {"h1", "h2", "h3", "h4"}:
            parts.append((block.text, []))
        else:
            parts[-1][1].append(block.text)
    return SearchEntry(page.path, f"Page {page.path}", tuple(
        SearchSection(str(n or ""), heading, "\n".join(text), 2 if n else 1) for n, (heading, text) in enumerate(parts)
    ))


def ask(tab: Tab, query: str, fresh: bool) -> tuple[float, list[str]]:
    """Milliseconds and files loaded for a query; a `fresh` worker has loaded nothing."""
    if fresh:
        tab.evaluate(_START)
    ms, _, files = tab.evaluate("query => window.ask(query)", query)
    return ms, files


def worked(session: CDPSession, tab: Tab, query: str, fresh: bool) -> float:
    """Milliseconds of the processor that the page's thread takes for a query."""
    if fresh:
        tab.evaluate(_START)

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    before = busy()
    ask(tab, query, fresh=False)
    return 1000 * (busy() - before)


def main() -> None:
    """Reads the arguments, prints bytes and times."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.speed", description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--language", default="zh")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--size", type=int, default=10_000, help="bytes of text a page")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--slow", type=int, default=4, help="how many times the processor is slowed")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = "" if arguments.language == "en" else f"{arguments.language}/"

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = box.launch(playwright)
        with box.served(arguments.site) as url:
            tab = browser.new_page()
            tab.goto(url)
            built = read_pages(tab, url, page_paths(arguments.site, folder, ["zh/", "zh-Hant/", "ja/"]))
        pages = large(built, arguments.pages, arguments.size, arguments.seed)
        root = Path(temporary)
        (root / "index.html").touch()
        for name in (search_index.WORKER, search_index.ANSWERS):
            shutil.copy(Path(search_index.__file__).parents[1] / "theme" / name, root)
        glossary = parse((_DOCS / "glossary.yml").read_text("utf-8"))
        language = SearchLanguage(arguments.language, read_terms(_DOCS / FILE), glossary)
        packed = {}
        for name, text in search_index.index_files(map(entry, pages), language).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
            packed[f"/{name}"] = len(gzip.compress(text.encode(), mtime=0))
        with box.served(root) as url:
            tab = browser.new_page()
            tab.goto(url)
            session = tab.context.new_cdp_session(tab)
            session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
            session.send("Performance.enable")
            asked = [query.text for query in reader_queries(arguments.language, "all")][:arguments.queries]
            busy = {fresh: [worked(session, tab, query, fresh) for query in asked] for fresh in (True, False)}
            session.send("Emulation.setCPUThrottlingRate", {"rate": arguments.slow})
            waited = {fresh: [ask(tab, query, fresh) for query in asked] for fresh in (True, False)}
    print(f"{arguments.language}: {len(pages)} pages, an index of {sum(packed.values()) / 1e3:.0f} kB compressed")
    for name, fresh in (("first", True), ("later", False)):
        figures = {
            "ms": [ms for ms, _ in waited[fresh]],
            "CPU ms": [arguments.slow * ms for ms in busy[fresh]],
            "kB": [sum(packed[file] for file in files) / 1e3 for _, files in waited[fresh]],
        }
        print(f"a {name} query:", "; ".join(
            f"{statistics.median(each):.0f} {unit}, most {max(each):.0f}" for unit, each in figures.items()
        ), f"({len(asked)} queries)")


if __name__ == "__main__":
    main()
