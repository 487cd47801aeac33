"""Traditional Chinese by region: Hong Kong's beside Taiwan's, each in its own words, around the text too."""

import json
import re

import pytest

from tests.site.project import CONFIG, build, lay

BOTH = CONFIG.replace(
    "        - {locale: zh-Hant, name: 繁體中文}\n",
    "        - {locale: zh-Hant, name: 繁體中文}\n        - {locale: zh-HK, name: 繁體中文（香港）}\n",
).replace("{zh-Hant: zh}", "{zh-Hant: zh, zh-HK: zh}").replace("plugins:\n", "plugins:\n  - search\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    page = "# 首页 {#home}\n\n软件里的网络。\n"
    built = build(lay(tmp_path_factory.mktemp("regions"), {
        "mkdocs.yml": BOTH, "docs/en/index.md": "# Home {#home}\n\nSoftware.\n", "docs/zh/index.md": page,
    }), "--strict")
    assert built.status == 0, built.said
    return built


@pytest.mark.parametrize(("language", "text", "derived"), [
    ("zh-Hant", "軟體裡的網路。", "由程式自簡體中文版自動轉換"), ("zh-HK", "軟件裏的網絡。", "香港的習慣"),
])
def test_a_page_is_in_the_words_of_its_region(site, language, text, derived):
    page = site.page(f"{language}/index.html")
    assert f'<html lang="{language}"' in page
    assert f"<p>{text}</p>" in page
    assert derived in page


def theme_strings(page):
    """What the theme says by its script."""
    return json.loads(re.search(r'id="__config"[^>]*>(.*?)</script>', page)[1])["translations"]


@pytest.mark.parametrize("language", ["zh-Hant", "zh-HK"])
def test_the_theme_speaks_in_taiwans_words_with_one_word_for_search(site, language):
    page = site.page(f"{language}/index.html")
    said = theme_strings(page)
    assert said["clipboard.copy"] == "複製"
    assert said["search.result.one"] == "找到 1 個符合的項目"
    assert 'placeholder="搜尋"' in page
    assert not re.search("个|查找|檢索|鍵入", page + "".join(said.values()))


def test_simplified_has_one_word_for_search(site):
    page = site.page("zh/index.html")
    assert 'aria-label="搜索"' in page
    assert "查找" not in page


def test_search_engines_are_told_of_each_region(site):
    head = site.page("index.html").partition("</head>")[0]
    assert [code for code in ("zh-Hant", "zh-TW", "zh-HK") if f'hreflang="{code}"' in head] == [
        "zh-Hant", "zh-TW", "zh-HK",
    ]


REVERSE = CONFIG.replace("{zh-Hant: zh}", "{zh: zh-Hant}")


@pytest.fixture(scope="module")
def reverse(tmp_path_factory):
    root = lay(tmp_path_factory.mktemp("reverse"), {
        "mkdocs.yml": REVERSE, "docs/en/index.md": "# Home {#home}\n\nSoftware. See the cell.\n",
        "docs/zh-Hant/index.md": "# 首頁 {#home}\n\n軟體裡的「網路」。看儲存格。\n",
        "docs/glossary.yml": "- {term: cell, treatment: convert, zh: 单元格, zh-Hant: 儲存格}\n",
        "translations/zh.yml": "index.md:\n- {from: 看儲存格。, write: 请看这个单元格。}\n",
    })
    (root / "docs/zh/index.md").unlink()
    built = build(root, "--strict")
    assert built.status == 0, built.said
    return built


def test_simplified_pages_are_derived_from_traditional_ones_and_a_passage_by_hand_wins(reverse):
    page = reverse.page("zh/index.html")
    assert "<p>软件里的“网络”。请看这个单元格。</p>" in page
    assert "自动转换" in page
    assert "軟體裡的「網路」" in reverse.page("zh-Hant/index.html")
