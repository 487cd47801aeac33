"""How long the worker takes on a large site: `python -m benchmarks.search.speed --site DIR`.

Pages of about 10 KB are put together from blocks of the built pages, drawn by a fixed seed, until there are 500. The
times are those a reader waits, in Chromium: from the query being sent to the worker to its answer being there.
"""

import argparse
import random
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hexapla.site import search_index
from playwright.sync_api import Page as Tab
from playwright.sync_api import sync_playwright

from benchmarks.search import box
from benchmarks.search.queries import Block, BuiltPage, page_paths, queries, read_pages

_TIME = """async ([index, queries]) => {
  const worker = new Worker(`search-worker.js?index=${index}`)
  const answer = message => new Promise(resolve => {
    worker.onmessage = ({data}) => resolve(data)
    worker.postMessage(message)
  })
  const time = async query => {
    const start = performance.now()
    const {data} = await answer({type: 2, data: query})
    return [performance.now() - start, data.items.length]
  }
  const times = []
  for (const query of queries) times.push(await time(query))
  return times
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


def entry(page: BuiltPage) -> search_index.SearchEntry:
    """The page in the index, a section for each heading."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for block in page.blocks:
        if block.tag in {"h1", "h2", "h3", "h4"}:
            parts.append((block.text, []))
        else:
            parts[-1][1].append(block.text)
    return search_index.SearchEntry(
        page.path,
        f"Page {page.path}",
        tuple(
            search_index.SearchSection(str(n or ""), heading, "\n".join(text))
            for n, (heading, text) in enumerate(parts)
        ),
    )


def times(tab: Tab, index: str, asked: Sequence[str]) -> list[tuple[float, int]]:
    """Milliseconds and pages found for each query, asked in this order of a new worker."""
    return [(ms, found) for ms, found in tab.evaluate(_TIME, [index, list(asked)])]


def main() -> None:
    """Reads the arguments, prints the times."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.speed", description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    parser.add_argument("--folder", default="zh/", help="folder of the language")
    parser.add_argument("--common", default="的", help="a query that nearly every page holds")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--size", type=int, default=10_000, help="bytes of text a page")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = box.launch(playwright)
        with box.served(arguments.site) as url:
            tab = browser.new_page()
            tab.goto(url)
            built = read_pages(tab, url, page_paths(arguments.site, arguments.folder, [arguments.folder]))
        pages = large(built, arguments.pages, arguments.size, arguments.seed)
        root = Path(folder)
        (root / "index.html").touch()
        shutil.copy(Path(search_index.__file__).parent / "theme" / search_index.WORKER, root)
        index = search_index.index_json(map(entry, pages))
        (root / "index.json").write_text(index, "utf-8")
        with box.served(root) as url:
            tab = browser.new_page()
            tab.goto(url)
            drawn = [query.text for query in queries(pages, cjk=True, count=60, seed=arguments.seed)]
            (first, _), *rest = times(tab, "index.json", ["loads the index", *drawn])
            (_, _), *common = times(tab, "index.json", ["loads the index", *[arguments.common] * 9])
    print(f"index: {len(index.encode()) / 1e6:.1f} MB, {len(pages)} pages")
    print(f"first query, which loads it: {first:.0f} ms")
    waited = [ms for ms, _ in rest]
    print(f"a query: median {statistics.median(waited):.1f} ms, slowest {max(waited):.1f} ms ({len(waited)} queries)")
    median = statistics.median(ms for ms, _ in common)
    print(f"{arguments.common!r}, on {common[0][1]} pages: median {median:.0f} ms ({len(common)} times)")


if __name__ == "__main__":
    main()
