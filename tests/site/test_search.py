"""The index of one language, and the worker that answers from it."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hexapla.site.search import search_index, search_sections
from hexapla.site.search.search_page_words import SearchLanguage
from hexapla.site.search.search_sections import SearchEntry, make_entry
from hexapla.site.search.search_terms import make_terms
from hypothesis import given
from hypothesis import strategies as st
from mkdocs.exceptions import PluginError

CASES = Path(__file__).parents[1] / "cases" / "site" / "search"
THEME = Path(search_index.__file__).parents[1] / "theme"
SCRIPTS = THEME / search_index.WORKER, THEME / search_index.ANSWERS

# Asks a worker as Material does: SETUP, wait for READY, QUERY, wait for RESULT.
ASK = """([url, queries]) => new Promise((resolve, reject) => {
  const worker = new Worker(url), answers = []
  worker.onerror = event => reject(new Error(event.message))
  worker.onmessage = ({data: {type, data}}) => {
    if (type === 3) answers.push(data.items)
    if (answers.length === queries.length) resolve(answers)
    else worker.postMessage({type: 2, data: queries[answers.length]})
  }
  worker.postMessage({type: 0, data: {config: {}, docs: [], options: {suggest: false}}})
})"""

# The first query meets an index that is not there; then `put` is called, and the second is answered.
RETRY = """url => new Promise(resolve => {
  const worker = new Worker(url), answers = []
  worker.onmessage = ({data: {data}}) => { answers.push(data.items.length); resolve(answers) }
  worker.postMessage({type: 2, data: 'text'})
  setTimeout(async () => { await put(); worker.postMessage({type: 2, data: 'text'}) }, 300)
  setTimeout(() => resolve(answers), 10000)  // a worker that does not try again never answers
})"""

Answers = list[list[list[dict[str, Any]]]]  # of each query its pages, of each page its sections
Ask = Callable[..., Answers]


def cases(kind: str) -> list[Any]:
    files = sorted((CASES / kind).glob("*.yml"))
    return [pytest.param(yaml.safe_load(file.read_text("utf-8")), id=file.stem) for file in files]


@pytest.mark.parametrize("case", cases("sections"))
def test_sections(case: dict[str, Any]) -> None:
    found = [vars(section) for section in search_sections.read_sections(case["html"])]
    assert len(found) == len(case["sections"])
    for section, wanted in zip(found, case["sections"], strict=True):
        assert {name: section[name] for name in wanted} == wanted


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))  # browsers drop U+0000 too
def test_text_is_kept_and_any_html_is_read(text: str) -> None:
    first, *_ = search_sections.read_sections(text)  # whatever a page holds, it has a first section
    assert first.anchor == ""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    assert "".join(search_sections.read_sections(f"<p>{escaped}</p>")[0].text.split()) == "".join(text.split())


def write_index(root: Path, pages: list[SearchEntry], language: SearchLanguage) -> None:
    """Write an index below a folder."""
    for name, text in search_index.index_files(pages, language).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")


def test_the_index_is_the_same_for_the_same_pages() -> None:
    def files() -> dict[str, str]:
        page = make_entry("zh/a/", "标题", '<p>正文</p><h2 id="b">节</h2>')
        return search_index.index_files([page], SearchLanguage("zh"))

    made = files()
    assert made == files()
    assert {*made} == {"search/index.json", "search/text/0.json", "search/words/0.json", "search/words.json"}
    assert all("\n" not in text and json.loads(text) for name, text in made.items() if name != "search/words.json")
    assert json.loads(made["search/text/0.json"]) == ["正文", ""]


@pytest.mark.parametrize("base", ["", "../../", "/docs/", "https://example.org/"])
def test_a_page_is_pointed_to_our_worker(base: str) -> None:
    page = '<script id="__config">{"base": ".", "search": "%s", "tags": null}</script>'
    theirs = f"{base}assets/javascripts/workers/search.a7633da7.min.js"
    ours = f"{base}assets/hexapla/search-worker.js?index=../../zh/search/index.json"
    assert search_index.use_worker(page % theirs, "zh/search/index.json") == page % ours


def test_the_theme_still_names_its_worker_as_we_expect() -> None:
    material = pytest.importorskip("material")
    template = Path(material.__file__).parent / "templates" / "base.html"
    line = next(line for line in template.read_text("utf-8").splitlines() if '"search":' in line)
    assert "search-worker.js" in search_index.use_worker(line.replace('" | url', '"'), "search/index.json")


@pytest.mark.parametrize("setup", [
    '{"search": {"provider": "pagefind", "options": {"bundlePath": "pagefind/"}}}',
    '{"search": "assets/javascripts/workers/search-a7633da7.js"}',
    '{"search": null}',
])
def test_a_page_whose_search_box_cannot_ask_our_worker_is_an_error(setup: str) -> None:
    with pytest.raises(PluginError, match="#__config names no worker"):
        search_index.use_worker(f'<script id="__config" type="application/json">{setup}</script>', "search/index.json")


def test_a_page_without_the_search_box_is_left_alone() -> None:
    assert search_index.use_worker("<p>redirect</p>", "search/index.json") == "<p>redirect</p>"


@pytest.fixture(scope="module")
def ask(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    from benchmarks.search.box import served

    root = tmp_path_factory.mktemp("worker")
    (root / "index.html").touch()
    for script in SCRIPTS:
        shutil.copy(script, root)
    with served(root) as url:
        tab = browser.new_page()
        tab.goto(url)

        def ask(
            pages: list[SearchEntry], queries: list[str], language: SearchLanguage | None = None
        ) -> Answers:
            name = f"{len(list(root.iterdir()))}"
            write_index(root / name, pages, language or SearchLanguage())
            answers: Answers = tab.evaluate(ASK, [f"search-worker.js?index={name}/search/index.json", queries])
            return answers

        yield ask
        tab.close()


@pytest.mark.parametrize("case", cases("find"))
def test_the_worker_finds(case: dict[str, Any], ask: Ask) -> None:
    settings = case.get("language", {})
    language = SearchLanguage(**settings | {"terms": make_terms(settings.get("terms", {}))})
    pages = [make_entry(**page) for page in case["pages"]]
    answers = ask(pages, [asked["query"] for asked in case["ask"]], language)
    for asked, items in zip(case["ask"], answers, strict=True):
        found = [item[0]["location"].partition("#")[0] for item in items]
        order = sorted if asked.get("any_order") else list
        assert order(found) == order(asked["finds"]), asked["query"]
        if "items" in asked:
            assert [{key: part[key] for key in ("location", "title", "text")} for part in items[0]] == asked["items"]


def test_every_answer_can_be_shown_by_the_theme(ask: Ask) -> None:
    html = "<p>loss</p>" + "".join(f'<h2 id="s{n}">Part {n}</h2><p>loss {"loss " * n}</p>' for n in range(30))
    (((*parts,),),) = ask([make_entry("p/", "Title", html)], ["loss"])
    assert [part["score"] for part in parts] == sorted((part["score"] for part in parts), reverse=True)
    assert sum("#" not in part["location"] for part in parts) == 1  # the theme looks for exactly one page among them
    assert all(set(part) == {"location", "title", "text", "score", "terms"} for part in parts)


@pytest.mark.parametrize(("title", "lacking"), [
    ("Page", {"p/#a": ["memory", "sharding"], "p/#b": []}),  # most of what was typed, or one word of three
    ("Gradient", {"p/": [], "p/#a": [], "p/#b": []}),
])
def test_a_section_says_which_terms_it_lacks_where_it_lacks_most_and_no_title_answers(
    ask: Ask, title: str, lacking: dict[str, list[str]]
) -> None:
    html = '<h2 id="a">A</h2><p>gradient</p><h2 id="b">B</h2><p>memory sharding</p>'
    (((*parts,),),) = ask([make_entry("p/", title, html)], ["gradient memory sharding"])
    lacks = {part["location"]: [term for term, there in part["terms"].items() if not there] for part in parts}
    assert lacks.items() >= lacking.items()


@pytest.mark.parametrize(("typed", "marked"), [
    ("quantization int4 bit", ["__bit__", "__quantized__"]),  # as typed, in whole words, and not by another name
    ("int4", ["__4_bit__"]),  # which is all that the excerpt shows
    ("out of memory", ["__out_of_memory__"]),
    ("fast", []),  # in code alone
])
def test_the_page_one_lands_on_marks_what_was_typed(ask: Ask, typed: str, marked: list[str]) -> None:
    html = '<h2 id="a">A</h2><p>A bit of bitsandbytes: quantized to 4-bit, not out of memory.</p><pre>fast(bit)</pre>'
    language = SearchLanguage(terms=make_terms({"synonyms": {"en": [["int4", "4-bit"], ["out of memory", "OOM"]]}}))
    (((*parts,),),) = ask([make_entry("p/", "Page", html)], [typed], language)
    assert [[*part["terms"]] for part in parts if part["location"] == "p/#a"] == [marked]


def test_of_a_page_named_after_one_word_the_section_with_the_other_leads(ask: Ask) -> None:
    html = '<p>Of looms.</p><h2 id="a">Trouble</h2><p>The warp breaks.</p>'
    others = '<p>Of the weft.</p><h2 id="b">The warp, the weft and more</h2>', "<p>The warp. The loom.</p>"
    pages = [make_entry("p/", "Looms of all kinds", html)]
    pages += [make_entry(f"{at}/", "Other", each) for at, each in enumerate(others)]
    ((items, *_),) = ask(pages, ["looms warp"])
    assert items[0]["location"] == "p/#a"


def test_the_title_of_a_page_has_no_score_of_its_own_where_a_section_is_better(ask: Ask) -> None:
    html = '<p>loss and more</p><h2 id="a">Loss</h2><p>loss</p>'
    (((*parts,),),) = ask([make_entry("p/", "Page", html)], ["loss"])
    assert [(part["location"], part["score"] > 0) for part in parts] == [("p/#a", True), ("p/", False)]


@pytest.mark.parametrize(("html", "typed", "shown"), [
    ("<table><tr><th>Symptom</th><td>Killed, and nothing at all is printed.</td></tr></table>", "oom",
     "<p>Killed, and nothing at all is printed.</p>"),
    ("<pre>train(resume=newest)</pre><p>A run that was stopped can resume where it was.</p>", "resume",
     "<p>A run that was stopped can <mark>resume</mark> where it was.</p>"),
    ("<p>A run that was stopped goes on where it was.</p><pre>trainer.train(resume=newest_checkpoint)</pre>", "resume",
     "<p>trainer.train(<mark>resume</mark>=newest_checkpoint)</p>"),
    ("<p>A run that was stopped goes on where it was.</p><pre>train(resume)</pre>", "resume",
     "<p>A run that was stopped goes on where it was.</p>"),
    ("<p>A run that was stopped goes on where it was.</p><pre>train(part_a)</pre>", "part",
     "<p>A run that was stopped goes on where it was.</p>"),
    ("<table><tr><th>Then</th><th>Now</th></tr><tr><td>resume=True</td><td>train(newest)</td></tr></table>", "resume",
     "<p><mark>resume</mark>=True → train(newest)</p>"),
])
def test_an_excerpt_has_the_word_prose_before_code_unless_the_heading_has_it(
    ask: Ask, html: str, typed: str, shown: str
) -> None:
    ((items,),) = ask([make_entry("p/", "Page", f'<h2 id="a" data-search="oom">Part A</h2>{html}')], [typed])
    assert {part["text"] for part in items if part["location"] == "p/#a"} == {shown}


def test_where_code_alone_has_a_thing_by_another_name_the_excerpt_is_prose_with_a_word_of_it(ask: Ask) -> None:
    html = ('<h2 id="a">Part A</h2><p>A table of the shapes of tensors.</p><p>The cache grows with every token.</p>'
            "<pre>model.key_value_cache(batch, length)</pre>")
    language = SearchLanguage(terms=make_terms({"synonyms": {"en": [["key-value cache", "KV cache"]]}}))
    ((items,),) = ask([make_entry("p/", "Page", html)], ["kv cache"], language)
    assert items[0]["text"] == "<p>The <mark>cache</mark> grows with every token.</p>"


@pytest.mark.parametrize(("heading", "html", "shown"), [
    ("Split weft", "<p>Each hand holds a part of the threads.</p><p>Split weft: works with 4 of 5 looms.</p>",
     "Each hand holds a part of the threads."),
    ("More on split weft", "<p>Split weft, thread by thread.</p><p>Split weft: of a split weft no thread is cut.</p>",
     "<mark>Split weft</mark>, thread by thread."),
])
def test_an_excerpt_says_first_what_a_thing_is(ask: Ask, heading: str, html: str, shown: str) -> None:
    language = SearchLanguage(terms=make_terms({"synonyms": {"en": [["split weft", "parted weft"]]}}))
    ((items,),) = ask([make_entry("p/", "Page", f'<h2 id="a">{heading}</h2>{html}')], ["split weft"], language)
    assert items[0]["text"] == f"<p>{shown}</p>"


def test_an_index_that_is_not_there_is_not_an_empty_one(browser: Any, tmp_path: Path) -> None:
    from benchmarks.search.box import served

    (tmp_path / "index.html").touch()
    for script in SCRIPTS:
        shutil.copy(script, tmp_path)
    files = search_index.index_files([make_entry("p/", "Title", "<p>text</p>")], SearchLanguage())
    first = files.pop(search_index.INDEX)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    with served(tmp_path) as url:
        tab = browser.new_page()
        tab.expose_function("put", lambda: (tmp_path / search_index.INDEX).write_text(first, "utf-8"))
        tab.goto(url)
        assert tab.evaluate(RETRY, f"search-worker.js?index={search_index.INDEX}") == [1]
        tab.close()
