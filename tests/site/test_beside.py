"""The same page in two languages, side by side."""

import pytest

PAGE = "/perf_train_gpu_one/"


def show(page, language):
    """Choose the language beside, in its menu."""
    page.click("[popovertarget=hx-languages]")
    page.click(f".hx-beside button[lang='{language}']")
    page.wait_for_selector("body.hx-paired")


def rows(page):
    """The first heading in each column of each row that has one, "" where a column has none."""
    return page.evaluate("""() => [...document.querySelectorAll(".hx-pair")].map(row => [...row.children].map(
        column => column.querySelector("h1, h2, h3, h4, h5, h6")?.firstChild.textContent.trim() ?? ""))
        .filter(row => row.some(Boolean))""")


@pytest.mark.parametrize(("reader", "beside"), [("", "zh"), ("/zh", "ja"), ("/ja", "en"), ("/zh-Hant", "en")])
def test_sections_stand_beside_their_counterparts(visit, reader, beside):
    page = visit(reader + PAGE)
    own = page.locator("article :is(h1, h2, h3)").count()
    show(page, beside)
    contents = page.locator("article > .hx-pair", has=page.locator(".hx-toc"))  # of both
    assert contents.locator(".hx-toc").is_visible()
    column = page.locator(".hx-pair > :not([lang]) > h1").bounding_box()["width"]
    assert contents.locator(".hx-toc").bounding_box()["width"] == column
    found = rows(page)
    assert len(found) == own
    assert all(left and right for left, right in found)
    assert page.locator(".hx-pair > [lang]").first.get_attribute("lang") == beside
    assert page.evaluate("() => document.querySelectorAll('[id]').length === "
                         "new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size")


@pytest.mark.parametrize(("width", "top"), [(1280, lambda own, other: own["y"] == other["y"]),
                                           (390, lambda own, other: 0 < other["y"] - own["y"] - own["height"] < 16)])
def test_paragraphs_stand_by_their_counterparts(visit, width, top):
    page = visit("/train_memory/", own=True)
    page.set_viewport_size({"width": width, "height": 844})
    show(page, "ja")
    kinds = page.evaluate("""() => [...document.querySelectorAll(".hx-pair")].filter(row => row.children.length === 2)
        .map(row => [...row.children].map(column => [...column.children].map(block => block.nodeName).join()))""")
    assert len(kinds) > 25 and all(own == other for own, other in kinds)
    row = page.locator("article > .hx-pair", has=page.locator(":scope > :not([lang]) > p")).nth(2)
    own, other = (row.locator(column).bounding_box() for column in (":scope > :not([lang]) > p", ":scope > [lang] > p"))
    assert top(own, other)


def test_rows_of_tables_face_each_other(visit):
    page = visit("/ja/fsdp2/?with=en", width=1440)
    page.locator(".hx-pair").first.wait_for()
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_function("document.querySelectorAll('.hx-pair [lang] [data-hx-whole]').length > 1")
    own, other = (page.locator(f".hx-pair > {column} tbody tr") for column in (":not([lang])", "[lang]"))
    tops = [[row.bounding_box()["y"] for row in rows.all()] for rows in (own, other)]
    assert len(tops[0]) > 8 and tops[0] == pytest.approx(tops[1], abs=1)
    page.set_viewport_size({"width": 390, "height": 844})  # one below the other, each row has its own height
    page.wait_for_function("!document.querySelector('tr[style*=height]')")
    page.set_viewport_size({"width": 1200, "height": 900})
    page.locator("tr[style*=height]").first.wait_for()
    page.locator(".hx-names button").click()
    assert not page.locator("tr[style*=height]").count()


@pytest.mark.parametrize(("reader", "said"), [
    ("", "Compare languages"), ("/zh", "双语对照"), ("/zh-Hant", "雙語對照"), ("/ja", "対訳表示"),
])
def test_it_is_offered_in_the_readers_language(visit, reader, said):
    assert visit(reader + PAGE).locator(".hx-beside").inner_text().startswith(said)


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_menu_of_languages_offers_it_in_the_middle_of_a_page(visit, width):
    page = visit("/train_memory/", own=True)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(page.url + "#gradient-checkpointing")
    page.wait_for_function("document.getElementById('gradient-checkpointing').getBoundingClientRect().top < 150")
    page.locator(".md-select > button").click()
    entry, click = page.locator("button.md-select__link"), "button => button.click()"  # a hand scrolls to nothing first
    entry.wait_for()
    entry.evaluate(click)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    choice = page.locator(".hx-beside button[lang=ja]")
    box = choice.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and 0 < box["y"] < 844
    choice.evaluate(click)
    page.wait_for_selector("body.hx-paired")
    assert 0 < page.locator("#gradient-checkpointing").bounding_box()["y"] < 844


