"""The editor's page in a real Chromium: edit, preview, conflict, by keyboard alone."""

import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[test]'")

from hexapla.translation.verdicts import DOUBTED, RULES, Verdict, doubt_key, write_verdicts
from playwright.sync_api import expect

from tests.editor.conftest import PAGES, record_doubts, serving
from tests.site.project import write

PATIENCE = 60_000  # milliseconds for a save that is tried again, on a busy machine
IDENTITY = ["-c", "user.name=Writer", "-c", "user.email=writer@hexapla.example"]


@pytest.fixture
def window(open_tab):
    """Open a window of the editor; whatever its page asks of another address fails the test, and so does an error."""
    given, errors = [], []

    def note(error):
        errors.append(str(error))

    def opened(editor, page="page", own=False):
        tab = open_tab(editor.url.rpartition("/")[0].rpartition("/")[0], width=1400, own=own)
        given.append(tab)
        tab.on("pageerror", note)
        tab.goto(f"{editor.url}#{page}")
        tab.wait_for_selector("#rows:not([aria-busy])")
        return tab

    yield opened
    for tab in given:
        tab.remove_listener("pageerror", note)
    assert not errors


def box(tab, language, name):
    """The text box of a section."""
    return tab.get_by_role("textbox", name=f"{name}, {language}", exact=True)


def cell(tab, language, name):
    """The cell around it."""
    return tab.locator(".cell.translation", has=box(tab, language, name))


def type_at_end(field, text):
    field.click()
    field.press("Control+End")
    field.press_sequentially(text)


def test_edit_and_save(window, served):
    tab = window(served)
    type_at_end(box(tab, "zh", "First"), "读。")
    expect(cell(tab, "zh", "First").locator(".state")).to_have_text("not saved")
    cell(tab, "zh", "First").get_by_role("button", name="Save").click()
    expect(cell(tab, "zh", "First").locator(".state")).to_have_text("current")
    expect(tab.locator("#said")).to_have_text("Saved.")
    assert "`run`。读。\n" in served.text("docs/zh/page.md")


def test_findings_come_as_one_types_and_lead_to_their_place(window, unwritten):
    tab = window(unwritten)
    type_at_end(box(tab, "zh", "Page"), "9 [这里](none.md)")
    wrong = cell(tab, "zh", "Page").locator(".findings .error button", has_text="link-target-missing")
    expect(wrong).to_be_visible()
    wrong.click()
    place = "field => field.value.slice(field.selectionStart)"
    assert box(tab, "zh", "Page").evaluate(place).startswith("none.md")


def test_the_preview_follows_and_nothing_in_it_runs(window, unwritten):
    tab = window(unwritten)
    field = box(tab, "zh", "Second")
    field.fill("## 第二 {#second}\n\n**粗**<script>parent.document.title='run'</script>"
               "<img src=x onerror=\"parent.document.title='run'\">")
    cell(tab, "zh", "Second").get_by_role("button", name="Preview").click()
    frame = cell(tab, "zh", "Second").frame_locator("iframe")
    expect(frame.locator("strong")).to_have_text("粗")
    field.press("Control+End")
    field.press_sequentially(" 完")
    expect(frame.locator("body")).to_contain_text("完")
    expect(cell(tab, "zh", "Second").locator("iframe")).to_have_attribute("sandbox", "allow-same-origin")
    assert tab.title() == "page - Hexapla"


def test_two_windows_do_not_lose_each_others_work(window, served):
    one, other = window(served), window(served)
    type_at_end(box(one, "zh", "First"), "甲")
    type_at_end(box(other, "zh", "First"), "乙")
    box(one, "zh", "First").press("Control+s")
    expect(one.locator("#said")).to_have_text("Saved.")
    box(other, "zh", "First").press("Control+s")
    expect(other.locator(".theirs ins")).to_contain_text("甲")
    expect(other.locator(".theirs del")).to_contain_text("乙")
    expect(box(other, "zh", "First")).to_have_value("## 第一 {#first}\n\n见[另一页](folder/other.md)和 `run`。乙")
    assert "甲" in served.text("docs/zh/page.md")
    other.get_by_role("button", name="Go on with mine").click()
    box(other, "zh", "First").press("Control+s")
    expect(other.locator("#said")).to_have_text("Saved.")
    assert "乙" in served.text("docs/zh/page.md") and "甲" not in served.text("docs/zh/page.md")


