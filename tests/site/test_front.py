"""The front page in real Chromium: its small calculator answers on the spot, and it shows what a section is."""

from itertools import pairwise

import pytest

from snippets.memory.estimate import MODELS, training

LANGUAGES = {"en": "/", "zh": "/zh/", "zh-Hant": "/zh-Hant/", "ja": "/ja/"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_small_calculator_answers_and_leads_on(visit, site_url, language):
    page = visit(LANGUAGES[language])
    page.locator(".fit").scroll_into_view_if_needed()
    page.locator(".fit--ready").wait_for()
    assert page.locator(".fit label").count() == 3
    page.locator("#fit-model").select_option("Qwen3 0.6B")
    expected = sum(training(MODELS["Qwen3 0.6B"], 1, 2048, "mixed", True)[1].values()) / 1e9
    assert f"{expected:.1f}\xa0GB" in page.locator(".fit__verdict").inner_text()
    assert page.url == site_url + LANGUAGES[language]
    page.locator(".fit__whole").click()
    page.locator(".fit__parts").first.wait_for()
    assert page.locator("#fit-model").input_value() == "Qwen3 0.6B"
    assert f"{expected:.1f}\xa0GB" in page.locator(".fit__verdict").inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_small_calculator_names_its_parts_and_what_makes_it_fit(visit, site_url, language):
    page = visit(LANGUAGES[language])
    page.locator(".fit").scroll_into_view_if_needed()
    page.locator(".fit--ready").wait_for()
    for width in (360, 390, 480, 750, 900, 1100, 1366):
        page.set_viewport_size({"width": width, "height": 900})
        height, room = page.locator(".fit").evaluate(
            "each => [each.getBoundingClientRect().height, parseFloat(getComputedStyle(each).minHeight)]")
        assert height <= room + 1, f"what is below it moves by {height - room} at {width}"
    shown = page.locator(".fit__bar > .fit__piece").evaluate_all("all => all.map(each => each.title)")
    named = page.locator(".fit__parts tbody tr").evaluate_all(
        "all => all.map(row => [...row.cells].slice(0, 2).map(each => each.textContent).join(' '))")
    assert named == shown and len(named) == 5
    for link in page.locator(".fit__parts a").evaluate_all("all => all.map(each => each.href)"):
        assert link.startswith(site_url + LANGUAGES[language]) and page.request.get(link).ok
    chips = page.locator(".fit__remedies button")
    assert chips.count() == 5
    chip = chips.first.inner_text()
    chips.first.click()
    assert page.locator(".fit__verdict").get_attribute("data-verdict") in {"fits", "tight"}
    assert chip in page.locator("p:has(> .fit__whole)").inner_text()
    page.locator(".fit__whole").click()
    page.locator("#fit-precision").wait_for()
    field = page.locator("[data-field=precision]")
    colon = ": " if language == "en" else "："
    assert chip == f"{field.locator('label').inner_text()}{colon}{field.locator('option:checked').inner_text()}"
    assert page.locator(".fit__verdict").get_attribute("data-verdict") in {"fits", "tight"}


def test_the_small_calculator_says_what_it_assumes_and_takes_a_change_back(visit):
    page = visit("/")
    page.locator(".fit--ready").wait_for()
    assumed = page.locator("p:has(> .fit__whole)")
    before = assumed.inner_text()
    assert [each.replace("\xa0", " ") for each in assumed.locator("span > span").all_inner_texts()[:5]] == [
        "Mixed: fp32 weights, bf16 autocast", "AdamW", "Gradient checkpointing", "GPUs per model: 1", "Batch size: 1"]
    page.locator(".fit__remedies button").first.click()
    page.locator("#fit-task").select_option("infer")
    assert "Optimizer" not in assumed.inner_text()
    page.locator("#fit-task").select_option("train")
    assert assumed.inner_text() != before
    assumed.locator("button").click()
    assert assumed.inner_text() == before


def test_the_lists_say_how_large_a_model_and_a_gpu_are(visit):
    page = visit("/")
    page.locator(".fit--ready").wait_for()
    names = page.locator(".fit option").all_inner_texts()
    assert {"Phi-4 (14.7B)", "Llama 2 13B", "Llama 3.1 8B", "L4 (24 GB)", "A100 40 GB"} <= {*names}


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("language", LANGUAGES)
def test_one_button_and_the_way_to_the_tool_are_on_the_first_screen(visit, language, width):
    page = visit(LANGUAGES[language], width=width)
    page.set_viewport_size({"width": width, "height": 700})
    assert page.locator("article .md-button").count() == 1
    boxes = [each.bounding_box() for each in page.locator("p > .md-button, article p > a[href$='tools/']").all()]
    assert len(boxes) == 2 and all(each["y"] + each["height"] < 700 for each in boxes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_and_its_bar_are_on_a_phones_first_screen(visit, language):
    page = visit(LANGUAGES[language], width=390)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".fit--ready").wait_for()
    bar = page.locator(".fit__bar").bounding_box()
    assert bar["y"] + bar["height"] < 844


@pytest.mark.parametrize("width", [360, 480, 1280])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_of_the_bar_and_its_number_are_one_row_and_a_setting_is_not_broken(visit, language, width):
    page = visit(LANGUAGES[language], width=width)
    page.locator(".fit--ready").wait_for()
    rows = page.locator(".fit__parts tbody tr").evaluate_all("""all => all.map(row => {
        const shown = [...row.cells, row].filter(each => each.offsetWidth)
        const [name, number, box] = shown.map(each => each.getBoundingClientRect())
        return [box.left, box.right, box.height, number.right - box.right, number.left - name.right]
    })""")
    assert all(height < 30 and abs(off) < 1 and apart >= 0 for *_, height, off, apart in rows)
    lefts, rights = ({row[at] for row in rows} for at in (0, 1))
    assert len(lefts) == len(rights) <= 3 and all(not 0 < left - right < 24 for left in lefts for right in rights)
    settings = page.locator(".fit__assumed > span")
    assert settings.count() > 4 and all(each.bounding_box()["height"] < 30 for each in settings.all())


def test_without_scripts_the_small_calculator_is_a_link(visit):
    page = visit("/ja/", java_script_enabled=False)
    assert page.locator(".fit__whole").is_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_readers_problem_comes_first_and_then_a_section_in_all_languages_with_its_code(visit, language):
    page = visit(LANGUAGES[language], width=1440)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".fit--ready").wait_for()
    boxes = [each.bounding_box() for each in page.locator(".hx-parallel > div").all()]
    assert len(boxes) == len(LANGUAGES) and len({box["y"] for box in boxes}) == 1
    assert all(one["x"] + one["width"] <= other["x"] for one, other in pairwise(boxes))
    others = page.locator(".hx-parallel > [lang]").evaluate_all("all => all.map(each => each.lang)")
    assert sorted([language, *others]) == sorted(LANGUAGES)  # the reader's own is the first, and needs no mark
    doors = page.locator(".hx-doors").bounding_box()
    assert doors["y"] < 900  # they begin on the first screen
    ran = page.locator(".highlight + .hx-run summary").bounding_box()
    assert doors["y"] + doors["height"] < boxes[0]["y"] < ran["y"]


