"""What readers see and do on the real site, in real Chromium: on a phone and a desk, in light and dark."""

import ast
import re

import pytest
from hexapla.pages import parse

from benchmarks.pages import open_slowly, weights
from tests.site.switcher import switch

MEMORY, OPTIMIZERS = "train_memory/", "train_optimizers/"
CHOICE = "perf_train_gpu_one/"  # the first page that shows the setup of the other two
LANGUAGES = {"en": "/", "zh": "/zh/", "zh-Hant": "/zh-Hant/", "ja": "/ja/"}
PHONE = {"width": 390, "height": 844}


def scroll_to(page, section):
    page.evaluate("id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", section)


def test_switching_language_goes_to_the_section_being_read(visit):
    page = visit("/" + MEMORY + "#gradient-checkpointing")
    scroll_to(page, "gradient-accumulation")  # just above: the heading in the address stays in sight
    switch(page, "ja")
    assert page.url.endswith("/ja/train_memory/#gradient-accumulation")


@pytest.mark.parametrize(("language", "title", "menu", "query"), [
    ("zh", "找不到页面", "实战案例", "梯度累积"),
    ("zh-Hant", "找不到頁面", "實戰案例", "梯度累積"),
    ("ja", "ページが見つかりません", "レシピ", "勾配蓄積"),
])
def test_a_missing_page_keeps_the_language_with_its_menu_and_search(visit, language, title, menu, query):
    page = visit(f"/{language}/no/such/page/")
    page.wait_for_function("code => document.documentElement.lang === code", arg=language)
    assert page.title().startswith(title)
    assert page.url.endswith(f"/{language}/no/such/page/")
    assert menu in page.locator(".md-tabs").inner_text()
    name = page.locator(".md-select > button").evaluate("button => getComputedStyle(button, '::after').content")
    assert page.locator(".md-select__link[aria-current]").inner_text() in name
    doors = page.locator(".hx-doors a")
    assert doors.count() > 12 and doors.first.get_attribute("href") == f"/{language}/out_of_memory/"
    assert doors.first.bounding_box()["height"] >= 24
    page.locator(".md-search__input").fill(query)
    found = page.locator(".md-search-result__link").first
    found.wait_for()
    assert f"/{language}/" in found.get_attribute("href")


@pytest.mark.parametrize(("scheme", "width", "shown"), [
    ("light", 1280, "-light.svg"), ("dark", 1280, "-dark.svg"), ("dark", 390, "-dark-narrow.svg"),
])
def test_only_the_pictures_of_the_scheme_and_the_width_in_use_are_loaded(visit, scheme, width, shown):
    page = visit("/", color_scheme=scheme, width=width, own=True)  # a tab used before has some in its memory
    loaded = []
    page.on("request", lambda request: loaded.append(request.url) if "/plots/" in request.url else None)
    page.goto(page.url + "ja/model_memory_anatomy/")
    for picture in page.locator("article img:visible").all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    own = [url for url in loaded if "-ja-" in url]  # the front page has one of its own
    assert len(own) == 2  # two others are folded
    assert all(url.endswith(shown) for url in own)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pipeline_schedules_are_a_picture_in_the_readers_language(visit, language):
    page = visit(LANGUAGES[language] + "parallelism/")
    picture = page.locator("img[src*=pipeline-schedules]:visible")
    assert f"-{language.lower()}-light" in picture.get_attribute("src")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    assert len(picture.get_attribute("alt")) > 60


def test_side_by_side_keeps_the_place_the_tables_and_the_copy_buttons(visit):
    page = visit("/" + OPTIMIZERS)
    page.locator(".md-code__button[data-md-type=copy]").first.wait_for(state="attached")
    scroll_to(page, "optimizer")
    page.evaluate("scrollBy({top: -200, behavior: 'instant'})")  # where it is read
    top = "document.getElementById('optimizer').getBoundingClientRect().top"
    before = page.evaluate(top)
    page.evaluate("document.querySelector('.hx-beside [lang=ja]').click()")
    page.wait_for_selector("body.hx-paired")
    assert abs(page.evaluate(top) - before) < 2
    other = page.locator(".hx-pair > [lang=ja]")
    assert other.locator(".md-code__button").count() == other.locator(".highlight").count() > 0
    assert other.locator(".md-typeset__scrollwrap table").count() == other.locator("table:not(.highlighttable)").count()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator(".highlight:visible:has(.hx-comment)").first
    code = block.locator("code").inner_text()
    block.hover()
    block.locator(".md-code__button").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    translation = block.locator(".hx-comment").all_inner_texts()
    assert copied.strip() and not any(each.strip() in copied for each in translation)
    assert {*copied.split("\n")} <= {*code.split("\n")}  # the rest is as it was


