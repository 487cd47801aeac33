"""What the editor answers, over HTTP as its page asks."""

import asyncio
import json
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from hexapla.config import discovery
from hexapla.editor import access
from hexapla.editor.access import EditorSession, session_key
from hexapla.editor.app import make_application
from hexapla.editor.view_model import sentence_place
from hexapla.translation.translation_tree import read_tree

from tests.editor.conftest import PAGES, record_doubts, serving
from tests.hang_limit import HANG
from tests.site.project import git, write

TRANSLATED = "## 第一 {#first}\n\n见[另一页](folder/other.md)和 `run`，读完。"


def test_the_overview_says_what_is_to_do(unwritten):
    _, found = unwritten.ask("api/overview")
    assert found["pages"] == {
        "page": {"zh": 3, "ja": 3}, "folder/other": {"zh": 1, "ja": 1},
        "site-texts/glossary": {"zh": 0, "ja": 0},
    }


def test_the_contents_are_in_the_order_of_the_navigation(unwritten):
    _, found = unwritten.ask("api/contents")
    assert found["pages"] == ["page", "folder/other", "site-texts/glossary"]
    assert (found["source"], found["languages"]) == ("en", ["zh", "ja"])
    assert found["terms"] == [{"term": "batch size", "renderings": {"zh": "批次大小", "ja": "バッチサイズ"}}]


def test_sections_stand_side_by_side_by_their_ids(unwritten):
    _, found = unwritten.ask("api/page/page")
    assert found["pages"] == {"page": {"zh": 3, "ja": 3}}
    assert [cell["language"] for cell in found["rows"][0]["cells"]] == ["en", "zh", "ja"]
    assert [row["id"] for row in found["rows"]] == ["page", "first", "second"]
    assert [cell["text"][:5] for cell in found["rows"][2]["cells"]] == ["## Se", "## 第二", "## 二番"]
    assert found["rows"][1]["keep"] == ["`run`", "folder/other.md"]
    missing = found["rows"][1]["cells"][2]
    assert (missing["language"], missing["text"], missing["state"], missing["words"]) == ("ja", "", "missing", 6)


def test_what_is_typed_is_looked_at_and_not_written(unwritten):
    before = unwritten.text("docs/zh/page.md")
    text = "# 页面 {#page}\n\n批次大小是 24。"
    _, found = unwritten.ask("api/check", {"page": "page", "language": "zh", "section": "page", "text": text})
    assert [(each["rule"], each["line"]) for each in found["findings"]] == [("number-differs", 3)]
    assert unwritten.text("docs/zh/page.md") == before


def test_a_key_does_not_wait_until_all_pages_are_counted(tmp_path):
    write(tmp_path, PAGES | {f"docs/en/more/page{number}.md": "# More {#more}\n" for number in range(400)})
    place = discovery.layout_of_options(tmp_path, "docs/{lang}/{page}.md")
    session = EditorSession(b"key", "127.0.0.1")
    editor = make_application(lambda: read_tree(place, str, str), ())(session)

    async def ask(path, body=None):
        said = []

        async def receive():
            return {"type": "http.request", "body": json.dumps(body).encode()}

        async def send(message):
            said.append(message)

        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", b"2")]
        await editor({"type": "http", "method": "POST" if body else "GET", "path": f"/{session.token}/{path}",
                    "headers": headers, "query_string": b""}, receive, send)
        return json.loads(b"".join(message.get("body", b"") for message in said))

    async def typing():
        counting = asyncio.create_task(ask("api/overview"))
        await asyncio.sleep(0)  # the count has begun
        typed = {"page": "page", "language": "zh", "section": "first", "text": "## 第一 {#first}\n\n见 `run`"}
        assert (await ask("api/check", typed))["findings"]
        assert not counting.done()
        assert len((await counting)["pages"]) == 402

    with ThreadPoolExecutor(1) as thread:  # the browser's tests leave an event loop running in this one
        thread.submit(asyncio.run, typing()).result()


def test_saving_writes_the_section_and_records_it(served):
    before = served.text("docs/zh/page.md")
    assert served.save("zh", "first", TRANSLATED)[0] == 200
    assert served.text("docs/zh/page.md") == before.replace("`run`。", "`run`，读完。")
    assert served.cell("zh", "first")["state"] == "current"
    assert served.cell("zh", "second")["state"] == "unrecorded"


def test_line_ends_stay(served):
    before = served.text("docs/ja/page.md")
    assert served.save("ja", "second", "## 二番目 {#second}\n\n終わり。")[0] == 200
    assert served.text("docs/ja/page.md") == before.replace("終わりです。", "終わり。")