def test_a_page_edited_on_disk_shows_in_the_box_nobody_types_in(window, served):
    tab = window(served)
    type_at_end(box(tab, "zh", "First"), "甲")
    file = served.root / "docs/zh/page.md"
    changed = file.read_text(encoding="utf-8").replace("结束", "完了").replace("`run`。", "`run`。乙")
    file.write_text(changed, encoding="utf-8")
    tab.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(box(tab, "zh", "Second")).to_have_value("## 第二 {#second}\n\n完了。")
    expect(box(tab, "zh", "First")).to_have_value("## 第一 {#first}\n\n见[另一页](folder/other.md)和 `run`。甲")
    box(tab, "zh", "First").press("Control+s")
    expect(tab.locator(".theirs")).to_contain_text("乙")
    assert served.text("docs/zh/page.md") == changed


def test_by_keyboard_alone(window, served):
    tab = window(served)
    keys = tab.keyboard
    keys.press("Alt+b")
    expect(box(tab, "zh", "Page")).to_be_focused()
    keys.press("Alt+ArrowDown")
    expect(box(tab, "zh", "First")).to_be_focused()
    keys.press("Alt+ArrowRight")
    expect(box(tab, "ja", "First")).to_be_focused()
    keys.type("## 最初 {#first}\n\n[別のページ](")
    keys.press("Alt+2")
    keys.type(")と")
    keys.press("Alt+1")
    keys.type("を参照してください。")
    keys.press("Control+s")
    expect(cell(tab, "ja", "First").locator(".state")).to_have_text("current")
    assert "[別のページ](folder/other.md)と`run`を参照してください。" in served.text("docs/ja/page.md")
    keys.press("Alt+ArrowUp")
    keys.press("Alt+r")
    expect(cell(tab, "ja", "Page").locator(".state")).to_have_text("current")
    keys.press("Alt+h")
    expect(tab.locator("#help")).to_be_visible()


def test_the_languages_do_not_move_when_the_rest_is_counted(window, served):
    tab = window(served)
    place = tab.locator("#languages").bounding_box()
    longest = "'a page (zh 3, ja 4 to do) '.repeat(3)"
    tab.locator("#page").evaluate(f"select => select.add(new Option({longest}, '', true, true))")
    assert tab.locator("#languages").bounding_box() == place


def test_the_next_to_do_goes_on_to_the_next_page(window, served):
    for language in ("zh", "ja"):
        for section in ("page", "first", "second"):
            if served.cell(language, section)["text"]:
                served.ask("api/read", {"page": "page", "language": language, "section": section, "meant": ""})
    tab = window(served)
    tab.get_by_role("checkbox", name="ja").uncheck()
    tab.keyboard.press("Alt+b")
    expect(box(tab, "zh", "Other")).to_be_focused()
    assert tab.url.endswith("#folder%2Fother")


def test_the_button_goes_on_from_the_section_where_one_was_last(window, unwritten):
    tab = window(unwritten)
    for language, name in (("zh", "Page"), ("ja", "Page"), ("zh", "First")):
        tab.get_by_role("button", name="Next to do").click()
        expect(box(tab, language, name)).to_be_focused()


def test_what_changed_shows_in_the_place_of_the_source(window, served):
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", "-C", served.root, *IDENTITY, *command], check=True)
    served.ask("api/read", {"page": "page", "language": "zh", "section": "first", "meant": ""})
    file = served.root / "docs/en/page.md"
    file.write_text(file.read_text(encoding="utf-8").replace("and `run`", "and then `run`"), encoding="utf-8")
    tab = window(served)
    expect(cell(tab, "zh", "First").locator(".state")).to_have_text("behind: text, 1 word")
    box(tab, "zh", "First").press("Alt+c")
    source = tab.locator(".row", has=box(tab, "zh", "First")).locator(".source")
    expect(source.locator("ins")).to_have_text("then ")
    expect(source.locator(".changed")).to_contain_text("See [the other](folder/other.md) and then `run`.")
    expect(source.locator(".text")).to_be_hidden()
    box(tab, "zh", "First").press("Alt+c")
    expect(source.locator(".text")).to_be_visible()


