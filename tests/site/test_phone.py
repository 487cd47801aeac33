"""The site in the window of a phone, in real Chromium: nothing that decides is out of sight or over something else."""

import pytest
from axe_playwright_python.sync_playwright import Axe

LANGUAGES = {"en": "/", "zh": "/zh/", "zh-Hant": "/zh-Hant/", "ja": "/ja/"}
NAMES = {
    "en": "Transformers performance guide", "zh": "Transformers 性能指南", "zh-Hant": "Transformers 效能指南",
    "ja": "Transformers 性能ガイド",
}
PHONE = {"width": 390, "height": 844}
LINES = """
    const linesOf = element => {
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), lines = new Map()
        while (texts.nextNode()) for (let at = 0; at < texts.currentNode.length; at++) {
            const range = document.createRange()
            range.setStart(texts.currentNode, at)
            range.setEnd(texts.currentNode, at + 1)
            const box = range.getClientRects()[0]
            if (box?.width) lines.set(Math.round(box.top), (lines.get(Math.round(box.top)) ?? "") + range)
        }
        return [...lines.values()]
    }
"""


@pytest.fixture
def visit_phone(visit):
    """Open a page of the site in the window of a phone: visit_phone("/zh/", width=360)."""
    def opened(path, width=390, **options):
        page = visit(path, width=width, **options)
        page.set_viewport_size({"width": width, "height": PHONE["height"]})
        page.wait_for_load_state("load")
        return page

    return opened


@pytest.mark.parametrize("path", ["/finetune_8b/", "/ja/deepspeed/", "/zh/models/"])
def test_the_button_that_copies_code_is_in_its_block_over_no_text_and_no_band_is_kept_for_it(visit_phone, path):
    page = visit_phone(path, width=360)
    covered, wide, above, outside = page.evaluate("""() => {
        for (const code of document.querySelectorAll("article > .highlight code")) code.scrollLeft = code.scrollWidth
        const covered = [], blocks = [...document.querySelectorAll("article > .highlight")], above = [], outside = []
        for (const block of blocks) {
            const button = block.querySelector(".md-code__nav").getBoundingClientRect()
            const code = block.querySelector("code"), first = document.createRange()
            first.selectNodeContents(code)
            const box = code.getBoundingClientRect(), edge = box.left + code.clientLeft + code.clientWidth
            if (button.top < box.top || button.bottom > box.bottom || button.right > box.right)
                outside.push(code.textContent)
            above.push(first.getClientRects()[0].top - code.getBoundingClientRect().top)
            const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT)
            while (texts.nextNode()) {
                const range = document.createRange()
                range.selectNodeContents(texts.currentNode)
                const seen = box => code.contains(texts.currentNode) ? Math.min(box.right, edge) : box.right
                if (texts.currentNode.data.trim() && texts.currentNode.parentElement.checkVisibility()
                    && [...range.getClientRects()].some(box => seen(box) > button.left && box.left < button.right
                    && box.bottom > button.top + 1 && box.top < button.bottom - 1))
                    covered.push(range.toString())
            }
        }
        const codes = blocks.map(block => block.querySelector("code"))
        const wide = codes.filter(code => code.scrollWidth > code.clientWidth).map(code => code.textContent)
        return [covered, wide, above, outside]
    }""")
    assert not covered and not outside
    assert above and max(above) < 18  # of 40 with a band
    assert wide and not [code for code in wide if code.startswith(("pip ", "jq "))]
    room = page.locator("article > .highlight code").first.evaluate(
        "code => code.offsetWidth - code.clientWidth")
    assert room < 4  # lines are seen up to the block's edge


def test_code_that_goes_on_fades_and_its_copy_button_stays_in_sight(visit_phone):
    page = visit_phone("/finetune_8b/")
    code = page.locator("article > .language-python code").first
    fade = "code => getComputedStyle(code).maskImage"
    assert "gradient" in code.evaluate(fade)
    code.evaluate("code => { code.scrollLeft = code.scrollWidth }")
    page.wait_for_function(f"code => ({fade})(code) === 'none'", arg=code.element_handle())
    shell = page.locator("article > .language-bash code").first
    assert shell.evaluate(fade) == "none"  # all of it is in sight
    code.evaluate("code => scrollBy({top: code.getBoundingClientRect().bottom - 150, behavior: 'instant'})")
    button = page.locator("article > .language-python .md-code__button").first
    page.wait_for_function("button => button.getBoundingClientRect().top < 100", arg=button.element_handle())
    box = button.bounding_box()
    assert box["y"] >= 48 and box["y"] + box["height"] <= 150