def test_the_whole_program_of_a_block_is_copied(read_page):
    page = read_page("/" + OPTIMIZERS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    link = page.locator(".hx-run__copy:visible").first
    link.click()
    page.wait_for_function("link => link.textContent === link.dataset.hxCopied", arg=link.element_handle())
    program = page.evaluate("navigator.clipboard.readText()")
    assert len([node for node in ast.parse(program).body if isinstance(node, ast.Import | ast.ImportFrom)]) > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_copied_by_keyboard_as_it_reads_and_with_its_evidence(read_page, language):
    page = read_page(LANGUAGES[language] + OPTIMIZERS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copied = []
    page.evaluate("document.getElementById('hx-copies').hidePopover()")  # another test may have left it open
    address = page.url
    page.evaluate("history.replaceState(history.state, '', '?with=ja')")  # two languages have been compared
    for link in page.locator(".hx-beside a[data-hx-copied]").all():
        page.focus("[popovertarget=hx-copies]")
        if not link.is_visible():
            page.keyboard.press("Enter")
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("link => link.textContent === link.dataset.hxCopied", arg=link.element_handle())
        copied.append(page.evaluate("navigator.clipboard.readText()"))
    page.evaluate("address => history.replaceState(history.state, '', address)", address)
    plain, whole = copied
    markdown = page.request.get(page.locator(".hx-beside a").last.evaluate("link => link.href")).text()
    assert whole == markdown and "<!-- evidence -->" in whole and whole.startswith("---\n")
    assert plain.startswith(("# ", "> ")) and "<!-- " not in plain and "\n- CPU" not in plain
    assert [each.content for each in parse(plain).fences] == [each.content for each in parse(whole).fences] != []
    prose = re.sub(r"(?ms)^ *```.*?^ *```$|`[^`\n]*`", "", plain)
    links = re.findall(r"\]\(([^()\s]+)\)", prose)
    assert links and all(link.startswith("http") for link in links) and "{#" not in prose and "?with=" not in plain


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_block_says_where_and_when_it_ran_and_a_page_once_what_ran_on_gpus(read_page, language):
    page = read_page(LANGUAGES[language] + OPTIMIZERS)
    badges = page.locator(".hx-run__badge").all_text_contents()
    assert len(badges) > 15
    assert all(re.search(r"CPU.*\d{4}-\d\d-\d\d", badge) for badge in badges)
    block = page.locator(".hx-run:visible:has(samp)").first  # the setup's are folded
    assert not block.locator("samp").is_visible()
    block.locator("summary").press("Enter")
    assert block.locator("samp").is_visible()
    assert "transformers 5" in page.locator(".hx-run [open] li").first.inner_text()
    assert page.locator(".hx-hardware").count() == 1
    assert read_page(LANGUAGES[language] + "perf_train_cpu/").locator(".hx-hardware").count() == 0


def test_a_source_page_marks_all_lines_leads_back_and_keeps_the_readers_dark(visit, site_url):
    page = visit("/" + OPTIMIZERS, color_scheme="light")
    page.locator("form[data-md-component=palette] label:visible").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    address = page.locator(".hx-run__source a").first.evaluate("link => link.href")
    first, last = int(address.rpartition("-")[2]), int(address.partition("last=")[2].partition("#")[0])
    page.goto(address)
    page.wait_for_selector(".shown")
    assert page.locator("pre .shown").count() == last - first + 1 > 1
    assert page.locator("html").get_attribute("data-scheme") == "slate"
    assert page.locator("pre .k, pre .kn").count() > 0
    page.locator(".back").click()
    assert page.url == f"{site_url}/{CHOICE}"
    page.goto(address)
    page.locator(".bar > a").click()
    assert page.url == site_url + "/"


def test_a_source_page_speaks_of_the_way_back_in_the_language_it_was_opened_from(visit, site_url):
    page = visit("/zh-Hant/" + OPTIMIZERS)
    page.evaluate("document.querySelector('.hx-run__source a').click()")
    back = page.locator(".back[lang=zh-Hant]")
    back.wait_for()
    assert page.locator(".bar > a").inner_text().startswith("Transformers 效能指南")
    page.locator(".bar [popovertarget]").click()
    assert page.locator(".bar li a").evaluate_all("all => all.map(each => each.href)") == [
        f"{site_url}/{CHOICE}", *(f"{site_url}/{code}/{CHOICE}" for code in ("zh", "zh-Hant", "ja"))]
    back.press("Enter")
    page.wait_for_url(f"{site_url}/zh-Hant/{CHOICE}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_numbers_of_a_source_stand_still_beside_their_lines(visit, width):
    page = visit("/source/train_one/accelerate_loop.py.html")
    page.set_viewport_size({"width": width, "height": 844})
    page.locator("pre").evaluate("pre => { pre.style.width = '20rem'; pre.scrollLeft = 150 }")
    page.mouse.move(1, 1)
    found = page.locator("pre [id]").evaluate_all("""all => all.map(line => {
        const {height} = line.getBoundingClientRect(), {display, left, position} = getComputedStyle(line, "::before")
        return [line.id, Math.round(height), position, left].join(" ")
    })""")
    rows = [each.split(" ", 2) for each in found]
    assert [row[0] for row in rows] == [f"L-{number}" for number in range(1, len(rows) + 1)]
    assert len({(height, stays) for _, height, stays in rows}) == 1 and rows[0][2] == "sticky 0px"
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_without_the_theme_leads_to_the_search(visit, site_url, width):
    page = visit("/source/train_one/accelerate_loop.py.html")
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width > 1000:
        page.locator(".bar input").fill("gradient")
    page.locator(".bar form button").click()
    page.wait_for_url(lambda url: url.startswith(f"{site_url}/?q="))
    page.locator(".md-search__input").fill("gradient")
    page.locator(".md-search-result__item").first.wait_for()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_ran_where_fits_a_phone_and_names_groups_in_words(visit, language):
    page = visit(LANGUAGES[language] + "what_ran_where/")
    page.set_viewport_size(PHONE)
    table = page.locator(".hx-where .md-typeset__scrollwrap")
    table.wait_for()
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0
    assert page.evaluate("document.documentElement.scrollHeight") < 90 * table.locator("tr").count()
    groups = table.locator("th[scope=rowgroup]").all_inner_texts()
    assert len(groups) > 15
    assert not [name for name in groups if "_" in name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_whole_words_on_a_phone(visit, language):
    page = visit(LANGUAGES[language] + "removed/")
    page.set_viewport_size(PHONE)
    broken = page.evaluate("""() => {
        const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT), found = []
        while (texts.nextNode()) {
            const text = texts.currentNode, range = document.createRange()
            if (!text.parentElement.closest("td code") || /[\\s-]/.test(text.data)) continue
            range.selectNodeContents(text)
            if (new Set([...range.getClientRects()].map(each => Math.round(each.top))).size > 1) found.push(text.data)
        }
        return found
    }""")
    assert not broken


def test_the_glossarys_last_column_is_in_sight(visit):
    page = visit("/glossary/")
    wrap = page.locator(".md-typeset__scrollwrap").first
    wrap.wait_for()
    assert wrap.evaluate("wrap => wrap.scrollWidth - wrap.clientWidth") <= 0


def test_the_front_page_has_four_doors_in_a_row_and_one_below_the_other_on_a_phone(visit):
    page = visit("/zh/")
    doors = page.locator(".hx-doors > ul > li")
    places = "doors => new Set(doors.map(each => Math.round(each.getBoundingClientRect().top))).size"
    assert doors.count() == 4
    assert doors.evaluate_all(places) == 1
    page.set_viewport_size(PHONE)
    assert doors.evaluate_all(places) == 4


def test_the_heaviest_page_is_light(built_site):
    assert max(weights(built_site).values()) < 120_000


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", ["", "will_it_fit/"])
def test_a_page_does_not_move_while_it_loads(site_url, browser, page, width):
    # A slow phone: what comes late from the server comes after the first paint.
    assert open_slowly(browser, f"{site_url}/{page}", width, slowdown=8)[1] < 0.01


@pytest.mark.parametrize("kind", ["what_ran_where/", "removed/", "glossary/", "source/"])
def test_axe_finds_nothing_serious_on_tables_and_sources(visit, built_site, kind):
    from axe_playwright_python.sync_playwright import Axe

    if kind.startswith("source/"):
        kind = min((built_site / "source/train_one").glob("a*.html")).relative_to(built_site).as_posix()
    page = visit(f"/{kind}")
    for scheme, painted in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        # A source's page has no such mark: its styles follow at once.
        page.wait_for_function("name => [name, undefined].includes(document.body.dataset.mdColorScheme)", arg=painted)
        found = Axe().run(page).response["violations"]
        assert not [(each["id"], each["nodes"][0]["html"][:200]) for each in found
                    if each["impact"] in {"serious", "critical"}], scheme
