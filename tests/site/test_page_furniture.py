"""What stands around a page's text: notes below code, wide tables, the menu of languages, titles of links."""

from itertools import pairwise

import pytest

PAGES = {"en": "/perf_train_gpu_one/", "zh": "/zh/perf_train_gpu_one/", "ja": "/ja/perf_train_gpu_one/"}


def test_where_code_ran_is_one_line_that_opens_by_keyboard(visit):
    page = visit(PAGES["en"])
    note = page.locator(".hx-run:not(.hx-hardware) details").first
    assert note.bounding_box()["height"] < 40
    source = note.locator(".hx-run__source a").first
    assert not source.is_visible()
    note.locator("summary").press("Enter")
    assert source.is_visible()
    assert note.locator("li").first.is_visible()


@pytest.mark.parametrize(("width", "path", "heading"), [
    (390, "/slow_training/", "result"), (390, "/zh/published/", "training"),
])
def test_the_first_column_of_a_wide_table_stays(visit, width, path, heading):
    page = visit(path)
    page.set_viewport_size({"width": width, "height": 800})
    place, moved = page.evaluate("""id => {
        const after = [...document.querySelectorAll(`#${id} ~ .md-typeset__scrollwrap`)]
        const wide = after.find(each => each.scrollWidth > each.clientWidth + 20)
        const left = cell => Math.round(cell.getBoundingClientRect().left)
        const [first, second] = wide.querySelectorAll("td")
        const before = left(second)
        wide.scrollLeft = 20
        return [left(first) - left(wide), before - left(second)]
    }""", heading)
    assert 0 <= place <= 16
    assert moved == 20


def test_a_wide_table_is_scrolled_by_keyboard_and_the_copy_button_is_seen(visit):
    page = visit("/zh/slow_training/", width=390)
    page.wait_for_load_state("load")
    wide = "document.querySelector('.md-typeset__scrollwrap[tabindex]')"
    page.evaluate(f"{wide}.focus()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{wide}.scrollLeft > 0")
    button = page.locator(".md-code__button").first
    grey = button.evaluate("button => getComputedStyle(button).color")
    assert int(grey.partition("(")[2].partition(",")[0]) < 120 and "rgba" not in grey


@pytest.mark.parametrize("language", PAGES)
def test_the_menu_marks_the_language_and_links_say_what_they_are_in_it(visit, language):
    page = visit(PAGES[language])
    current = page.locator(".md-select__link[aria-current]")
    assert current.evaluate_all("links => links.map(link => link.hreflang)") == [language]
    titles = {page.locator("h2 .headerlink").first.get_attribute("title"),
              page.locator("[data-md-component=palette] label").first.get_attribute("title")}
    assert ("Permanent link" in titles) == ("Dark" in titles) == (language == "en")


@pytest.mark.parametrize(("system", "first", "titles"), [
    ("light", "slate", ["Dark", "Light"]), ("dark", "default", ["Light", "Dark"]),
])
def test_each_click_changes_light_and_dark_and_the_systems_own_follows_the_system(visit, system, first, titles):
    page = visit(PAGES["en"], color_scheme=system)
    button = page.locator("[data-md-component=palette] label:visible")
    own, other = {"light": ("default", "dark"), "dark": ("slate", "light")}[system]

    def wait_for_paint(scheme):
        page.wait_for_function("scheme => document.body.dataset.mdColorScheme === scheme", arg=scheme)

    wait_for_paint(own)
    for expected, title in zip([first, own, first], [*titles, titles[0]], strict=True):
        assert button.get_attribute("title") == title
        button.click()
        wait_for_paint(expected)
    page.reload()
    wait_for_paint(first)  # the reader's choice is kept
    page.locator("[data-md-component=palette] input").first.press("Enter")
    wait_for_paint(own)
    page.emulate_media(color_scheme=other)
    wait_for_paint(first)
    page.reload()
    wait_for_paint(first)
    button.click()
    wait_for_paint(own)


