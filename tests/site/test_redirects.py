"""Old addresses of sections that moved to other pages arrive, in every language and without a server."""

import pytest
from hexapla.checks.rules.id_redirects import redirects_of
from hexapla.pages import parse

from tests.site.project import build, lay
from tests.site.test_browser import LANGUAGES

OLD = "perf_train_gpu_one/"
PAGES = {
    "docs/en/index.md": "---\nredirects:\n  part: deep/other.md#part\n---\n# Home {#home}\n",
    "docs/zh/index.md": "# 首页 {#home}\n",
    "docs/en/deep/other.md": "# Other {#other}\n\n## `A` part {#part}\n\nText.\n",
    "docs/zh/deep/other.md": "# 其他 {#other}\n\n## 软件 {#part}\n\n正文。\n",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("old", "new"), [
    ("#gradient-checkpointing", "train_memory/#gradient-checkpointing"),
    ("?utm=a%20b&x=#fp16", "low_precision/?utm=a%20b&x=#fp16"), ("#choosing", OLD + "#choosing"),
    ("#no-such-id", OLD + "#no-such-id"), ("#%E0%A4%A", OLD + "#%E0%A4%A"),
])
def test_an_old_address_arrives_with_its_query(visit, site_url, language, old, new):
    page = visit(LANGUAGES[language] + OLD + old)
    page.wait_for_url(site_url + LANGUAGES[language] + new)
    page.wait_for_load_state()
    assert page.locator("html").get_attribute("lang") == language
    if (heading := new.partition("#")[2]) in {"gradient-checkpointing", "fp16"}:
        assert abs(page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", heading)) < 120


def test_every_row_of_the_guide_leads_on_and_the_way_back_is_the_page_before(visit, site_url, built_site):
    text = (built_site.parent / "docs/en/perf_train_gpu_one.md").read_text("utf-8")
    rows = [*redirects_of(parse(text), "perf_train_gpu_one.md")]
    assert len(rows) > 20
    page = visit("/ja/" + OLD, java_script_enabled=False)
    links = page.locator(".hx-redirect").evaluate_all("rows => rows.map(row => [row.id, row.querySelector('a').href])")
    places = {row.old: f"{site_url}/ja/{row.path.removesuffix('.md')}/#{row.id}" for row in rows}
    assert dict(links) == places
    page = visit("/ja/")
    for old, place in {row.path: (row.old, places[row.old]) for row in rows}.values():  # a row of each page
        page.goto(f"{site_url}/ja/{OLD}#{old}")
        page.wait_for_url(place)
        assert page.evaluate("document.getElementById(location.hash.slice(1)).tagName").startswith("H")
    page.go_back()
    assert OLD not in page.url


def test_an_id_that_is_typed_on_the_page_itself_is_followed(visit):
    page = visit("/zh/" + OLD)
    page.evaluate("location.hash = 'optimizer'")
    page.wait_for_url("**/zh/train_optimizers/#optimizer")


@pytest.mark.parametrize(("language", "said"), [
    ("en", "This section has moved: Gradient checkpointing"), ("zh", "本节已移至：梯度检查点"),
    ("zh-Hant", "本節已移至：梯度檢查點"), ("ja", "このセクションは移動しました：勾配チェックポイント"),
])
def test_without_scripts_the_page_says_where_the_section_is(visit, site_url, language, said):
    page = visit(LANGUAGES[language] + OLD + "#gradient-checkpointing", java_script_enabled=False)
    shown = page.locator(".hx-redirect:visible")
    assert shown.all_inner_texts() == [said]
    shown.locator("a").click()
    assert page.url == site_url + LANGUAGES[language] + "train_memory/#gradient-checkpointing"


def test_the_title_is_the_reader_s_and_the_original_s_where_that_has_no_page(tmp_path):
    root = lay(tmp_path, PAGES)
    (root / "docs/zh/deep/other.md").unlink()
    built = build(root)
    assert built.status == 0, built.said
    assert '<a href="deep/other/#part">A part</a>' in built.page("zh/index.html")
    (root / "docs/zh/deep/other.md").write_text(PAGES["docs/zh/deep/other.md"], encoding="utf-8")
    assert build(root).status == 0
    assert '本节已移至：<a href="deep/other/#part">软件</a>' in built.page("zh/index.html")
    assert '本節已移至：<a href="deep/other/#part">軟體</a>' in built.page("zh-Hant/index.html")


@pytest.mark.parametrize(("row", "said"), [
    ("part: deep/other.md#gone", "redirect of #part: deep/other.md has no id 'gone'"),
    ("part: gone.md#part", "redirect of #part: there is no page 'gone.md'"),
    ("home: deep/other.md#part", "redirect of #home: the page still has the id 'home'"),
    ("part: deep/other.md", "redirect of #part: 'deep/other.md' is no page and id"),
])
def test_a_bad_row_stops_any_build_with_its_place(tmp_path, row, said):
    page = PAGES["docs/en/index.md"].replace("part: deep/other.md#part", row)
    built = build(lay(tmp_path, PAGES | {"docs/en/index.md": page}))
    assert built.status != 0
    assert f"docs/en/index.md:3:1 anchor-redirect: {said}" in built.said


def test_a_page_without_text_leads_on_and_says_that_it_is_not_translated(tmp_path):
    empty = "---\ntitle: Empty\nredirects:\n  part: deep/other.md#part\n---\n"
    built = build(lay(tmp_path, PAGES | {"docs/en/empty.md": empty}))
    assert 'class="hx-redirect"' in built.page("empty/index.html")
    assert 'lang="en"' in built.page("zh/empty/index.html").partition("<article")[2]