def test_a_lost_number_is_asked_about_before_it_is_saved(window, served):
    tab = window(served)
    field = box(tab, "zh", "Page")
    kept = cell(tab, "zh", "Page").get_by_role("button", name="42")
    expect(kept).not_to_have_class("absent")
    field.fill("# 页面 {#page}\n\n批次大小是 24。")
    expect(kept).to_have_class("absent")
    field.press("Control+s")
    expect(tab.locator("#said")).to_contain_text("Nothing was saved")
    assert "42" in served.text("docs/zh/page.md")
    field.press("Control+s")
    expect(tab.locator("#said")).to_have_text("Saved.")
    assert "24" in served.text("docs/zh/page.md")
    expect(cell(tab, "zh", "Page").locator(".state")).to_have_text("needs review")
    expect(cell(tab, "zh", "Page").locator(".review")).to_contain_text("number-differs: '24'")
    cell(tab, "zh", "Page").get_by_role("button", name="Reviewed").click()
    expect(cell(tab, "zh", "Page").locator(".state")).to_have_text("current")


def test_a_text_saved_twice_is_no_conflict_with_oneself(window, served):
    tab = window(served)
    for text in ("甲。", "乙。"):
        type_at_end(box(tab, "zh", "First"), text)
        box(tab, "zh", "First").press("Enter")
        box(tab, "zh", "First").press("Control+s")
        expect(tab.locator("#said")).to_have_text("Saved.")
        expect(cell(tab, "zh", "First").locator(".state")).to_have_text("current")
    assert "甲。\n乙。\n" in served.text("docs/zh/page.md")


def test_what_was_typed_outlives_a_reload_and_is_offered(window, served):
    tab = window(served, own=True)
    type_at_end(box(tab, "zh", "First"), "久。")
    tab.on("dialog", lambda dialog: dialog.accept())
    tab.reload()
    tab.wait_for_selector("#rows:not([aria-busy])")
    offer = cell(tab, "zh", "First").locator(".offer")
    expect(offer).to_contain_text("久。")
    offer.get_by_role("button", name="Put it back").click()
    expect(box(tab, "zh", "First")).to_have_value("## 第一 {#first}\n\n见[另一页](folder/other.md)和 `run`。久。")
    tab.reload()
    tab.wait_for_selector("#rows:not([aria-busy])")
    cell(tab, "zh", "First").locator(".offer").get_by_role("button", name="Put it back").click()
    box(tab, "zh", "First").press("Control+s")
    expect(tab.locator("#said")).to_have_text("Saved.")
    tab.reload()
    tab.wait_for_selector("#rows:not([aria-busy])")
    expect(tab.locator(".offer")).to_have_count(0)
    assert "久" in served.text("docs/zh/page.md")


def test_a_save_that_is_not_answered_is_told_and_tried_again(window, served):
    tab = window(served, own=True)
    type_at_end(box(tab, "zh", "First"), "甲。")
    tab.route("**/api/save", lambda route: route.abort())
    box(tab, "zh", "First").press("Control+s")
    expect(tab.locator("#said")).to_contain_text("The editor's program does not answer")
    expect(cell(tab, "zh", "First").locator(".state")).to_have_text("not saved, trying again")
    tab.unroute("**/api/save")
    expect(tab.locator("#said")).to_have_text("Saved.")
    assert "甲。" in served.text("docs/zh/page.md")


def test_a_tab_saves_again_after_the_program_was_started_again(window, tmp_path):
    with serving(write(tmp_path, PAGES)) as first:
        tab = window(first)
        type_at_end(box(tab, "zh", "First"), "甲。")
    box(tab, "zh", "First").press("Control+s")
    expect(tab.locator("#said")).to_contain_text("The editor's program does not answer")
    with serving(tmp_path) as second:
        expect(tab.locator("#said")).to_have_text("Saved.", timeout=PATIENCE)
        assert tab.url == f"{second.url}#page" != f"{first.url}#page"
        assert "甲。" in second.text("docs/zh/page.md")
    with serving(tmp_path) as third:  # in between nobody asked for anything
        type_at_end(box(tab, "zh", "Second"), "乙。")
        box(tab, "zh", "Second").press("Control+s")
        expect(cell(tab, "zh", "Second").locator(".state")).to_have_text("current", timeout=PATIENCE)
        assert "乙。" in third.text("docs/zh/page.md")
        tab.reload()
        expect(box(tab, "zh", "Second")).to_have_value("## 第二 {#second}\n\n结束。乙。")