@pytest.mark.parametrize("width", [1024, 800])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_section_in_all_languages_is_whole_in_a_narrow_window(visit, language, width):
    page = visit(LANGUAGES[language], width=width)
    page.set_viewport_size({"width": width, "height": 844})
    strip = page.locator(".hx-parallel")
    assert strip.evaluate("strip => strip.scrollWidth - strip.clientWidth") <= 0
    boxes = [each.bounding_box() for each in strip.locator("> div").all()]
    assert len({box["x"] for box in boxes}) == 2
    assert all(box["x"] + box["width"] <= width for box in boxes)


@pytest.mark.parametrize("width", [390, 820, 1440])
@pytest.mark.parametrize("language", LANGUAGES)
def test_recipes_are_cards_that_say_what_they_need_and_how_far_they_are_proven(visit, language, width):
    page = visit(LANGUAGES[language], width=width)
    cards = page.locator(".hx-recipes li")
    assert cards.count() == 4
    for card in cards.all():
        proof = card.locator("p").last.inner_text()
        assert "GB" in card.inner_text() and ("CPU" in proof) != ("vLLM" in proof) and not {*"✓○"} & {*proof}
        assert card.bounding_box()["height"] < 260
        link = card.locator("a").first
        link.focus()
        box = link.bounding_box()
        assert -box["width"] < box["x"] < width  # a strip is scrolled to it


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_number_leads_to_what_shows_it(visit, site_url, language):
    page = visit(LANGUAGES[language])
    links = page.locator(".hx-numbers a").evaluate_all("all => all.map(each => each.href)")
    assert len(links) == 3
    for link in links:
        assert link.startswith(site_url + LANGUAGES[language])
        page.goto(link)
        assert page.locator(f"[id='{link.partition('#')[2] or 'what-ran-where'}']").count() == 1


@pytest.fixture
def visit_phone(visit):
    """Open the front page on a phone, its parts folded."""
    def opened(address, width=390):
        page = visit(address, width=width)
        page.locator(".sample__languages").wait_for()
        return page

    return opened


