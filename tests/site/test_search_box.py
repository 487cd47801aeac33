"""The search box of the real site, as hands use it."""

import re
from itertools import pairwise

import pytest

BOX = ".md-search__input"
LINK = ".md-search-result__link"


def first_result(page):
    """The address that Enter would go to, when there is an answer."""
    page.locator(LINK).first.wait_for()
    return page.evaluate("""() => [...document.querySelectorAll(".md-search-result__item:first-child a")]
        .sort((a, b) => b.firstChild.dataset.mdScore - a.firstChild.dataset.mdScore)[0].getAttribute("href")""")


@pytest.mark.parametrize("keys", ["Control+k", "Meta+k", "/"])
def test_keys_open_the_search(visit, keys):
    page = visit("/")
    page.locator("body").press(keys)
    page.wait_for_function("document.activeElement.matches('.md-search__input')")


@pytest.mark.parametrize("path", ["/", "/zh/", "/zh-Hant/", "/ja/"])
def test_an_empty_box_offers_the_doors_of_the_front_page(visit, path):
    page = visit(path, own=True)
    doors = page.locator(".hx-doors li").evaluate_all("""all => all.flatMap(door =>
        [...door.querySelectorAll("a")].slice(0, 2).map(link => [link.href, link.textContent]))""")
    page.goto(page.url + "packing/")
    page.locator(BOX).click()
    page.locator(LINK).first.wait_for()
    shown = page.locator(LINK).evaluate_all(
        "all => all.map(link => [link.href, link.querySelector('h2').lastChild.data])")
    assert len(doors) == 8 and shown == doors
    page.locator(BOX).fill("qlora")
    page.locator(".md-search-result__list mark").first.wait_for()
    assert page.get_by_text(doors[-1][1], exact=True).count() == 0
    page.locator(BOX).fill("")
    page.locator(LINK, has_text=doors[-1][1]).wait_for()
    page.locator(BOX).press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(doors[1][0])


def test_pasted_text_is_searched_without_a_key(visit):
    page = visit("/zh/")
    page.locator(BOX).click()
    page.evaluate("document.execCommand('insertText', false, '爆显存')")
    assert "/zh/out_of_memory/" in first_result(page)


def test_text_of_an_input_method_is_searched_once_it_is_committed(visit):
    page = visit("/ja/")
    page.locator(BOX).click()
    page.get_by_text("検索キーワードを入力してください").wait_for()  # the theme asks once when the index is ready
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "こうばい", "selectionStart": 4, "selectionEnd": 4})
    page.wait_for_timeout(300)
    assert page.locator(LINK).count() == 0
    session.send("Input.insertText", {"text": "勾配蓄積"})
    assert "#gradient-accumulation" in first_result(page)


@pytest.mark.parametrize(("path", "typed"), [("/zh/", "训练卡住"), ("/", "profiling traces"), ("/", "kv cache")])
def test_enter_opens_the_page_that_is_shown_first(visit, path, typed):
    page = visit(path, own=True)
    page.locator(BOX).fill(typed)
    leading = first_result(page)
    page.locator(BOX).press("Enter")
    leading = re.split("[?#]", leading)[0].lstrip("./")
    page.wait_for_url(lambda url: re.split("[?#]", url)[0].endswith(leading))


@pytest.mark.parametrize(("path", "typed"), [("/", "gradient checkpointing"), ("/", "packing"), ("/ja/", "勾配累積")])
def test_while_one_types_what_enter_opens_is_marked_and_weak_hits_follow(visit, path, typed):
    page = visit(path, width=1280)
    page.locator(BOX).fill(typed)
    leading = first_result(page)
    marked = page.locator(LINK).evaluate_all("""all => all.filter(each => getComputedStyle(each).boxShadow !== "none")
        .map(each => each.getAttribute("href"))""")
    assert marked == [leading]
    keys = "meta => getComputedStyle(meta, '::after').content"
    assert all(key in page.locator(".md-search-result__meta").evaluate(keys) for key in ("↑", "Enter", "Esc"))
    assert page.locator(".md-search-result__item").count() >= 10


def test_the_title_of_a_page_whose_sections_alone_match_leads_to_the_best_of_them(visit):
    page = visit("/", own=True)
    page.locator(BOX).fill("paged kv cache")
    title = page.locator("a:has(> [data-md-score='0.00'])").first
    title.wait_for()
    best = title.locator("xpath=..").locator("a[href*='#']").first.get_attribute("href").split("#")[1]
    title.click()
    page.wait_for_url(f"**#{best}")


def test_the_arrow_and_enter_open_the_section_that_is_found(visit):
    page = visit("/", own=True)
    page.locator(BOX).fill("bitsandbytes")
    best = first_result(page).split("#")[1]
    page.locator(BOX).press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**#{best}")


@pytest.mark.parametrize(("path", "marked"), [
    ("/perf_infer_gpu_one/?h=__4_bit__+__bit__+__quantization__", {"4-bit", "4bit", "bit", "quantization"}),
    ("/zh/perf_infer_gpu_one/?h=__量化__", {"量化"}),
])
def test_a_page_marks_whole_words_and_no_code(visit, path, marked):
    page = visit(path)
    page.locator("article mark").first.wait_for()
    assert not page.locator("pre mark").count()
    assert {each.lower() for each in page.locator("article mark").all_inner_texts()} == marked
    beside = page.locator("article mark").evaluate_all("""all => all.flatMap(mark =>
        [mark.previousSibling?.data?.at(-1), mark.nextSibling?.data?.[0]]).join("")""")
    assert not re.search("[A-Za-z0-9_]", beside)


