"""Drafts by a model behind an address: a real server on loopback, well, slow, wrong, overloaded and hostile."""

import json
import subprocess
import threading
import time

import pytest
from hexapla import cli
from hexapla.drafts.endpoint import Endpoint, waiting_time
from hexapla.drafts.placeholders import UntrustedAnswer
from hexapla.drafts.requests import DraftMessage, SectionRequest
from hexapla.errors import ConfigError
from hexapla.translation.sections.segments import find_units

from tests.drafts.server import completion, failing, material, saying, serving, translating
from tests.drafts.test_drafting import PAGES
from tests.site.project import write

WORDS = {"First": "第一", "Second": "第二", "Set [[0]] to 2.": "把 [[0]] 设为 2。", "Done.": "完成。"}
DRAFTED = ("# 页面 {#page}\n\n一。\n\n## 第一 {#first}\n\n把 `x` 设为 2。\n\n```python\nx = 2\n```\n\n"
           "## 第二 {#second}\n\n完成。\n")


@pytest.fixture
def root(tmp_path):
    """A tree that lacks two sections in Chinese."""
    return write(tmp_path, PAGES)


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    """No key of whoever runs the tests is sent anywhere."""
    monkeypatch.delenv("HEXAPLA_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of another host")


def request(text="Set `x` to 2.\n"):
    """A request of one message."""
    return SectionRequest("page", "first", "First", "zh", tuple(map(DraftMessage, find_units(text))))


def asked_of(server, waits=None, **options):
    """What a model behind a server answers; `waits` collects the seconds that would be waited."""
    sleep = (lambda seconds: None) if waits is None else waits.append
    endpoint = Endpoint(server.address, "m", "en", "zh", environment={}, sleep=sleep, **options)
    return endpoint, endpoint.translate_section(request(), None)


def draft(root, server, capsys, *more):
    """Run the command; its exit status, what it said, and the page then."""
    status = cli.main(["draft", "--root", str(root), "--language", "zh", "--endpoint", server.address,
                       "--model", "m", *more])
    said = capsys.readouterr()
    return status, said.out + said.err, (root / "docs/zh/page.md").read_text(encoding="utf-8")


def test_missing_sections_are_drafted_and_the_cost_is_told(root, capsys):
    with serving(translating(WORDS)) as server:
        status, said, page = draft(root, server, capsys, "--write")
    assert (status, page) == (0, DRAFTED)
    assert "docs/zh/page.md: 2 of 2 sections drafted" in said
    assert said.endswith("2 requests: 200 tokens sent, 20 received\n")
    assert (root / "translations/zh/page.txt").read_text().count(" draft\n") == 2
    assert {path for path, _, _ in server.asked} == {"/v1/chat/completions"}


def test_the_model_is_told_what_it_needs_and_nothing_else_is_sent(root, capsys, monkeypatch):
    monkeypatch.setenv("HEXAPLA_API_KEY", "secret")
    write(root, {"translations/instructions/zh.md": "Write 把 gladly.\n", "docs/glossary.yml": (
        "- term: done\n  treatment: translate\n  zh: 完成\n")})
    with serving(translating(WORDS)) as server:
        draft(root, server, capsys, "--write")
    by_section = {material(asked)["section"]: (headers, asked) for _, headers, asked in server.asked}
    headers, asked = by_section["First"]
    assert headers["Authorization"] == "Bearer secret"
    assert asked["model"] == "m"
    assert "from en to zh" in asked["messages"][0]["content"] and "Write 把 gladly." in asked["messages"][0]["content"]
    found = material(asked)
    assert found["messages"] == {
        "1": {"kind": "heading", "source": "First"},
        "2": {"kind": "paragraph", "source": "Set [[0]] to 2.", "placeholders": {"[[0]]": "`x`"}},
    }
    assert found["around"] == [{"source": "# Page {#page}\n\nOne.\n\n", "translation": "# 页面 {#page}\n\n一。\n"},
                               {"source": "## Second {#second}\n\nDone.\n", "translation": ""}]


def test_what_people_translated_before_goes_along_as_an_example(root, capsys):
    write(root, {
        "docs/en/other.md": "# Other {#other}\n\nSet [`x`](one.md) to 7.\n\n## Raw {#raw}\n\nSet `x` to 9.\n",
        "docs/zh/other.md": "# 其他 {#other}\n\n把 [`x`](one.md) 设为 7。\n\n## 原样 {#raw}\n\n把 `x` 设为 9。\n",
        "docs/en/page.md": PAGES["docs/en/page.md"].replace("Set `x`", "Set [`x`](two.md)"),
    })
    assert cli.main(["sync", "other#other", "--root", str(root), "--language", "zh", "--write"]) == 0
    with serving(translating(WORDS)) as server:
        draft(root, server, capsys, "--write")
    found, *_ = [material(asked) for _, _, asked in server.asked if material(asked)["section"] == "First"]
    assert found["messages"]["2"] == {  # what nobody has read against its source, as the section Raw, is no example
        "kind": "paragraph", "source": "Set [[[0]][[1]] to 2.", "placeholders": {"[[0]]": "`x`", "[[1]]": "](two.md)"},
        "similar": [{"source": "Set [[[0]][[1]] to 7.", "translation": "把 [[[0]][[1]] 设为 7。"}],
    }