def test_nothing_typed_goes_to_another_program_at_the_port(window, tmp_path):
    with serving(write(tmp_path, PAGES)) as editor:
        tab = window(editor)
    asked = []

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.rfile.read(int(self.headers.get("Content-Length", 0)))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"nonce": "00", "proof": "00"}')

        do_POST = do_GET

        def log_message(self, *arguments):
            pass

    tab.evaluate("window.dispatchEvent(new Event('focus'))")  # the tab notices that nobody answers
    tab.wait_for_timeout(300)
    with ThreadingHTTPServer(("127.0.0.1", int(editor.url.split(":")[2].split("/")[0])), Stranger) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        type_at_end(box(tab, "zh", "First"), "甲。")
        box(tab, "zh", "First").press("Control+s")
        expect(tab.locator("#said")).to_contain_text("open the address that it printed then")
        server.shutdown()
    assert asked and all(path.startswith("/session?") and not body for path, body in asked)
    expect(cell(tab, "zh", "First").locator(".state")).to_have_text("not saved, trying again")


def test_a_character_of_the_layout_is_typed(window, unwritten):
    tab = window(unwritten)
    box(tab, "zh", "First").focus()
    pressed = """key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
        ...key, altKey: true, bubbles: true, cancelable: true}))"""
    assert tab.evaluate(pressed, {"code": "Digit2", "key": "["})  # nobody took it: the browser types it
    assert not tab.evaluate(pressed, {"code": "Digit2", "key": "2"})


def test_on_a_mac_option_types_and_control_with_it_commands(window, unwritten):
    tab = window(unwritten, own=True)
    tab.context.add_init_script("Object.defineProperty(navigator, 'platform', {get: () => 'MacIntel'})")
    tab.reload()
    tab.wait_for_selector("#rows:not([aria-busy])")
    box(tab, "zh", "First").focus()
    tab.keyboard.press("Alt+ArrowDown")
    expect(box(tab, "zh", "First")).to_be_focused()
    tab.keyboard.press("Control+Alt+ArrowDown")
    expect(box(tab, "zh", "Second")).to_be_focused()
    assert tab.locator("#next").get_attribute("title") == "Ctrl+Option+B"


def test_an_insertion_is_undone(window, unwritten):
    tab = window(unwritten)
    field = box(tab, "zh", "First")
    before = field.input_value()
    field.click()
    field.press("Control+End")
    cell(tab, "zh", "First").get_by_role("button", name="`run`").click()
    expect(field).to_have_value(f"{before}`run`")
    field.press("Control+z")
    expect(field).to_have_value(before)


def test_a_missing_section_can_begin_with_the_source(window, unwritten):
    tab = window(unwritten)
    box(tab, "ja", "First").press("Alt+s")
    expect(box(tab, "ja", "First")).to_have_value("## First {#first}\n\nSee [the other](folder/other.md) and `run`.")
    expect(cell(tab, "ja", "First").get_by_role("button", name="Copy the source")).to_be_hidden()


def test_no_term_is_marked_in_code_or_in_a_link_target(window, served):
    page = served.root / "docs/en/page.md"
    text = "A batch size, `batch size`, [a link](batch size.md).\n\n```text\nbatch size\n```"
    page.write_text(page.read_text(encoding="utf-8").replace("The end.", text), encoding="utf-8")
    tab = window(served)
    expect(tab.locator(".row", has=box(tab, "zh", "Second")).locator("mark")).to_have_count(1)


def test_only_what_has_an_effect_is_offered(window, served):
    tab = window(served)
    for name, shown in (("Save", True), ("Still right", True), ("What changed", False), ("Copy the source", False)):
        expect(cell(tab, "zh", "First").get_by_role("button", name=name)).to_be_visible(visible=shown)
    cell(tab, "zh", "First").get_by_role("button", name="Still right").click()
    expect(cell(tab, "zh", "First").get_by_role("button", name="Still right")).to_be_hidden()
    expect(cell(tab, "ja", "First").get_by_role("button", name="Still right")).to_be_hidden()
    box(tab, "ja", "First").press("Alt+p")
    expect(tab.locator("#said")).to_have_text("There is nothing to preview.")
    expect(tab.locator("iframe")).to_have_count(0)


def test_a_term_is_marked_and_can_be_inserted(window, unwritten):
    tab = window(unwritten)
    expect(tab.locator(".source mark").first).to_have_text("batch size")
    box(tab, "zh", "Page").fill("")
    inserted = cell(tab, "zh", "Page").get_by_role("button", name="批次大小")
    expect(inserted).to_have_class("absent")
    inserted.click()
    expect(box(tab, "zh", "Page")).to_have_value("批次大小")