def test_nothing_is_loaded_before_the_box_is_touched(visit):
    loaded = []
    page = visit("/")
    page.on("request", lambda request: loaded.append(request.url))
    page.wait_for_timeout(500)
    assert not [url for url in loaded if "/search/" in url]
    page.locator(BOX).fill("oom")
    assert "out_of_memory/" in first_result(page)
    assert [url for url in loaded if "/search/index.json" in url]


@pytest.mark.parametrize(("path", "typed"), [
    ("/", "memory"), ("/", "resume"), ("/", "LoRA 13B 24 GB"), ("/", "cuda out of memory"), ("/ja/", "メモリ"),
])
def test_excerpts_are_sentences_of_whole_words(visit, path, typed):
    page = visit(path)
    page.locator(BOX).fill(typed)
    first_result(page)
    excerpts = page.locator(".md-search-result__article p:visible").all_inner_texts()
    excerpts = [each for each in excerpts if each.strip()]
    assert excerpts and not [each for each in excerpts if each.startswith("Missing")]
    for each in excerpts:
        assert len(each) > 13 and not each.startswith("….")
        if path == "/ja/":
            assert re.search("[ぁ-んァ-ン一-鿿]", each)
    marked = page.locator(".md-search-result__article mark").all_inner_texts()
    assert not [each for each in marked if each.isdecimal() and each != "24"]


@pytest.mark.parametrize(("path", "said"), [("/", "Nothing found for “qwrtpsdf”"), ("/zh-Hant/", "找不到「qwrtpsdf」")])
def test_nothing_found_offers_pages(visit, path, said):
    page = visit(path)
    page.locator(BOX).fill("qwrtpsdf")
    page.locator("[data-hx-nothing]").first.wait_for()
    page.wait_for_function("!document.querySelector('.md-search-result__meta').textContent.match(/\\d/)")
    assert said in page.locator(".md-search-result__meta").inner_text()
    assert "debugging/" in first_result(page) and "#out-of-memory" in first_result(page)


@pytest.mark.parametrize(("path", "typed", "said", "term", "page_of"), [
    ("/", "kwantisasion", "Nearest terms: ", "quantization", "#quantization"),
    ("/ja/", "kwantisasion", "近い語：", "quantization", ""),
    ("/zh/", "kwantisasion", "相近的词：", "quantization", ""),
    ("/zh-Hant/", "kwantisasion", "相近的詞：", "quantization", ""),
])
def test_nothing_found_offers_the_nearest_terms_to_search_for(visit, path, typed, said, term, page_of):
    page = visit(path)
    page.locator(BOX).fill(typed)
    button = page.locator(".md-search-result__meta .hx-term", has_text=term)
    button.wait_for()
    assert said in page.locator(".md-search-result__meta").inner_text()
    assert "#out-of-memory" in page.locator(".md-search-result__list").inner_html()
    button.click()
    page.locator(".md-search-result__list mark").first.wait_for()
    assert page.locator(BOX).input_value() == term
    assert page_of in first_result(page)


def test_a_page_that_is_found_says_where_it_stands(visit):
    page = visit("/ja/")
    page.locator(BOX).fill("qlora")
    first_result(page)
    places = page.locator(".md-search-result__list .hx-place").all_inner_texts()
    assert "ガイド › GPU 1枚での学習" in places and "レシピ" in places


@pytest.mark.parametrize(("width", "height", "pages"), [(1440, 900, 7), (390, 844, 5)])
@pytest.mark.parametrize(("path", "typed"), [
    ("/", "gradient checkpointing"), ("/zh/", "批大小"), ("/zh-Hant/", "梯度累積"), ("/ja/", "バッチサイズ"),
])
def test_a_screen_shows_many_pages_and_each_target_can_be_hit(visit, path, typed, width, height, pages):
    page = visit(path, width=width, height=height)
    page.locator(BOX).evaluate("box => box.focus()")
    page.locator(BOX).fill(typed)
    page.wait_for_function("""document.querySelectorAll('.md-search-result__item').length > 6
        && !document.querySelector(".md-search").getAnimations({subtree: true}).length""")
    found = page.locator(".md-search-result__item").evaluate_all("""all => {
        const box = document.querySelector(".md-search__scrollwrap").getBoundingClientRect()
        return all.filter(each => each.getBoundingClientRect().bottom <= Math.min(box.bottom, innerHeight)).length }""")
    assert found >= pages
    heights = page.locator(f"{LINK}:visible, .md-search-result__more > summary").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().height)")
    assert min(heights) >= 24


def test_more_of_a_page_stands_in_the_line_of_its_title_and_opens_below_its_sections(visit):
    page = visit("/", width=1440)
    page.locator(BOX).fill("gradient checkpointing")
    item = page.locator(".md-search-result__item:has(summary)").first
    title, more, sections = item.locator("h1"), item.locator("summary"), item.locator(f"{LINK}:visible")
    more.wait_for()
    assert title.bounding_box()["y"] <= more.bounding_box()["y"] < sections.nth(1).bounding_box()["y"]
    assert title.bounding_box()["x"] + title.bounding_box()["width"] <= more.bounding_box()["x"]
    before = sections.count()
    more.click()
    assert sections.count() > before
    boxes = [each.bounding_box() for each in sections.all()]
    assert all(one["y"] + one["height"] <= other["y"] + 1 for one, other in pairwise(boxes))