def test_what_was_drafted_before_an_interruption_is_not_asked_for_again(root, capsys):
    well = translating(WORDS)

    def interrupted(handler, asked):
        well(handler, asked) if material(asked)["section"] == "First" else failing(401)(handler, asked)

    with serving(interrupted) as server:
        status, said, page = draft(root, server, capsys, "--jobs", "1", "--write")
        assert status == 2 and "401 Unauthorized: no; set HEXAPLA_API_KEY to a key that it knows" in said
        assert "## 第一 {#first}" in page and "{#second}" not in page
        server.replies[:], server.asked[:] = [well], []
        status, said, page = draft(root, server, capsys, "--write")
    assert (status, page, len(server.asked)) == (0, DRAFTED, 1)


def test_what_the_judge_finds_goes_back_to_the_model_once(root, capsys):
    well, asked_again = translating(WORDS), []

    def corrected(handler, asked):
        if len(asked["messages"]) > 2:
            asked_again.append(asked["messages"][2:])
            return well(handler, asked)
        return translating(WORDS | {"Set [[0]] to 2.": "把 [[0]] 设为 3。"})(handler, asked)

    with serving(corrected) as server:
        _, _, page = draft(root, server, capsys, "--write")
    assert page == DRAFTED
    [(answer, faults)] = asked_again
    assert answer["role"] == "assistant" and "设为 3" in answer["content"]
    assert faults["role"] == "user" and "number-differs" in faults["content"]


def test_an_answer_in_another_language_goes_back_once_and_is_refused_then(root, capsys):
    japanese = {"Done.": "これで作業はすべて完了しました。"}
    with serving(translating(WORDS | japanese)) as server:
        status, said, page = draft(root, server, capsys, "--write")
    assert status == 1 and "language-wrong" in said and "{#second}" not in page
    assert len(server.asked) == 3


@pytest.mark.parametrize(("words", "reason"), [
    ({"Set [[0]] to 2.": "设为 2。"}, "docs/en/page.md:7: the model lost or doubled code"),
    ({"Set [[0]] to 2.": "[[0]] <script>alert(1)</script>"}, "the model gave back markup, '<'"),
])
def test_what_fails_twice_stays_out_with_the_reason_and_the_others_stay_in(root, capsys, words, reason):
    with serving(translating(WORDS | words)) as server:
        status, said, page = draft(root, server, capsys, "--write")
    assert status == 1 and reason in said
    assert "{#first}" not in page and "## 第二 {#second}\n\n完成。" in page
    assert len(server.asked) == 3


def test_a_section_that_is_behind_keeps_what_need_not_change(root, capsys):
    source = ("# Page {#page}\n\nOne.\n\n## First {#first}\n\nThe sky is blue.\n\nSet `x` to 2.\n\n"
              "- A point.\n- Another one.\n")
    write(root, {"docs/en/page.md": source, "docs/zh/page.md": (
        "# 页面 {#page}\n\n一。\n\n## 第一 {#first}\n\n天很蓝。\n\n将 `x` 设成 2。\n\n- 一点。\n- 又一点。\n")})
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *command], cwd=root, check=True)
    assert cli.main(["sync", "page", "--root", str(root), "--reviewed", "--write"]) == 0
    (root / "docs/en/page.md").write_text(source.replace("Set `x` to 2.", "Set `x` and `y` to 2."))
    with serving(translating({"Set [[0]] and [[1]] to 2.": "将 [[0]] 和 [[1]] 设成 2。"})) as server:
        status, said, page = draft(root, server, capsys, "--write")
    assert status == 0, said
    assert page.endswith("天很蓝。\n\n将 `x` 和 `y` 设成 2。\n\n- 一点。\n- 又一点。\n")
    [(_, _, asked)] = server.asked
    assert material(asked)["messages"] == {"1": {
        "kind": "paragraph", "source": "Set [[0]] and [[1]] to 2.", "placeholders": {"[[0]]": "`x`", "[[1]]": "`y`"},
        "source_before": "Set [[0]] to 2.", "translation_before": "将 [[0]] 设成 2。",
    }}


