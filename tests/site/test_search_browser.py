"""Every language's search finds what its built pages hold, through the search box of the real site."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[test]'")

from benchmarks.search.box import ask, open_box, shown
from benchmarks.search.queries import page_paths, queries, read_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDERS = {"en": "", "zh": "zh/", "zh-Hant": "zh-Hant/", "ja": "ja/"}


@pytest.mark.parametrize("language", FOLDERS)
def test_recall_is_one(language: str, built_site: Path, site_url: str, browser: "Browser") -> None:
    root = site_url.rstrip("/") + "/"
    tab = open_box(browser, root + FOLDERS[language])
    paths = page_paths(built_site, FOLDERS[language], list(FOLDERS.values()))
    pages = read_pages(tab, root, paths)
    missed: list[str] = []
    foreign: list[str] = []
    for query in queries(pages, cjk=language != "en", count=40, seed=20261121):
        handed = ask(tab, query.text)
        found = shown(tab)
        assert found == handed, f"the box does not show all it was handed for {query.text!r}"
        if query.page.path not in found:
            missed.append(f"{query.text!r} of {query.page.path}")
        foreign.extend(path for path in found if path not in paths)
    tab.close()
    assert not missed
    assert not foreign


# Asks the worker as MaterialX does: each message has an id, and a query is in a record.
AS_MATERIALX = """async index => {
  const worker = new Worker(`assets/hexapla/search-worker.js?index=${index}`), answers = new Map()
  const queries = ["memory", ""].map((query, number) => ({id: number + 1, type: 2, data: {query}}))
  const asked = [{id: 0, type: 0, data: {}}, ...queries]
  await new Promise(done => {
    worker.onmessage = ({data}) => answers.set(data.id, data) && answers.size === asked.length && done()
    asked.forEach(message => worker.postMessage(message))
  })
  return asked.map(({id}) => [answers.get(id).type, answers.get(id).data?.items?.length > 0])
}"""


def test_each_question_of_materialx_has_its_answer(visit: Callable[[str], "Page"]) -> None:
    tab = visit("/")
    assert tab.evaluate(AS_MATERIALX, "../../search/index.json") == [[1, False], [3, True], [3, False]]
    assert tab.evaluate(AS_MATERIALX, "../../nowhere/index.json") == [[1, False], [4, False], [3, False]]