def test_taken_away_the_page_is_as_it_was(visit):
    page = visit(PAGE)
    before = page.locator("article").inner_text()
    show(page, "ja")
    page.click("[popovertarget=hx-languages]")
    page.click(".hx-beside button[lang='ja']")
    page.wait_for_selector("body:not(.hx-paired)")
    assert page.locator("article").inner_text() == before


@pytest.mark.parametrize(("path", "language", "width"), [("/zh/train_memory/", "en", 820), ("/models/", "ja", 600)])
def test_at_the_top_of_a_page_it_moves_nothing(visit, path, language, width):
    page = visit(path)
    page.set_viewport_size({"width": width, "height": 900})
    show(page, language)
    assert page.evaluate("scrollY") == 0
    assert page.locator("[popovertarget=hx-languages]").bounding_box()["y"] > 0


def test_the_menu_says_what_is_shown_and_takes_it_away(visit):
    page = visit(PAGE)
    chosen = page.locator("#hx-languages [aria-pressed=true]")
    assert not chosen.count()
    show(page, "ja")
    assert chosen.all_inner_texts() == ["日本語"]
    page.click("[popovertarget=hx-languages]")
    chosen.click()
    page.wait_for_selector("body:not(.hx-paired)")
    assert not chosen.count()


@pytest.mark.parametrize(("width", "header"), [(1440, 96), (390, 48)])
def test_a_line_that_stays_names_both_languages_and_leads_back(visit, width, header):
    page = visit("/zh/train_memory/")
    page.set_viewport_size({"width": width, "height": 800})
    before = page.locator("article").inner_text()
    show(page, "en")
    page.evaluate("scrollTo({top: 3000, behavior: 'instant'})")
    line = page.locator(".hx-names")
    assert line.locator("span").first.inner_text() == "简体中文"
    assert line.locator("option:checked").text_content() == "English"
    assert abs(line.bounding_box()["y"] - header) < 2
    own, other = (line.locator("span").nth(number).bounding_box()["x"] for number in (0, 1))
    if width > 1000:
        row = page.locator(".hx-pair", has=page.locator(":scope > [lang] > p")).first
        assert row.locator(":scope > :not([lang])").bounding_box()["x"] == own
        assert row.locator(":scope > [lang]").bounding_box()["x"] == other
    back = page.get_by_role("button", name="关闭对照", exact=True)
    assert back.inner_text() == ("✕ 关闭对照" if width > 1000 else "✕") and back.bounding_box()["height"] >= 24
    back.click()
    page.wait_for_selector("body:not(.hx-paired)")
    assert page.locator("article").inner_text() == before


def test_the_line_that_stays_offers_the_other_languages_by_keyboard(visit):
    page = visit("/zh/train_memory/", own=True)
    show(page, "en")
    page.locator("#gradient-checkpointing").evaluate(
        "section => scrollBy({top: section.getBoundingClientRect().top - 200, behavior: 'instant'})")
    choice = page.locator(".hx-names select")
    assert choice.locator("option").all_inner_texts() == page.locator(".hx-beside [aria-pressed]").all_text_contents()
    choice.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".hx-pair > [lang=ja]")
    assert page.url.endswith("?with=ja")
    assert page.locator("#hx-languages [aria-pressed=true]").text_content() == "日本語"
    assert choice.evaluate("choice => choice === document.activeElement && choice.value") == "ja"
    assert 0 < page.locator("#gradient-checkpointing").bounding_box()["y"] < 300
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("body:not(.hx-paired)")
    assert "with" not in page.url and not choice.count()


def test_the_choice_holds_on_the_next_page(visit):
    page = visit(PAGE)
    show(page, "ja")
    page.goto(page.url.replace("perf_train_gpu_one/", "train_memory/"))
    page.wait_for_selector("body.hx-paired")
    assert page.locator(".hx-beside button[lang='ja']").get_attribute("aria-pressed") == "true"


def test_the_choice_is_in_the_address_which_shows_the_same_to_others(visit):
    page = visit(PAGE + "?own=1#choosing")
    history = page.evaluate("history.length")
    show(page, "ja")
    assert page.url.endswith("?own=1&with=ja#choosing") and page.evaluate("history.length") == history
    shared = page.url
    page.click("[popovertarget=hx-languages]")
    page.locator(".hx-beside button[lang=ja]").click()
    page.wait_for_selector("body:not(.hx-paired)")
    assert page.url.endswith("?own=1#choosing")
    page.goto(shared.replace("with=ja", "with=zh-Hant"))
    page.wait_for_selector("body.hx-paired")
    assert page.locator(".hx-pair > [lang]").first.get_attribute("lang") == "zh-Hant"
    page.goto(shared)
    page.wait_for_selector("body.hx-paired")
    assert page.locator(".hx-pair > [lang]").first.get_attribute("lang") == "ja"  # before the one of the last page