@pytest.mark.parametrize("path", ["/train_memory/", "/ja/finetune_8b/", "/will_it_fit/"])
def test_what_a_finger_presses_is_32_pixels_high(visit_phone, path):
    page = visit_phone(path, has_touch=True, is_mobile=True)
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    heights = page.locator(
        "article > .highlight .md-code__button, article > .hx-run summary, .fit__remedies button").evaluate_all(
        """all => all.filter(each => each.checkVisibility()).map(each => each.offsetHeight
            - (each.matches(".fit *") ? 2 * parseFloat(getComputedStyle(each, "::after").top) : 0))""")
    assert len(heights) > 2 and min(heights) >= 32


def test_the_calculators_verdict_stays_in_sight_with_its_bar(visit_phone):
    page = visit_phone("/ja/will_it_fit/")
    page.locator(".fit--ready").wait_for()
    page.locator("#fit-precision").evaluate("field => scrollBy({top: field.getBoundingClientRect().top - 300})")
    for part in (".fit__verdict", ".fit__bar"):
        page.wait_for_function("""part => { const box = document.querySelector(part).getBoundingClientRect()
            return box.height && box.top > 500 && box.bottom <= innerHeight }""", arg=part)
    assert page.locator(".fit__result").bounding_box()["height"] < 844 / 10
    remedies = page.locator(".fit__remedies button")
    assert remedies.count() and all(each.bounding_box()["y"] > 844 for each in remedies.all())  # below, and not cut
    assert not page.locator("#fit-config").is_visible()  # one's own model is folded
    page.locator(".fit__verdict a").click()
    page.wait_for_function("""() => [...document.querySelectorAll(".fit__remedies button")].every(each => {
        const box = each.getBoundingClientRect()
        const seen = document.elementFromPoint(box.left + 9, box.top + 9)
        return box.top > 100 && box.bottom < innerHeight && seen === each
    })""")


def test_a_checkbox_keeps_its_size_and_its_label_has_room(visit_phone):
    page = visit_phone("/ja/will_it_fit/")
    page.locator(".fit--ready").wait_for()
    boxes = page.locator(".fit__field--box:visible")
    assert boxes.count() == 2
    for box in boxes.all():
        mark, label = (box.locator(part) for part in ("input", "label"))
        assert mark.bounding_box()["width"] == mark.bounding_box()["height"] == 24
        assert label.evaluate("label => label.scrollWidth <= label.clientWidth")


