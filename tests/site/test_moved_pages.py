"""The old addresses of pages that moved lead on, in every language and without a server."""

import pytest

from tests.site.conftest import serving
from tests.site.project import CONFIG, build, lay

MAPS = "{old.md: deep/new.md, 'old.md#fast': index.md#home, deep/gone.md: index.md#home, index.md: deep/new.md}"
FILES = {
    "mkdocs.yml": CONFIG.replace("hexapla: {", f"hexapla: {{redirect_maps: {MAPS}, "),
    "docs/en/deep/new.md": "# New <b> {#new}\n\n## Part {#part}\n\nText.\n",
    "docs/zh/deep/new.md": "# 新 {#new}\n\n## 部分 {#part}\n\n正文。\n",
}
MOVED = {
    "old/": "deep/new/", "old/?a=b#part": "deep/new/?a=b#part", "old/?a=b#fast": "?a=b#home", "deep/gone/#x": "#home",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = lay(tmp_path_factory.mktemp("moved"), FILES)
    found = build(root)
    assert found.status == 0, found.said
    return found


@pytest.mark.parametrize("folder", ["", "zh/", "zh-Hant/"])
@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_page_leads_on_with_its_query_and_id(built, open_tab, folder, old, new):
    with serving(built.site) as site:
        page = open_tab(site)
        page.goto(f"{site}/{folder}{old}")
        page.wait_for_url(f"{site}/{folder}{new}")


def test_without_scripts_the_page_names_the_new_one_and_search_engines_skip_it(built):
    page = built.page("zh/old/index.html")
    assert '<meta http-equiv="refresh" content="0; url=../deep/new/">' in page
    assert '<a href="../deep/new/">新</a>' in page and 'content="noindex"' in page
    assert "<b>" not in built.page("old/index.html")


def test_a_page_that_is_still_there_is_not_overwritten(built):
    assert "Home" in built.page("index.html") and "refresh" not in built.page("index.html")
