"""The site as a reader uses it, in real Chromium."""

import re

import pytest

from tests.site.switcher import switch

LANGUAGES = {"en": "/", "zh": "/zh/", "zh-Hant": "/zh-Hant/", "ja": "/ja/"}
TRAINING = "perf_train_gpu_one/"
MEMORY, OPTIMIZERS = "train_memory/", "train_optimizers/"


def top_heading(page):
    """The id of the heading nearest to the top of the window."""
    return page.evaluate("""() => [...document.querySelectorAll("article :is(h2, h3)[id]")]
        .map(h => [Math.abs(h.getBoundingClientRect().top - 60), h.id]).sort((a, b) => a[0] - b[0])[0][1]""")


@pytest.mark.parametrize(("start", "target"), [("en", "zh"), ("zh", "zh-Hant"), ("zh-Hant", "ja"), ("ja", "en")])
def test_switching_language_keeps_the_page_and_the_anchor(visit, site_url, start, target):
    page = visit(LANGUAGES[start] + MEMORY + "#gradient-checkpointing")
    switch(page, target)
    assert page.url == site_url + LANGUAGES[target] + MEMORY + "#gradient-checkpointing"
    assert page.locator("html").get_attribute("lang") == target
    assert top_heading(page) == "gradient-checkpointing"


def test_switching_language_keeps_the_place_that_was_scrolled_to(visit):
    page = visit("/" + OPTIMIZERS)
    page.evaluate("document.getElementById('optimizer').scrollIntoView()")
    switch(page, "ja")
    assert page.url.endswith("/ja/train_optimizers/#optimizer")


def test_switching_on_the_front_page_and_back(visit, site_url):
    page = visit("/ja/")
    switch(page, "zh-Hant")
    assert page.url.partition("#")[0] == site_url + "/zh-Hant/"
    switch(page, "en")
    assert page.url.partition("#")[0] == site_url + "/"


@pytest.mark.parametrize("language", ["zh", "zh-Hant", "ja"])
def test_a_page_not_translated_yet_says_so_in_the_readers_language(visit, language):
    page = visit(f"{LANGUAGES[language]}only_english/#part")
    banner = page.locator(".hx-fallback")
    assert banner.is_visible()
    assert re.search("[\u3040-\u30ff\u4e00-\u9fff]", banner.inner_text())
    assert page.locator("#part").evaluate("heading => heading.closest('[lang]').lang") == "en"
    assert page.locator("link[rel=canonical]").get_attribute("href").endswith("/only_english/")
    assert language not in page.locator("link[rel=alternate]").evaluate_all("links => links.map(l => l.hreflang)")


@pytest.mark.parametrize(("path", "language"), [
    ("/nowhere/", "en"), ("/zh/nowhere/", "zh"), ("/zh-Hant/a/b/", "zh-Hant"), ("/ja/nowhere/", "ja"),
])
def test_a_missing_page_answers_in_the_language_of_its_address(visit, site_url, path, language):
    page = visit(path)
    visible = page.locator("article section[lang]:visible")
    assert visible.count() == 1
    assert visible.get_attribute("lang") == language
    page.locator("article .hx-doors:visible").wait_for()
    visible.locator("a").click()
    assert page.url == site_url + LANGUAGES[language]


def test_dark_mode_follows_the_system_and_the_reader(visit):
    page = visit("/", color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    light = visit("/", color_scheme="light").evaluate(background)
    assert max(map(int, re.findall(r"\d+", dark)[:3])) < 64 < 192 < min(map(int, re.findall(r"\d+", light)[:3]))
    page.keyboard.press("Tab")
    for _ in range(2):
        page.locator("form[data-md-component=palette] label:visible").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"


@pytest.mark.parametrize(("language", "font"), [("zh", "SC"), ("zh-Hant", "TC"), ("ja", "JP")])
def test_each_language_asks_for_its_own_fonts(visit, language, font):
    families = visit(LANGUAGES[language]).evaluate("getComputedStyle(document.querySelector('article p')).fontFamily")
    cjk = re.findall(r"CJK (\w\w)", families)
    assert cjk[0] == font


def test_search_works_by_keyboard(visit, site_url):
    page = visit("/zh/" + TRAINING)
    page.keyboard.press("f")
    page.wait_for_function("document.activeElement.matches('.md-search__input')")
    page.keyboard.insert_text("梯度累积")
    page.keyboard.press("End")  # as after an input method: the box listens to keys going up
    page.locator(".md-search-result__link").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**h=*")
    assert page.url.startswith(site_url + "/zh/")
    assert "梯度累积" in page.locator("article").inner_text()


def test_the_switcher_works_by_keyboard(visit):
    page = visit("/zh/low_precision/#fp16")
    page.locator(".md-select > button").focus()
    for _ in range(len(LANGUAGES)):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.hreflang") == "ja":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/ja/low_precision/#fp16")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["", TRAINING, "only_english/", "nowhere/"])
def test_axe_finds_nothing_serious(visit, kind, language):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(LANGUAGES[language] + kind)
    for scheme, painted in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"body[data-md-color-scheme={painted}]")
        found = Axe().run(page).response["violations"]
        serious = [
            f"{each['id']}: {node['html'][:200]}"
            for each in found if each["impact"] in {"serious", "critical"} for node in each["nodes"]
        ]
        assert not serious, scheme