@pytest.mark.parametrize("value", ["xx", "en", "", "__proto__"])
def test_an_address_with_another_value_is_a_page_in_one_language(visit, value):
    page = visit(f"{PAGE}?with={value}")
    page.wait_for_load_state("networkidle")
    assert page.locator(".hx-pair").count() == 0 and page.locator("article h2").count()
    show(page, "ja")
    assert page.url.endswith("?with=ja")


@pytest.mark.parametrize(("path", "field", "value"), [
    ("/zh/models/", "#lookup-kind", "qwen3"), ("/zh/will_it_fit/", "#fit-batch", "3"),
])
def test_a_form_keeps_the_second_language_in_the_address(visit, path, field, value):
    page = visit(f"{path}?with=ja", own=True)
    page.wait_for_selector("body.hx-paired")
    page.locator(field).fill(value)
    assert f"={value}" in page.url and "with=ja" in page.url
    page.reload()
    page.wait_for_selector("body.hx-paired")
    assert page.locator(field).input_value() == value and page.locator(".hx-pair > [lang=ja]").count()
    page.locator(".hx-names button").locator("visible=true").click()
    page.wait_for_selector("body:not(.hx-paired)")
    assert f"={value}" in page.url and "with" not in page.url


@pytest.mark.parametrize("width", [390, 1100, 1280])
def test_the_navigation_stays_within_reach(visit, width):
    page = visit(PAGE)
    show(page, "ja")
    page.set_viewport_size({"width": width, "height": 800})
    if width < 1220:
        page.locator("label[for=__drawer]:visible").first.click()
    link = page.locator(".md-sidebar--primary a[href$='train_memory/']")
    link.click()
    page.wait_for_url("**/train_memory/")
    page.wait_for_selector("body.hx-paired")  # which keeps the choice: not in the tab of the test that is next


def test_code_is_shown_once_over_both_columns_each_comment_with_its_translation(visit):
    page = visit("/train_memory/", own=True)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("#gradient-accumulation").evaluate(  # a section that is behind is paired as the others are
        "heading => heading.insertAdjacentHTML('afterend', '<p class=hx-behind>Behind.</p>')")
    show(page, "ja")
    blocks = page.locator(".hx-pair > * > .highlight")
    assert blocks.count() and not page.locator(".hx-pair > [lang] > .highlight").count()
    article = page.locator("article").bounding_box()
    assert {round(box["width"]) for box in (each.bounding_box() for each in blocks.all())} == {round(article["width"])}
    accumulation = page.locator(".highlight", has_text="gradient_accumulation_steps=4")
    lines = accumulation.locator("code").inner_text().splitlines()
    at = next(number for number, line in enumerate(lines) if "Each optimizer step" in line)
    assert lines[at + 1].startswith("    # ") and "オプティマイザ" in lines[at + 1]
    page.goto(page.url.replace("train_memory", "train_speed"))
    page.wait_for_selector("body.hx-paired")
    code = page.locator(".highlight", has_text="dataloader_num_workers").first.locator("code")
    lines = code.inner_text().splitlines()
    trailing = next(number for number, line in enumerate(lines) if "# By default False." in line)
    assert lines[trailing + 1].index("# ") == lines[trailing].index("# ")  # not of the comment that follows
    shown = "element => { element.toggleAttribute('data-md-copying'); return element.innerText }"
    assert "既定" not in code.evaluate(shown)  # what the button copies


def test_links_in_the_second_column_lead_where_they_led(visit, site_url):
    page = visit("/train_memory/")
    show(page, "ja")
    link = page.locator(".hx-pair > [lang=ja] a[href*='perf_train_gpu_one']").first
    assert link.evaluate("link => link.href").startswith(site_url + "/ja/perf_train_gpu_one/")


def test_a_page_without_a_counterpart_offers_none(visit):
    assert visit("/only_english/").locator(".hx-beside [aria-pressed]").count() == 0


def test_nothing_serious_for_those_who_use_other_means(visit):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(PAGE)
    show(page, "zh")
    found = Axe().run(page).response["violations"]
    assert not [each["id"] for each in found if each["impact"] in {"serious", "critical"}]