def axe(tab):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab).response["violations"]
    return [each["id"] for each in found if each["impact"] in {"serious", "critical"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_with_all_that_can_be_open(window, served, scheme):
    tab = window(served)
    tab.emulate_media(color_scheme=scheme)
    tab.keyboard.press("Alt+h")
    field = box(tab, "zh", "Page")
    field.fill("# 页面 {#page}\n\n批次大小是 24。")
    field.press("Alt+p")
    tab.reload()
    tab.wait_for_selector(".offer")
    tab.get_by_role("button", name="Put it back").click()
    file = served.root / "docs/zh/page.md"
    file.write_text(file.read_text(encoding="utf-8").replace("42", "43"), encoding="utf-8")
    field.press("Control+s")
    expect(tab.locator(".conflict ins").first).to_be_visible()
    field.press("Alt+p")
    expect(tab.locator("iframe")).to_be_visible()
    type_at_end(box(tab, "zh", "First"), "[这里](none.md)")
    expect(tab.locator(".findings .error")).to_be_visible()
    assert not axe(tab)


def test_a_composition_is_undisturbed(window, served):
    tab = window(served, own=True)
    field = box(tab, "ja", "Page")
    before = field.input_value()
    field.click()
    field.press("Control+End")
    method = tab.context.new_cdp_session(tab)
    for composed in ("n", "に", "にt", "にち"):
        method.send("Input.imeSetComposition", {"text": composed, "selectionStart": len(composed),
                                                "selectionEnd": len(composed)})
    file = served.root / "docs/ja/page.md"
    file.write_bytes(file.read_bytes().replace("終わり".encode(), "おわり".encode()))
    tab.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(box(tab, "ja", "Second")).to_have_value("## 二番目 {#second}\n\nおわりです。")
    pressed = """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
        code: "KeyS", key: "s", ctrlKey: true, isComposing: true, bubbles: true, cancelable: true}))"""
    assert tab.evaluate(pressed)  # the input method's
    method.send("Input.imeSetComposition", {"text": "日", "selectionStart": 1, "selectionEnd": 1})
    method.send("Input.insertText", {"text": "日"})
    expect(field).to_have_value(f"{before}日")
    expect(field).to_be_focused()
    field.press("Control+s")
    expect(tab.locator("#said")).to_have_text("Saved.")
    assert "バッチサイズは42です。日\r\n" in served.text("docs/ja/page.md")


def test_a_text_put_back_does_not_replace_what_came_later(window, served):
    tab = window(served)
    type_at_end(box(tab, "zh", "First"), "甲。")
    tab.wait_for_timeout(200)
    file = served.root / "docs/zh/page.md"
    file.write_text(file.read_text(encoding="utf-8").replace("`run`。", "`run`。乙。"), encoding="utf-8")
    tab.reload()
    tab.wait_for_selector(".offer")
    type_at_end(box(tab, "zh", "First"), "丙。")
    tab.get_by_role("button", name="Put it back").click()
    expect(tab.locator(".offer")).to_contain_text("乙。丙。")  # what was in the box is offered in its turn
    box(tab, "zh", "First").press("Control+s")
    expect(tab.locator(".conflict:not(.offer) ins")).to_contain_text("乙")
    assert "甲" not in served.text("docs/zh/page.md")


def test_a_text_whose_section_is_gone_is_offered_above_the_page(window, served):
    tab = window(served)
    type_at_end(box(tab, "zh", "Second"), "甲。")
    tab.wait_for_timeout(200)
    for code in ("en", "zh", "ja"):
        file = served.root / f"docs/{code}/page.md"
        file.write_bytes(file.read_bytes().partition(b"## Second" if code == "en" else "## 第二".encode())[0])
    tab.reload()
    offer = tab.locator("#rows > .offer")
    expect(offer).to_contain_text("Its place is gone: page, zh, second.")
    expect(offer).to_contain_text("甲。")
    offer.get_by_role("button", name="Discard it").click()
    expect(offer).to_have_count(0)


def test_one_key_takes_a_section_over_from_the_memory(window, served):
    english = (served.root / "docs/en/page.md").read_text()
    served.ask("api/read", {"page": "page", "language": "zh", "section": "second", "meant": "yes"})
    (served.root / "docs/en/folder/other.md").write_text(
        "# Other {#other}\n\nThe batch sizes are 42.\n\n" + english[english.index("## Second"):]
    )
    (served.root / "docs/en/page.md").write_text(english[: english.index("## Second")])
    tab = window(served, "folder/other")
    expect(cell(tab, "zh", "Second").locator(".state")).to_have_text("moved")
    box(tab, "zh", "Second").press("Alt+m")
    expect(box(tab, "zh", "Second")).to_have_value("## 第二 {#second}\n\n结束。")
    expect(cell(tab, "zh", "Second").locator(".memory")).to_contain_text("docs/zh/page.md#second")
    box(tab, "zh", "Second").press("Control+z")
    expect(box(tab, "zh", "Second")).to_have_value("")
    cell(tab, "zh", "Second").get_by_role("button", name="Take it over").click()
    box(tab, "zh", "Second").press("Control+s")
    expect(tab.locator("#said")).to_have_text("Saved.")
    expect(cell(tab, "zh", "Second").locator(".state")).to_have_text("current")
    assert served.text("docs/zh/folder/other.md") == "## 第二 {#second}\n\n结束。\n"


def test_a_near_match_is_shown_with_its_difference_and_inserted(window, served):
    served.ask("api/read", {"page": "page", "language": "zh", "section": "page", "meant": "yes"})
    (served.root / "docs/en/folder/other.md").write_text("# Other {#other}\n\nThe batch sizes are 42.\n")
    tab = window(served, "folder/other")
    box(tab, "zh", "Other").press("Alt+m")
    panel = cell(tab, "zh", "Other").locator(".memory")
    expect(panel).to_contain_text("% the same, docs/zh/page.md#page")
    expect(panel.locator("ins")).to_have_text("sizes are ")
    panel.get_by_role("button", name="Insert it").click()
    expect(box(tab, "zh", "Other")).to_have_value("批次大小是 42。")
    box(tab, "zh", "Other").press("Alt+m")
    expect(panel).to_have_count(0)


def test_doubts_are_gone_to_and_dismissed_by_key(window, served):
    record_doubts(served.root)
    tab = window(served)
    doubted = [cell(tab, language, name).locator(".doubts li") for language, name in (("ja", "Page"), ("zh", "Second"))]
    for item in doubted:
        expect(item).to_contain_text("unit: doubted")
    tab.keyboard.press("Alt+j")
    expect(box(tab, "ja", "Page")).to_be_focused()
    after = box(tab, "ja", "Page").evaluate("field => field.value.slice(field.selectionStart)")
    assert after == "バッチサイズは42です。"
    tab.keyboard.press("Alt+j")
    expect(box(tab, "zh", "Second")).to_be_focused()
    type_at_end(box(tab, "zh", "Second"), "了")  # a text that is not as it was is not doubted
    expect(doubted[1]).to_be_hidden()
    tab.keyboard.press("Backspace")
    expect(doubted[1]).to_be_visible()
    tab.keyboard.press("Alt+l")
    tab.keyboard.type("the author says ")
    with tab.expect_response("**/api/page/page"):
        tab.evaluate("window.dispatchEvent(new Event('focus'))")
    tab.wait_for_timeout(200)  # what is on disk is shown by then, and what is typed as a reason is kept
    tab.keyboard.type("so")
    tab.keyboard.press("Enter")
    expect(tab.locator("#said")).to_have_text("Dismissed.")
    expect(doubted[1]).to_have_count(0)
    expect(box(tab, "zh", "Second")).to_be_focused()
    assert "unit dismissed by Ada: the author says so\n" in served.text("translations/review/zh/page.txt")
    assert "doubted by hexapla" in served.text("translations/review/ja/page.txt")
    tab.keyboard.press("Alt+j")
    expect(box(tab, "ja", "Page")).to_be_focused()


def test_a_reason_that_is_typed_stays_while_other_doubts_go_and_the_text_is_edited(window, served):
    record_doubts(served.root)
    texts = "The end.", "结束。"
    write_verdicts(served.root, "zh", {"page": {
        doubt_key(kind, texts): Verdict(DOUBTED, RULES, "doubted") for kind in ("name", "number")}})
    tab = window(served)
    doubted = cell(tab, "zh", "Second").locator(".doubts li")
    expect(doubted).to_have_count(3)
    doubted.nth(1).locator("input").fill("the table says so")
    type_at_end(box(tab, "zh", "Second"), "了")
    expect(doubted.nth(1)).to_be_hidden()
    tab.keyboard.press("Backspace")
    expect(doubted.nth(1)).to_be_visible()
    doubted.nth(0).locator("input").fill("none")
    doubted.nth(0).locator("input").press("Enter")
    expect(doubted).to_have_count(2)
    expect(doubted.nth(0)).to_contain_text("number: doubted")
    expect(doubted.nth(0).locator("input")).to_have_value("the table says so")