def test_a_draft_hides_nothing_of_what_git_says_of_other_sections(root, capsys):
    write(root, {
        "docs/zh/page.md": DRAFTED.partition("## 第二")[0],
        "docs/en/other.md": "# Other {#other}\n\nSome words.\n", "docs/zh/other.md": "# 其他 {#other}\n\n几个字。\n",
    })
    names = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*names, *command], cwd=root, check=True)
    for page, old, new in (("page", "One.", "Uno."), ("other", "Some words", "More words")):
        file = root / f"docs/en/{page}.md"
        file.write_text(file.read_text().replace(old, new))
    subprocess.run([*names, "commit", "-qam", "edit"], cwd=root, check=True)
    with serving(translating(WORDS | {"Uno.": "[[9]]"})) as server:
        status, said, _ = draft(root, server, capsys, "page", "--write")
    assert status == 1 and "1 of 2 sections drafted" in said
    subprocess.run([*names, "commit", "-qam", "drafts"], cwd=root, check=True)
    cli.main(["status", "--root", str(root)])
    told = capsys.readouterr().out
    assert "page: behind, 1 word changed\n" in told and "other: behind, 1 word changed (as git has it" in told
    assert "first: " not in told  # it was current by git, and is recorded as that


def test_no_more_requests_are_under_way_than_asked_for(root, capsys):
    sections = "".join(f"\n## Part {{#s{number}}}\n\nDone.\n" for number in range(12))
    both = threading.Barrier(3)

    def together(handler, asked):
        both.wait(timeout=30)  # passes only where three are under way
        translating(WORDS)(handler, asked)

    write(root, {"docs/en/page.md": "# Page {#page}\n" + sections})
    with serving(together) as server:
        status, said, _ = draft(root, server, capsys, "--jobs", "3", "--write")
    assert status == 0, said
    assert (server.most, len(server.asked)) == (3, 12)


@pytest.mark.parametrize("failure", [failing(429), failing(500), failing(503, "loading the model"), failing(529)])
def test_what_may_pass_is_asked_again_after_a_longer_and_longer_wait(failure):
    waits = []
    with serving(failure, failure, failure, saying('{"1": "把 [[0]]"}')) as server:
        _, answer = asked_of(server, waits)
    assert answer.translations == ("把 [[0]]",)
    assert waits == [1, 2, 4]