@pytest.mark.parametrize(("path", "width"), [("", 390), ("", 1280), ("will_it_fit/", 390), ("will_it_fit/", 1280)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_choice_of_a_calculator_is_cut(visit_phone, language, path, width):
    page = visit_phone(LANGUAGES[language] + path, width=width)
    page.locator(".fit").scroll_into_view_if_needed()
    page.locator(".fit--ready").wait_for()
    cut = page.locator(".fit select:visible").evaluate_all("""all => all.filter(select => {
        const now = select.offsetWidth
        select.style.setProperty("width", "max-content", "important")  // of its longest choice
        const needed = select.offsetWidth
        select.style.width = ""
        return needed > now
    }).map(select => select.id)""")
    assert not cut


def test_a_command_for_the_shell_is_not_broken_within_an_option(visit_phone):
    lines = visit_phone("/finetune_8b/", width=360).evaluate(
        f"() => {{ {LINES} return linesOf(document.querySelector('article > .language-bash code')) }}")
    assert len(lines) > 3
    assert not [line for line in lines if line.rstrip().endswith("-") and "--" in line[-4:]]
    assert any("--method qlora" in line for line in lines)


@pytest.mark.parametrize("path", ["/zh/serve_8b/", "/zh/communication/", "/models/", "/tools/repair/", "/will_it_fit/"])
def test_no_number_and_no_name_with_a_hyphen_is_broken_in_a_table(visit_phone, path):
    page = visit_phone(path)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    found, broken = page.evaluate("""() => {
        const texts = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT), broken = []
        const NAMES = /(?=[\\w-]*[A-Z\\d])\\w+(?:[-,]\\w+)+|[A-Z]{2,}/g
        let found = 0
        while (texts.nextNode()) {
            const text = texts.currentNode, cell = text.parentElement.closest("th, td"), range = document.createRange()
            if (!cell || getComputedStyle(cell).clipPath !== "none") continue
            for (const {0: word, index} of text.data.matchAll(NAMES)) {
                found++
                range.setStart(text, index)
                range.setEnd(text, index + word.length)
                if (new Set([...range.getClientRects()].map(each => Math.round(each.top))).size > 1) broken.push(word)
            }
        }
        return [found, broken]
    }""")
    assert found > 5 and not broken


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "path", ["slow_training/", "out_of_memory/", "removed/", "low_precision/", "models/", "glossary/"])
def test_a_text_in_the_last_column_is_in_sight_behind_its_columns_head(visit_phone, language, path):
    page = visit_phone(LANGUAGES[language] + path, width=360)
    tables = page.locator("article > .md-typeset__scrollwrap table").evaluate_all("""tables => tables.map(table => {
        const last = table.querySelector("tbody tr:last-child").lastElementChild, row = last.parentElement
        const head = table.tHead.rows[0].lastElementChild, place = last.getBoundingClientRect()
        return {
            text: !last.style.textAlign && row.cells.length > 2,
            second: [...row.cells].slice(1).find(each => each.textContent)?.getBoundingClientRect().left,
            first: row.cells[0].getBoundingClientRect().left,
            cards: !table.querySelector("tbody [style*=right]") && table.matches(":not(.hx-terms ~ * *)"),
            empty: !last.textContent, right: place.right,
            below: place.top >= row.cells[1].getBoundingClientRect().bottom - 1,
            head: last.dataset.hxHead === head.textContent,
            roles: [table, table.tHead, row, last, head].map(each => each.role).join(" "),
        }
    })""")
    texts = [table for table in tables if table["text"]]
    assert texts
    for table in texts:
        assert table["empty"] or (table["right"] <= 360 and table["below"])
        assert not table["cards"] or table["second"] == table["first"]  # no text stands beside another
        assert table["head"] and table["roles"] == "table rowgroup row cell columnheader"


@pytest.mark.parametrize(("path", "width", "header"), [
    ("/out_of_memory/", 390, 48), ("/models/", 390, 48), ("/glossary/", 1440, 96), ("/what_ran_where/", 1440, 96),
])
def test_the_heads_of_columns_stay_in_sight(visit, path, width, header):
    page = visit(path)
    page.set_viewport_size({"width": width, "height": 600})
    table = page.locator("article .md-typeset__scrollwrap[data-hx-whole] table").last
    table.wait_for()
    table.evaluate(
        "table => scrollBy({top: table.getBoundingClientRect().top + table.offsetHeight / 2, behavior: 'instant'})")
    head = table.locator("thead")
    page.wait_for_function("head => scrollY > 0 && head.getBoundingClientRect().top > 0", arg=head.element_handle())
    assert abs(head.bounding_box()["y"] - header) < 2
    box = head.bounding_box()
    at = [box["x"] + 20, box["y"] + 8]
    assert head.evaluate("(head, [x, y]) => head.contains(document.elementFromPoint(x, y))", at)


@pytest.mark.parametrize("path", ["/what_ran_where/", "/models/", "/ja/models/"])
def test_the_head_of_a_column_is_as_high_as_its_text_and_above_its_column(visit, path):
    page = visit(path, width=1280)
    head = page.locator("article table thead").first
    page.wait_for_function("head => head.rows[0].cells[0].role", arg=head.element_handle())
    off, empty = head.evaluate("""head => {
        const off = [], below = []
        for (const cell of head.rows[0].cells) {
            const style = getComputedStyle(cell), box = cell.getBoundingClientRect(), text = document.createRange()
            text.selectNodeContents(cell)
            const lines = [...text.getClientRects()]
            if (style.textAlign === "center")
                off.push(...lines.map(line => Math.abs(line.left + line.right - box.left - box.right) / 2))
            below.push(box.bottom - Math.max(...lines.map(line => line.bottom)) - parseFloat(style.paddingBottom))
        }
        return [Math.max(0, ...off), Math.min(...below)]
    }""")
    assert off < 1 and empty < 10


def test_a_table_that_becomes_too_wide_is_scrolled_in_its_box(visit):
    page = visit("/slow_training/")
    page.set_viewport_size({"width": 1440, "height": 800})
    wrap = page.locator("#result ~ .md-typeset__scrollwrap").first
    state = "([wrap, whole]) => (wrap.dataset.hxWhole !== undefined) === whole && (wrap.tabIndex < 0) === whole"
    page.wait_for_function(state, arg=[wrap.element_handle(), True])
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(state, arg=[wrap.element_handle(), False])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_table_of_numbers_is_scrolled(visit_phone):
    wrap = visit_phone("/slow_training/").locator("#result ~ .md-typeset__scrollwrap").first
    assert wrap.evaluate("wrap => wrap.scrollWidth - wrap.clientWidth") > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_path_is_the_way_back_and_says_where(visit_phone, language):
    back = visit_phone(LANGUAGES[language] + "fsdp2/").locator("a.md-path__link:visible")
    assert "‹" in back.evaluate("back => getComputedStyle(back, '::before').content")
    assert back.locator("span").evaluate("name => name.scrollWidth <= name.clientWidth")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_path_and_what_is_done_with_a_page_stand_on_one_line(visit_phone, language):
    page = visit_phone(LANGUAGES[language] + "fsdp2/")
    boxes = page.locator(".md-path__link:visible, .hx-beside > button").evaluate_all("""all => all.map(each => {
        const text = document.createRange()
        text.selectNodeContents(each)
        const box = text.getBoundingClientRect()
        return [box.top, box.bottom]
    })""")
    tops, bottoms = zip(*boxes, strict=True)
    assert len(tops) == 3 and max(tops) - min(tops) <= 1 and max(bottoms) - min(bottoms) <= 1


@pytest.mark.parametrize(("language", "typed", "found"), [
    ("en", "梯度累", "gradient accumulation"), ("zh", "GRADIENT acc", "gradient accumulation"),
    ("ja", "あくせられーた", "accelerator"), ("zh-Hant", "勾配累積", "gradient accumulation"),
])
def test_a_term_is_found_by_keyboard_in_any_language(visit, language, typed, found):
    page = visit(LANGUAGES[language] + "glossary/")
    page.locator("article summary").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.labels[0].textContent")
    page.keyboard.insert_text(typed)
    rows = page.locator("tbody tr:visible")
    assert found in rows.locator("td:first-child").all_inner_texts()
    assert page.locator(".hx-terms output").inner_text() == f"{rows.count()} / {page.locator('tbody tr').count()}"
    assert rows.count() < 10
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    assert rows.count() == page.locator("tbody tr").count() > 200
    assert not page.locator(".hx-terms output").inner_text()


@pytest.mark.parametrize(("language", "typed", "group"), [
    ("en", "qlora", "Adapters"), ("ja", "プロファイリング", "プロファイリング"),
])
def test_a_technique_is_found_by_its_name_and_by_its_groups(visit, language, typed, group):
    page = visit(LANGUAGES[language] + "what_ran_where/")
    every = page.locator(".hx-where tr:has(th[scope=row])").count()
    page.get_by_label({"en": "Find a technique", "ja": "手法を探す"}[language]).fill(typed)
    rows, groups = page.locator(".hx-where tr:has(th[scope=row]):visible"), page.locator("th[scope=rowgroup]:visible")
    assert 0 < rows.count() < every / 5
    assert page.locator(".hx-terms output").inner_text() == f"{rows.count()} / {every}"
    assert any(each.startswith(group) for each in groups.all_inner_texts())
    assert groups.count() <= rows.count()  # none without a row
    assert page.locator(".hx-terms nav").count() == 0
    page.locator(".hx-terms input").fill("")
    assert rows.count() == every


def test_what_ran_on_a_machine_is_found(visit):
    page = visit("/what_ran_where/")
    page.locator(".hx-terms select").select_option("NVIDIA H100")
    rows = page.locator(".hx-where tr:has(th[scope=row]):visible")
    assert 0 < rows.count() == page.locator("td:nth-child(4):is(.hx-where__ran, .hx-where__partly):visible").count()
    page.locator(".hx-terms select").select_option(index=0)
    assert rows.count() == page.locator(".hx-where tr:has(th[scope=row])").count()


@pytest.mark.parametrize(("language", "width"), [("en", 390), ("ja", 390), ("en", 1440)])
def test_the_fields_above_the_table_end_where_it_does_and_groups_without_a_row_go(visit, language, width):
    page = visit(LANGUAGES[language] + "what_ran_where/", width=width)
    table, field = page.locator(".hx-where table"), page.locator(".hx-terms input")
    boxes = [each.bounding_box() for each in (table, page.locator(".hx-terms select"))]
    assert field.bounding_box()["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] == pytest.approx(boxes[1]["x"] + boxes[1]["width"], abs=1)
    field.fill("qlora")
    rows, groups = page.locator(".hx-where tr:has(th[scope=row]):visible"), page.locator("th[scope=rowgroup]:visible")
    assert 0 < groups.count() <= rows.count()


@pytest.mark.parametrize("width", [390, 1440])
def test_no_title_of_a_program_is_cut(visit, width):
    titles = visit("/what_ran_where/", width=width).locator(".hx-where th[scope=row] > a:first-child")
    cut = titles.evaluate_all("""all => all.filter(each => each.scrollHeight > each.clientHeight
        || each.scrollWidth > each.clientWidth).map(each => each.textContent)""")
    assert titles.count() > 100 and not cut


def test_the_contents_of_a_long_table_name_the_group_in_sight_and_all_when_chosen(visit):
    page = visit("/what_ran_where/", width=1440)
    groups = page.locator(".md-sidebar--secondary .md-nav .md-nav .md-nav__link:visible")
    assert groups.count() <= 1
    page.locator(".md-sidebar--secondary a[href='#techniques']").click()
    assert groups.count() > 20


def test_the_glossary_is_a_table_without_a_script(visit):
    page = visit("/glossary/", java_script_enabled=False)
    assert page.locator("article table tbody tr").first.locator("td:visible").count() > 3
    assert page.locator(".hx-terms input").count() == 0


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_a_term_on_a_phone_is_a_short_entry_the_readers_word_first(visit_phone, language):
    page = visit_phone(LANGUAGES[language] + "glossary/")
    table = page.locator("article table")
    assert table.bounding_box()["height"] < 106 * table.locator("tbody tr").count()
    row = table.locator("tbody tr").nth(1)
    assert row.locator("td:visible").evaluate_all("cells => cells.every(cell => cell.getClientRects().length)")
    assert row.inner_text().split()[:2] == ["accelerator", {"zh": "加速器", "ja": "アクセラレータ"}[language]]
    tops = row.locator("td:visible").evaluate_all("cells => cells.map(cell => cell.getBoundingClientRect().top)")
    assert tops == sorted({*tops})  # the term and each language have a line of their own
    edges = row.locator("td:visible:nth-child(n+2)").evaluate_all("""cells => cells.map(cell => {
        const words = document.createRange();
        words.selectNodeContents(cell);
        return words.getBoundingClientRect().left;
    })""")
    assert len({*edges}) == 1
    labels = "cells => cells.map(cell => getComputedStyle(cell, '::before').content.length)"
    assert min(row.locator("td:visible:nth-child(n+2)").evaluate_all(labels)) > 2
    assert row.evaluate("row => parseFloat(getComputedStyle(row).paddingLeft)") >= 12
    assert page.locator("thead th").nth(1).inner_text() == {"zh": "简体中文", "ja": "日本語"}[language]
    assert table.locator("tbody tr").first.inner_text().split() == ["Accelerate"]  # a name that is equal in all, once
    same = table.locator("tbody td").first.evaluate("cell => getComputedStyle(cell, '::after').content")
    assert same.strip('"') == {"zh": "各语言写法相同", "ja": "どの言語でも同じ"}[language]
    cut = "links => links.filter(each => each.scrollWidth > each.clientWidth + 1 || each.offsetParent === null)"
    assert not table.locator("td:last-child a").evaluate_all(cut)


@pytest.mark.parametrize(("language", "width", "below"), [("en", 390, 48), ("ja", 1440, 130)])
def test_a_letter_leads_to_its_first_term(visit, language, width, below):
    page = visit(LANGUAGES[language] + "glossary/")
    page.set_viewport_size({"width": width, "height": 844})
    letters = page.locator(".hx-terms nav a").all_inner_texts()
    assert letters == sorted({*letters}) and len(letters) > 20
    page.locator(".hx-terms nav").get_by_text("G", exact=True).click()
    page.wait_for_url("**/glossary/#terms-G")
    page.wait_for_function("document.querySelector('#terms-G').getBoundingClientRect().top < 300")
    row = page.locator("#terms-G")
    assert row.locator("td").first.inner_text() == "GaLore" and below <= row.bounding_box()["y"] < 300


def test_the_drawer_is_one_list_which_shows_the_page_that_is_read(visit_phone):
    page = visit_phone("/train_memory/")
    page.locator("label[for=__drawer]:visible").first.click()
    read = page.locator(".md-nav--primary .md-nav__link--active:visible").last
    assert 0 < read.bounding_box()["y"] < PHONE["height"]
    parts = page.locator(".md-nav--primary > .md-nav__list > .md-nav__item")
    scrolled = page.locator(".md-nav--primary :is(ul, li, nav)").evaluate_all("""all => all.filter(each =>
        getComputedStyle(each).overflowY === 'auto' && each.scrollHeight > each.clientHeight + 1).length""")
    assert scrolled == 0  # all of its part is in sight
    parts.last.locator("> label").click()
    assert parts.locator("> :checked").count() == 1
    boxes = [each.bounding_box() for each in parts.locator("> label").all()]
    assert len({box["y"] for box in boxes}) == 2 and max(box["y"] for box in boxes) < 150  # in two lines at its top
    assert min(box["height"] for box in boxes) >= 44
    assert page.locator(".md-sidebar--primary").bounding_box()["width"] == 320
    assert not page.locator(".md-nav__link[for=__toc]").is_visible()
    page.locator(".md-nav__title[for=__drawer]").click(position={"x": 300, "y": 26})  # the cross
    page.wait_for_function("() => !document.getElementById('__drawer').checked")


def test_what_is_known_of_a_run_has_the_width_of_the_text(visit_phone):
    note = visit_phone("/train_memory/").locator("article > .hx-run:has(.hx-run__copy)").first
    note.locator("summary").click()
    assert note.locator(".hx-run__more").bounding_box()["width"] > 0.95 * note.bounding_box()["width"]


@pytest.mark.parametrize("path", ["/zh/models/", "/zh-Hant/finetune_8b/", "/ja/will_it_fit/", "/ja/finetune_8b/"])
def test_no_paragraph_ends_in_a_line_of_one_character(visit_phone, path):
    texts = visit_phone(path).locator("article :is(p, li):has(code):not(:has(p, li, div)):visible")
    widths = texts.evaluate_all("""all =>
        all.map(each => {
            const range = document.createRange()
            range.selectNodeContents(each)
            const boxes = [...range.getClientRects()].filter(box => box.width > 1)
            const foot = Math.max(...boxes.map(box => box.bottom)), last = boxes.filter(box => box.bottom > foot - 12)
            return Math.max(...last.map(box => box.right)) - Math.min(...last.map(box => box.left))
        })""")
    assert widths and min(widths) > 40  # a character and a full stop have 32


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [320, 360, 390])
def test_the_sites_name_is_not_broken_within_a_word(visit_phone, language, width):
    page = visit_phone(LANGUAGES[language], width=width)
    page.locator("label[for=__drawer]:visible").first.click()
    for place in (".md-header__topic .md-ellipsis", ".md-nav__title[for=__drawer]"):
        lines = page.evaluate(f"place => {{ {LINES} return linesOf(document.querySelector(place)) }}", place)
        assert all(any(word in line for line in lines) for word in NAMES[language].split()), lines


@pytest.mark.parametrize(("language", "width"), [("en", 360), ("ja", 390), ("zh", 768)])
def test_the_sections_open_beside_the_way_to_the_top(visit_phone, language, width):
    page = visit_phone(LANGUAGES[language] + "slow_training/", width=width)
    way, sections = page.locator(".md-top").all()
    assert not sections.is_visible()
    page.mouse.wheel(0, 5000)
    page.wait_for_function("scrollY > 4000")
    page.mouse.wheel(0, -300)
    sections.wait_for()
    one, other = way.bounding_box(), sections.bounding_box()
    assert one["x"] >= 0 and other["x"] + other["width"] <= width and one["x"] + one["width"] <= other["x"]
    sections.press("Enter")
    page.locator(".hx-sections a[href='#causes']").press("Enter")
    page.wait_for_url("**#causes")
    assert not page.locator(".hx-sections").is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not sections.is_visible()


@pytest.mark.parametrize("path", ["/slow_training/", "/ja/glossary/", "/ja/"])
def test_axe_finds_nothing_serious_on_a_phone(visit_phone, path):
    page = visit_phone(path)
    for scheme, painted in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"body[data-md-color-scheme={painted}]")
        found = Axe().run(page).response["violations"]
        assert not [(each["id"], each["nodes"][0]["html"][:200]) for each in found
                    if each["impact"] in {"serious", "critical"}], scheme