def test_a_missing_section_goes_to_its_place(served):
    text = "## 最初 {#first}\n\n[別のページ](folder/other.md)と`run`を参照してください。"
    assert served.save("ja", "first", text)[0] == 200
    assert served.text("docs/ja/page.md").split("\r\n")[2:8] == [
        "バッチサイズは42です。", "", *text.split("\n"), "",
    ]
    assert served.cell("ja", "first")["state"] == "current"


def test_a_missing_page_is_made(served):
    assert served.save("zh", "other", "# 另一页 {#other}\n\n一些话。", page="folder/other")[0] == 200
    assert served.text("docs/zh/folder/other.md") == "# 另一页 {#other}\n\n一些话。\n"


def test_still_right_is_recorded_without_a_change(served):
    before = served.text("docs/zh/page.md")
    place = {"page": "page", "language": "zh", "section": "first", "meant": ""}
    assert served.ask("api/read", place)[0] == 200
    assert served.cell("zh", "first")["state"] == "current"
    assert served.text("docs/zh/page.md") == before


def test_a_section_that_changed_meanwhile_is_not_lost(served):
    opened = served.cell("zh", "first")["version"]
    assert served.save("zh", "first", TRANSLATED, opened)[0] == 200
    status, answer = served.save("zh", "first", TRANSLATED.replace("读完", "看完"), opened)
    assert (status, answer["text"]) == (409, TRANSLATED)
    assert TRANSLATED in served.text("docs/zh/page.md")


def test_a_page_that_is_no_text_is_not_written_over(served):
    (served.root / "docs/zh/page.md").write_bytes(b"# \xff {#page}\n")
    status, answer = served.save("zh", "first", TRANSLATED)
    assert status == 400
    assert answer["message"].startswith("docs/zh/page.md: this page is no UTF-8 text")
    assert (served.root / "docs/zh/page.md").read_bytes() == b"# \xff {#page}\n"


def test_two_sections_opened_together_are_both_saved(served):
    first, second = (served.cell("zh", name)["version"] for name in ("first", "second"))
    assert served.save("zh", "first", TRANSLATED, first)[0] == 200
    assert served.save("zh", "second", "## 第二 {#second}\n\n完。", second)[0] == 200
    assert "读完" in served.text("docs/zh/page.md") and "完。\n" in served.text("docs/zh/page.md")


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        (TRANSLATED.replace("folder/other.md", "folder/none.md"), "link-target-missing"),
        (TRANSLATED + '\n\n<script>alert("x")</script>', "html-unsafe"),
        (TRANSLATED + "\n\n[按](javascript:alert(1))", "html-unsafe"),
        (TRANSLATED + "\0", "character-hidden"),
        (TRANSLATED + "\u202e", "character-hidden"),
    ],
)
def test_what_would_break_the_page_is_not_written(unwritten, typed, rule):
    before = unwritten.text("docs/zh/page.md")
    status, answer = unwritten.save("zh", "first", typed)
    assert status == 422
    assert rule in {finding["rule"] for finding in answer["findings"]}
    assert unwritten.text("docs/zh/page.md") == before


@pytest.mark.parametrize(
    "typed",
    [
        TRANSLATED.replace("`run`", "运行"),
        TRANSLATED.replace("[另一页](folder/other.md)", "另一页"),
        TRANSLATED.replace("读完", "读 7 次"),
    ],
)
def test_what_is_not_as_in_the_source_is_saved_when_it_is_meant(served, typed):
    before = served.text("docs/zh/page.md")
    status, answer = served.save("zh", "first", typed)
    assert (status, answer["doubtful"]) == (422, True)
    assert served.text("docs/zh/page.md") == before
    assert served.save("zh", "first", typed, meant="yes")[0] == 200
    assert typed in served.text("docs/zh/page.md")
    assert served.cell("zh", "first")["state"] == "needs-review"
    assert served.save("zh", "first", typed)[0] == 200  # what waits for review is not asked about again
    assert served.ask("api/read", {"page": "page", "language": "zh", "section": "first", "meant": ""})[0] == 200
    assert served.cell("zh", "first")["state"] == "current"
    assert served.save("zh", "first", typed.replace("读", "再读"), meant="yes")[0] == 200
    assert served.cell("zh", "first")["state"] == "needs-review"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"page": "../../etc/passwd"}, "there is no page '../../etc/passwd'"),
        ({"page": "../zh/page"}, "there is no page '../zh/page'"),
        ({"language": "en"}, "'en' is no language that is translated here"),
        ({"language": "../.."}, "'../..' is no language that is translated here"),
        ({"section": "none"}, "the page page has no section 'none'"),
    ],
)
def test_names_that_the_tree_does_not_have_are_refused(unwritten, change, message):
    place = {"page": "page", "language": "zh", "section": "first", "text": "x", "version": "", "meant": ""} | change
    assert unwritten.ask("api/save", place) == (404, {"message": message})


@pytest.mark.parametrize("body", [[], {}, {"page": 1}, "x"])
def test_what_is_no_question_is_refused(unwritten, body):
    assert unwritten.ask("api/check", body)[0] == 400