@pytest.mark.parametrize("language", ["/", "/zh/", "/zh-Hant/", "/ja/"])
def test_the_start_page_fits_with_its_title_and_its_links_stand_one_below_the_other(visit, language):
    page = visit(language)
    boxes = page.locator(".hx-doors li").first.locator("p > a").evaluate_all(
        "links => links.map(link => link.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) >= 4
    assert len({box["left"] for box in boxes}) == 1
    assert all(one["bottom"] <= other["top"] for one, other in pairwise(boxes))
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        title, shown, header = page.evaluate("""() => {
            const title = document.querySelector(".md-header__topic .md-ellipsis"), box = title.getBoundingClientRect()
            const header = document.querySelector(".md-header").getBoundingClientRect()
            return [[title.scrollWidth, title.scrollHeight], [title.clientWidth, title.clientHeight],
                    header.top <= box.top && box.bottom <= header.bottom]
        }""")
        assert title[0] <= shown[0] and title[1] <= shown[1] + 1
        assert header


@pytest.mark.parametrize("width", [1280, 390])
def test_the_header_has_the_sites_name_while_one_scrolls(visit, width):
    page = visit("/train_memory/", width=width)
    page.mouse.wheel(0, 3000)
    page.locator(".md-header__title--active").wait_for()
    page.wait_for_timeout(500)  # the theme's change takes 0.4 seconds
    name, title = page.locator(".md-header__topic").all()
    assert name.evaluate("each => [getComputedStyle(each).opacity, getComputedStyle(each).transform]") == ["1", "none"]
    assert "Transformers" in name.inner_text() and not title.is_visible()


@pytest.mark.parametrize("language", ["/", "/zh/", "/zh-Hant/", "/ja/"])
@pytest.mark.parametrize("path", ["what_ran_where/", "removed/", "glossary/", "perf_train_gpu_one/", "tools/rules/"])
def test_wide_things_scroll_in_their_own_box_on_a_phone(visit, language, path):
    page = visit(language + path)
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_plots_words_are_inside_it_and_none_is_over_another(visit, built_site):
    plots = sorted((built_site / "assets/plots").glob("*-light*.svg"))
    page = visit("/404.html")
    page.set_content("".join(f'<iframe src="/assets/plots/{plot.name}"></iframe>' for plot in plots))
    counts, wrong = page.evaluate("""() => {
        const counts = [], wrong = []
        for (const {contentDocument: plot} of document.querySelectorAll("iframe")) {
            const box = plot.documentElement.getBoundingClientRect()
            const words = [...plot.querySelectorAll("text")].filter(each => each.textContent)
            const boxes = words.map(each => each.getBoundingClientRect())
            const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
                Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3
            counts.push(words.length)
            wrong.push(...words.filter((word, at) => boxes[at].left < box.left || boxes[at].right > box.right ||
                boxes[at].top < box.top || boxes[at].bottom > box.bottom ||
                boxes.some((other, place) => place > at && over(boxes[at], other))).map(word => word.textContent))
        }
        return [counts, wrong]
    }""")
    assert not wrong
    assert len(counts) == len(plots) and all(counts)


@pytest.mark.parametrize(("width", "path"), [(390, "/ja/profiling/"), (390, "/perf_train_cpu_many/"), (768, "/peft/")])
def test_the_link_of_a_title_does_not_widen_the_page(visit, width, path):
    page = visit(path)
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("language", ["/", "/zh-Hant/", "/ja/"])
def test_the_title_of_the_next_page_is_whole_on_a_phone(visit, language):
    page = visit(language + "perf_infer_gpu_many/")
    page.set_viewport_size({"width": 390, "height": 844})
    title = page.locator(".md-footer__link--next .md-ellipsis")
    assert title.evaluate("title => title.scrollWidth - title.clientWidth") <= 0


@pytest.mark.parametrize("path", ["/train_memory/", "/perf_infer_gpu_many/", "/glossary/", "/ja/parallelism/"])
@pytest.mark.parametrize("shown", [False, True])
def test_the_path_and_the_menus_of_a_page_are_not_over_one_another_on_a_phone(visit, path, shown):
    page = visit(path, width=390, own=True)
    page.set_viewport_size({"width": 390, "height": 844})
    if shown:
        page.click("[popovertarget=hx-languages]")
        page.locator("#hx-languages [lang]").first.click()
        page.wait_for_selector("body.hx-paired")
    last = page.locator(".md-path__item:visible").last.bounding_box()
    assert last["x"] + last["width"] <= page.locator("[popovertarget=hx-languages]").bounding_box()["x"]


@pytest.mark.parametrize("language", ["/", "/zh/", "/ja/"])
def test_the_drawer_shows_the_parts_of_the_site_and_the_page_that_is_read(visit, language):
    page = visit(f"{language}train_memory/", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("label[for=__drawer]:visible").first.click()
    parts = page.locator(".md-nav--primary > .md-nav__list > .md-nav__item > label.md-nav__link")
    assert parts.count() == 5
    tabs = page.locator(".md-tabs__link").all_text_contents()[1:]  # the first is a page of these tests
    assert [each.strip() for each in parts.all_text_contents()] == [each.strip() for each in tabs]
    parts.nth(1).click()  # recipes open in their place, and are seen there
    assert 0 < page.locator(".md-sidebar--primary a[href*='finetune_8b']").bounding_box()["y"] < 844


def test_the_parts_of_the_site_are_in_sight_in_a_window_of_a_laptop(visit):
    page = visit("/train_memory/")
    page.set_viewport_size({"width": 1100, "height": 800})
    assert page.locator(".md-tabs__link:visible").count() >= 4
    page.goto(page.url + "#gradient-checkpointing")
    header, heading = (page.locator(each).bounding_box() for each in (".md-header", "#gradient-checkpointing"))
    assert heading["y"] >= header["y"] + header["height"]


def test_a_page_without_a_sidebar_lists_its_sections_before_the_first(visit):
    page = visit("/train_memory/")
    box = page.locator(".hx-toc")
    assert page.locator("h1 ~ p ~ .hx-toc ~ h2").count() == page.locator("article > h2").count() > 0
    assert not box.is_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    box.locator("summary").click()
    box.locator("a", has_text="Gradient checkpointing").click()
    assert page.url.endswith("#gradient-checkpointing")
    assert visit("/will_it_fit/").locator(".hx-toc").count() == 0


@pytest.mark.parametrize("language", ["/", "/zh/", "/ja/"])
def test_tables_with_a_text_behind_numbers_fit_a_phone(visit, language):
    page = visit(f"{language}models/", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    wrap = page.locator("#methods ~ .md-typeset__scrollwrap").first
    assert wrap.evaluate("wrap => wrap.scrollWidth - wrap.clientWidth") <= 0
    row = wrap.locator("tbody tr").nth(1)
    cells = [each.bounding_box() for each in row.locator("td").all()]
    assert cells[-1]["width"] > 300 and cells[-1]["y"] > cells[0]["y"]
    assert len({round(each["y"]) for each in cells[:-1]}) == 1


@pytest.mark.parametrize("language", ["/", "/zh/", "/ja/"])
def test_the_share_of_a_published_run_is_seen_on_a_phone(visit, language):
    page = visit(f"{language}published/", width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("training", "decoding", "first-token"):
        wrap = page.locator(f"#{name} ~ .md-typeset__scrollwrap").first
        share = wrap.locator("tbody tr").first.locator("td").nth(1)
        assert share.inner_text().endswith("%")
        assert share.bounding_box()["x"] + share.bounding_box()["width"] < wrap.bounding_box()["width"]


@pytest.mark.parametrize(("width", "path"), [(1440, "published/"), (390, "published/"), (1440, "models/")])
def test_no_name_in_a_japanese_table_is_split(visit, width, path):
    page = visit(f"/ja/{path}", width=width)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.locator("article td").evaluate_all("""cells => cells.flatMap(cell => {
        const split = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
        while (texts.nextNode()) for (const {0: word, index} of texts.currentNode.data.matchAll(/[A-Za-z0-9]{2,}/g)) {
            const range = document.createRange()
            range.setStart(texts.currentNode, index)
            range.setEnd(texts.currentNode, index + word.length)
            if (new Set([...range.getClientRects()].map(each => each.top)).size > 1) split.push(word)
        }
        return split
    })""") == []


def test_a_closed_search_is_no_stop_of_the_keyboard(visit):
    page = visit("/train_memory/", width=1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    for _ in range(16):
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('.md-search__output')")


def test_the_link_to_a_program_stays_where_it_is_when_its_runs_are_opened(visit):
    note = visit("/train_memory/", own=True).locator("article > .hx-run:has(.hx-run__copy)").first
    below = """note => note.querySelector(".hx-run__copy").getBoundingClientRect().top
        - note.getBoundingClientRect().top"""
    place = note.evaluate(below)
    note.locator("summary").click()
    assert note.locator(".hx-run__source").is_visible() and note.evaluate(below) == place


def test_published_runs_are_whole_at_a_desk(visit):
    page = visit("/published/", width=1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    *runs, ranges = page.locator(".md-typeset__scrollwrap").all()
    for wrap in (*runs, ranges):
        assert wrap.evaluate("wrap => wrap.scrollWidth - wrap.clientWidth") <= 0
    for wrap in runs:
        assert wrap.locator("tbody tr td:first-child a[href^=http]").count() == wrap.locator("tbody tr").count()


def test_a_names_underscores_stand_above_the_line_of_its_link(visit):
    link = visit("/train_memory/").locator("article p a:has(code)").first
    assert link.evaluate("link => getComputedStyle(link).textUnderlinePosition") == "under"


@pytest.mark.parametrize(("path", "row"), [
    ("/models/", "trait-latent-attention"), ("/zh/models/", "trait-scaled-logits"),
])
def test_the_address_of_a_folded_row_opens_its_fold(visit, path, row):
    page = visit(path, own=True)
    assert not page.locator(f"#{row}").is_visible()
    page.goto(f"{page.url}#{row}")
    page.locator(f"#{row}").wait_for(state="visible")


def test_a_notebooks_link_is_in_one_line(visit):
    links = visit("/ja/what_ran_where/").locator(".hx-where th[scope=row] a[download]")
    assert set(links.evaluate_all("links => links.map(link => link.getClientRects().length)")) == {1}


def test_no_japanese_line_begins_with_a_long_vowel_mark_or_a_small_kana(visit):
    page = visit("/ja/model_memory_anatomy/")
    for width in (1280, 768, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert not page.evaluate("""() => {
            const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT), found = []
            while (texts.nextNode()) {
                const {data} = texts.currentNode, range = document.createRange()
                const place = at => { range.setStart(texts.currentNode, at); range.setEnd(texts.currentNode, at + 1)
                                      return range.getBoundingClientRect() }
                for (const {index} of data.matchAll(/(?<=\\S)[ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]/g)) {
                    if (place(index).left < place(index - 1).left) found.push(data.slice(index - 6, index + 6))
                }
            }
            return found
        }""")