def test_on_a_phone_the_mark_that_opens_a_door_is_at_its_heading(visit_phone):
    off = visit_phone("/").locator(".hx-doors .fold > summary").evaluate_all("""all => all.map(summary => {
        const mark = getComputedStyle(summary, "::after"), head = summary.firstElementChild
        return Math.abs(parseFloat(mark.top) + parseFloat(mark.height) / 2 - head.offsetHeight / 2)
    })""")
    assert len(off) == 4 and max(off) < 4


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_the_sample_is_in_one_language_at_a_time(visit_phone, language, width):
    page = visit_phone(LANGUAGES[language], width)
    passage, buttons = page.locator(".hx-parallel > div[data-name]:visible"), page.locator(".sample__languages button")
    assert sorted(buttons.evaluate_all("all => all.map(each => each.lang)")) == sorted(LANGUAGES)
    shown = []
    for button in buttons.all():
        button.click()
        assert page.locator(".sample__languages [aria-pressed=true]").all_inner_texts() == [button.inner_text()]
        assert passage.get_attribute("data-name") == button.inner_text()
        shown.append(passage.inner_text())
    assert len({*shown}) == len(LANGUAGES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_the_front_page_is_folded_and_every_link_a_touch_away(visit_phone, language):
    page = visit_phone(LANGUAGES[language])
    assert page.evaluate("document.documentElement.scrollHeight") < 4500  # unfolded it was between 6,400 and 7,300
    for parts in (".hx-doors", ".hx-index"):
        links = page.locator(f"{parts} :is(p, li) > a:not(.headerlink)")
        assert links.count() > 19 and not links.locator("visible=true").count()
        for summary in page.locator(f"{parts} summary").all():
            assert summary.bounding_box()["height"] >= 44
            summary.press("Enter")
        assert links.locator("visible=true").count() == links.count()


def test_a_part_of_the_front_page_in_the_address_is_open(visit_phone):
    page = visit_phone("/#training")
    opened = page.locator(".hx-index details[open]")
    assert opened.locator("h3").get_attribute("id") == "training" and opened.count() == 1
    page.evaluate("location.hash = 'learn'")
    page.locator(".hx-index details[open] #learn").wait_for()


@pytest.mark.parametrize(("width", "options"), [(390, {"java_script_enabled": False}), (1280, {})])
def test_without_scripts_and_in_a_wide_window_nothing_is_folded(visit, width, options):
    page = visit("/zh/", width=width, **options)
    page.wait_for_load_state("load")
    for links in (".hx-doors p > a", ".hx-index li > a", ".hx-parallel > div"):
        assert page.locator(links).count() == page.locator(f"{links} >> visible=true").count() > 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_small_calculator_says_when_the_peak_occurs_as_the_whole_one_does(visit, language):
    page = visit(LANGUAGES[language])
    page.locator(".fit--ready").wait_for()
    said = page.locator(".fit__when:visible").inner_text()
    assert said
    page.locator(".fit__whole").click()
    page.locator(".fit__parts").first.wait_for()
    assert page.locator(".fit__answer > .fit__when:visible").first.inner_text() == said


def test_a_comparison_that_is_kept_leaves_the_front_page_as_it_is(visit):
    page = visit("/train_memory/", own=True)  # the choice is kept in its tab
    page.click("[popovertarget=hx-languages]")
    page.click(".hx-beside [lang=ja]")
    page.wait_for_selector("body.hx-paired")
    page.locator(".md-tabs__link", has_text="Guide").click()
    page.locator(".hx-numbers").wait_for()
    assert page.locator(".hx-beside, .hx-paired").count() == 0


def test_the_small_calculator_offers_nothing_that_it_has_no_fields_for(visit):
    page = visit("/")
    page.locator(".fit--ready").wait_for()
    assert page.locator(".fit option[value=own]").count() == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_front_page_fits_a_phone(visit, language):
    page = visit(LANGUAGES[language])
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_beside_its_translation_a_calculator_has_the_width_of_both(visit):
    page = visit("/will_it_fit/", width=1440, own=True)  # the choice is kept in its tab
    page.locator(".fit--ready").wait_for()
    page.click("[popovertarget=hx-languages]")
    page.click(".hx-beside [lang=ja]")
    page.wait_for_selector("body.hx-paired")
    assert not page.locator("#hx-languages").is_visible()
    (form,) = page.locator(".fit").all()
    assert form.bounding_box()["width"] > 0.95 * page.locator("article").bounding_box()["width"]