def test_a_folder_that_leads_out_of_the_tree_is_not_written_to(served, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (served.root / "docs/zh/folder").symlink_to(outside, target_is_directory=True)
    status, answer = served.save("zh", "other", "# 另一页 {#other}", page="folder/other")
    assert (status, answer["message"]) == (400, f"'docs/zh/folder/other.md' leads out of {served.root.name}/")
    assert not list(outside.iterdir())


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {"Host": "editor.example"}, 403),
        ("", {"Origin": "http://127.0.0.1:1"}, 403),
        ("", {"Origin": "null"}, 403),
        ("", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("", {"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_other_sites_are_not_answered(unwritten, path, headers, status):
    assert unwritten.ask(path + "api/overview", **headers)[0] == status


def test_without_the_token_nothing_is_answered(unwritten):
    parts = urlsplit(unwritten.url)
    stranger = type(unwritten)(unwritten.root, f"{parts.scheme}://{parts.netloc}/")
    assert stranger.ask("api/overview")[0] == 404
    assert stranger.ask("static/editor.js")[0] == 404


def test_a_program_started_again_has_another_address_and_proves_that_it_is_the_same(tmp_path):
    write(tmp_path, PAGES)
    with serving(tmp_path) as earlier:
        shared = bytes.fromhex(earlier.ask("api/contents")[1]["key"])
    with serving(tmp_path) as later:
        host = urlsplit(later.url).netloc
        assert later.url != earlier.url and host == urlsplit(earlier.url).netloc
        stranger = type(later)(tmp_path, f"http://{host}/")
        challenge = "0123456789abcdef" * 4
        status, said = stranger.ask(f"session?{challenge}")
        session = EditorSession(shared, host, said["nonce"])
        assert (status, said) == (200, session.proof(challenge))
        assert later.url == f"http://{host}/{session.token}/"
        for asked, headers in ((f"session?{challenge}", {"Origin": "http://evil.example"}), ("session?short", {})):
            assert stranger.ask(asked, **headers)[0] in {403, 404}
    other = EditorSession(b"x" * 32, host, said["nonce"])
    assert other.proof(challenge) != said
    assert EditorSession(shared, "127.0.0.1:1", said["nonce"]).proof(challenge) != said


def test_a_key_is_of_a_project_an_installation_and_a_week(tmp_path, monkeypatch):
    key = session_key(tmp_path)
    assert len(key) == 32 and session_key(tmp_path / ".") == key
    assert not list(tmp_path.iterdir())
    assert session_key(tmp_path / "other") != key
    later = time.time() + 8 * 24 * 3600
    monkeypatch.setattr(access.time, "time", lambda: later)
    assert session_key(tmp_path) != key
    monkeypatch.undo()
    monkeypatch.setattr(access, "installation_key", lambda: b"x" * 32)
    assert session_key(tmp_path) != key


def test_a_form_of_another_site_cannot_post(unwritten):
    assert unwritten.ask("api/save", {"page": "page"}, **{"Content-Type": "text/plain"})[0] == 415


def test_a_taken_port_is_said(unwritten):
    port = str(urlsplit(unwritten.url).port)
    command = [sys.executable, "-m", "hexapla", "translate", "--root", str(unwritten.root), "--port", port]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)
    assert ended.returncode == 2
    assert ended.stderr == f"hexapla: --port {port}: Address already in use; choose another\n"


def test_ctrl_c_ends_it_without_a_complaint(unwritten):
    command = [sys.executable, "-m", "hexapla", "translate", "--root", str(unwritten.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().split()[4]
        with urllib.request.urlopen(address) as answer:  # it listens before it can be asked to end
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=HANG)
    assert (process.returncode, complaint) == (0, "")


def test_the_memory_has_a_section_that_the_source_has_elsewhere(served):
    english = (served.root / "docs/en/page.md").read_text()
    served.ask("api/read", {"page": "page", "language": "zh", "section": "second", "meant": "yes"})
    write(served.root, {
        "docs/en/page.md": english.partition("## Second")[0],
        "docs/en/folder/other.md": "# Other {#other}\n\nWords.\n\n## Second {#end}\n\nThe end.\n",
    })
    _, found = served.ask("api/page/folder/other")
    assert [(cell["state"], cell["note"]) for cell in found["rows"][1]["cells"] if cell["language"] == "zh"] == [
        ("moved", "from docs/zh/page.md#second"),
    ]
    place = {"page": "folder/other", "language": "zh", "section": "end"}
    status, found = served.ask("api/memory", place)
    assert (status, found["text"], found["left"]) == (200, "## 第二 {#end}\n\n结束。", 0)
    assert found["places"] == ["docs/zh/page.md#second"]
    assert served.ask("api/memory", place | {"section": "none"})[0] == 404


def test_the_texts_beside_the_pages_are_pages_too(tmp_path):
    shown = PAGES["docs/en/page.md"] + '\n```python\n--8<-- "demo/add.py"\n```\n'
    write(tmp_path, PAGES | {"snippets/demo/add.py": "# Add.\n", "docs/en/page.md": shown,
                             "snippets/comments.yml": "Add.:\n  zh: 相加。\n"})
    with serving(tmp_path) as editor:
        names = editor.ask("api/contents")[1]["pages"]
        assert names[2:] == ["site-texts/comments", "site-texts/glossary"]
        assert editor.ask("api/overview")[1]["pages"]["site-texts/comments"] == {"zh": 0, "ja": 1}
        cell = editor.cell("ja", "Add.", "site-texts/comments")
        assert (cell["text"], cell["state"]) == ("", "missing")
        assert editor.save("ja", "Add.", "足す。\nもう", page="site-texts/comments")[0] == 422
        assert editor.save("ja", "Add.", "足す。", page="site-texts/comments")[0] == 200
        assert editor.text("snippets/comments.yml") == "Add.:\n  zh: 相加。\n  ja: 足す。\n"
        assert editor.save("ja", "Add.", "足す", version=cell["version"], page="site-texts/comments")[0] == 409
        (tmp_path / "snippets/demo/add.py").write_text("# Added.\n")
        place = {"page": "site-texts/comments", "language": "ja", "section": "Added."}
        assert editor.cell("ja", "Added.", "site-texts/comments")["state"] == "behind"
        assert editor.ask("api/changed", place)[1]["runs"] == [["gone", "Add."], ["new", "Added."]]
        assert editor.ask("api/read", place | {"meant": ""})[0] == 200
        assert editor.text("snippets/comments.yml") == "Add.:\n  zh: 相加。\nAdded.: {ja: 足す。}\n"
        assert editor.ask("api/read", place | {"section": "None.", "meant": ""})[0] == 404


def test_a_doubt_stands_at_its_section_until_it_is_dismissed_or_its_text_changes(served):
    doubts = record_doubts(served.root)
    shown = served.cell("ja", "page")["doubts"]
    assert [(each["id"], each["kind"], each["line"], each["message"]) for each in shown] == [
        (doubts["page"], "unit", 3, "doubted")]
    assert not served.cell("ja", "second")["doubts"] and served.cell("zh", "second")["doubts"]
    dismissal = {"page": "page", "language": "ja", "section": "page", "doubt": doubts["page"]}
    records = [file for file in (served.root / "translations").rglob("*") if file.is_file()]
    before = {file: file.read_bytes() for file in records}
    for wrong, status in (({"reason": " \u200b"}, 400), ({"reason": "so", "doubt": doubts["second"]}, 404),
                          ({"reason": "so", "page": "../page"}, 404), ({"reason": "so", "language": "review"}, 404)):
        code, said = served.ask("api/dismiss", dismissal | wrong)
        assert (code, bool(said["message"])) == (status, True)
    assert {file: file.read_bytes() for file in records} == before
    assert served.ask("api/dismiss", dismissal | {"reason": "as in the\nsource"})[0] == 200
    assert not served.cell("ja", "page")["doubts"]
    assert "unit dismissed by Ada: as in the source\n" in served.text("translations/review/ja/page.txt")
    assert served.ask("api/dismiss", dismissal | {"reason": "so"})[0] == 404  # it is none already
    assert served.save("zh", "second", "## 第二 {#second}\n\n到此结束。")[0] == 200
    assert not served.cell("zh", "second")["doubts"]


@pytest.mark.parametrize(("message", "place"), [
    ("'終わり。次の別のページ。' seems to have no source", (4, 6)), ("'43' stands where the source has '42'", (3, 8)),
    ("'長い文は、その始まりでわ…' is said twice", (5, 5)), ('"a \'b\'": turned', (5, 22)),
    ("'None here' and '43'", (3, 8)), ("'42' stands elsewhere", (3, 1)),
    ("'None here' seems to be missing", (3, 1)), ("'…' and '***'", (3, 1)),
])
def test_a_doubt_is_gone_to_at_the_words_that_it_quotes(message, place):
    text = ("# 見出し\n\n一文。142と43。\nこれで**終わり**。次の[別の](a_b.md)\n"
            "ページ。長い文は、その始まりでわかります。a 'b'\n\n42。\n")
    assert tuple(sentence_place(text, 3, message).values()) == place


def test_a_doubt_is_dismissed_by_somebody(served):
    doubts = record_doubts(served.root)
    git(served.root, "config", "user.name", "")
    status, said = served.ask("api/dismiss", {
        "page": "page", "language": "ja", "section": "page", "doubt": doubts["page"], "reason": "so"})
    assert (status, "set git's user.name" in said["message"]) == (400, True)