def test_a_server_is_waited_for_as_long_as_it_asks_and_not_for_ever():
    waits = []
    with serving(failing(429, Retry_After="7"), saying('{"1": "好"}')) as server:
        asked_of(server, waits)
    assert waits == [7]
    with (serving(failing(429, "quota", Retry_After="86400")) as server,
          pytest.raises(ConfigError, match="asks to wait for 86400 seconds")):
        asked_of(server)
    assert waiting_time("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert waiting_time("soon") == 0
    assert waiting_time("Wed, 21 Oct 2199 07:28:00 GMT") > 1e9


def test_a_server_that_always_fails_is_left_alone_after_three_sections():
    with serving(failing(500, "out of memory")) as server:
        endpoint = Endpoint(server.address, "m", "en", "zh", environment={}, sleep=lambda seconds: None)
        for _ in range(2):
            with pytest.raises(UntrustedAnswer, match="failed 5 times: 500 Internal Server Error: out of memory"):
                endpoint.translate_section(request(), None)
        with pytest.raises(ConfigError, match="failed 5 times for each of 3 sections"):
            endpoint.translate_section(request(), None)
    assert len(server.asked) == 15


@pytest.mark.parametrize("body", [
    b"<html>Sign in</html>", b"{", b"[]", b'{"choices": []}', b'{"choices": [{"message": null}]}', b"\xff\xfe", b"",
])
def test_an_answer_that_is_none_of_the_api_is_asked_for_again_and_told(body):
    with (serving(lambda handler, asked: handler.send(200, body)) as server,
          pytest.raises(UntrustedAnswer, match="the answer is none of chat completions")):
        asked_of(server)
    assert len(server.asked) == 5


@pytest.mark.parametrize("content", [
    "好", "[1]", "{}", '{"1": 5}', '{"2": "好"}', '{"1": "好", "2": "坏"}', "{'1': x}", '{"1": "好", "1": "坏"}',
])
def test_a_model_that_answers_otherwise_than_asked_is_not_believed(content):
    with serving(saying(content)) as server, pytest.raises(UntrustedAnswer, match="JSON object") as caught:
        asked_of(server)
    assert caught.value.text == content  # it goes back to the model


@pytest.mark.parametrize("content", [
    '```json\n{"1": "好"}\n```', '<think>{"1"} is what is asked</think>\n{"1": "好"}', 'Here it is: {"1": "好"}',
])
def test_an_object_is_found_in_what_models_write_around_it(content):
    with serving(saying(content)) as server:
        assert asked_of(server)[1].translations == ("好",)


def test_an_answer_that_was_cut_off_is_not_believed_but_counted():
    with serving(saying('{"1": "好', finish="length")) as server, pytest.raises(UntrustedAnswer, match="cut off"):
        asked_of(server)


def test_a_body_that_breaks_off_is_asked_for_again():
    whole = completion('{"1": "好"}')
    with serving(lambda handler, asked: handler.send(200, whole[:-9], length=len(whole)),
                 saying('{"1": "好"}')) as server:
        assert asked_of(server)[1].translations == ("好",)
    assert len(server.asked) == 2


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": -5, "completion_tokens": 1}, {"prompt_tokens": "7"}])
def test_tokens_that_a_server_does_not_tell_are_estimated(usage):
    with serving(saying('{"1": "好"}', usage=usage)) as server:
        endpoint, _ = asked_of(server)
    assert str(endpoint.spending.usage) == (
        f"1 request: {endpoint.estimate_tokens(request(), None).sent} tokens sent, "
        f"{endpoint.estimate_tokens(request(), None).received} received; estimated for 1 of them")


def silent(handler, asked):
    """Say nothing for longer than anybody waits."""
    handler.server.released.wait(timeout=30)


def dripping(handler, asked):
    """Send a byte now and then, each in time, the whole never."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.released.wait(timeout=0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def dripping_headers(handler, asked):
    """Send a byte of a header now and then, each in time, the last never."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not handler.server.released.wait(timeout=0.02):
        handler.wfile.write(b"x")
        handler.wfile.flush()


@pytest.mark.parametrize("reply", [silent, dripping, dripping_headers])
def test_a_server_that_takes_too_long_is_given_up(reply):
    with serving(reply) as server:
        server.released = threading.Event()
        before = time.monotonic()
        try:
            with pytest.raises(UntrustedAnswer, match=r"no whole answer within 0\.2 seconds"):
                asked_of(server, timeout=0.2)
        finally:
            server.released.set()
    assert time.monotonic() - before < 30
    assert len(server.asked) == 5


def test_a_redirect_is_not_followed_with_the_key():
    with serving(saying("{}")) as other, serving(failing(302, Location=f"{other.address}/x")) as server:
        endpoint = Endpoint(server.address, "m", "en", "zh", environment={"HEXAPLA_API_KEY": "secret"})
        with pytest.raises(ConfigError, match=f"it redirects to {other.address}/x: name that address"):
            endpoint.translate_section(request(), None)
    assert not other.asked


def test_a_key_in_the_words_of_a_server_is_not_printed():
    with serving(failing(401, "Incorrect API key: secret-1\033[2J")) as server:
        endpoint = Endpoint(server.address, "m", "en", "zh", environment={"HEXAPLA_API_KEY": "secret-1"})
        with pytest.raises(ConfigError) as caught:
            endpoint.translate_section(request(), None)
    assert "secret-1" not in str(caught.value) and "\033" not in str(caught.value)


def test_nobody_there_is_said():
    with serving(saying("{}")) as server:
        address = server.address
    endpoint = Endpoint(address, "m", "en", "zh", environment={}, sleep=lambda seconds: None)
    with pytest.raises(ConfigError, match=r"no connection: .*; start the server or correct the address"):
        endpoint.translate_section(request(), None)
    assert endpoint.spending.usage.requests == 0


@pytest.mark.parametrize(("address", "environment", "why"), [
    ("localhost:11434", {}, "is no address of an API"),
    ("ftp://localhost/v1", {}, "is no address of an API"),
    ("http://key@host/v1", {}, "is no address of an API"),
    ("http://host:port/v1", {}, "is no address of an API"),
    ("file:///etc/passwd", {}, "is no address of an API"),
    ("http://api.example.org/v1", {"HEXAPLA_API_KEY": "secret"}, "HEXAPLA_API_KEY would be sent unencrypted"),
])
def test_an_address_that_cannot_be_used_is_refused_before_anything_is_sent(address, environment, why):
    with pytest.raises(ConfigError, match=why):
        Endpoint(address, "m", "en", "zh", environment=environment)


def test_a_key_of_another_program_is_not_sent(root, capsys):
    with serving(translating(WORDS)) as server:
        draft(root, server, capsys, "--write")
    assert all("Authorization" not in headers for _, headers, _ in server.asked)


def test_what_a_model_answers_is_never_an_order_to_the_page(root, capsys):
    hostile = json.dumps({"1": "题", "2": "[[0]]\n\n# 新 {#x}\n\n2"})
    with serving(saying(hostile)) as server:
        status, said, page = draft(root, server, capsys, "--write")
    assert status == 1 and "several lines" in said
    assert "# 新" not in page
