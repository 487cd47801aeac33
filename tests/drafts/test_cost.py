"""What drafting costs: nothing without --write, and no more than was allowed; the next command runs as printed."""

import argparse
import json
import shlex

import pytest
from hexapla import cli
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.owners import unread_limit
from hexapla.drafts import draft_run
from hexapla.drafts.draft_run import drafting_of
from hexapla.drafts.endpoint import Endpoint
from hexapla.drafts.token_counts import Spending, Tokens, text_tokens, translation_tokens
from hexapla.errors import ConfigError
from hexapla.translation.records.draft_inputs import DraftMaterial
from hexapla.translation.sections.section_problems import Judgement, Note
from hypothesis import given
from hypothesis import strategies as st

from tests.drafts.server import completion, failing, material, saying, serving, translating
from tests.drafts.test_drafting import PAGES
from tests.drafts.test_endpoint import DRAFTED, WORDS, draft, no_key, request, root  # noqa: F401
from tests.site.project import write

PARTS = 6
MANY = "# Page {#page}\n" + "".join(f"\n## Part {n} {{#s{n}}}\n\nDone.\n" for n in range(PARTS))
FULL = ("zh: 4 unread drafts, and `drafts.unread` allows no more until some are read; `hexapla sync zh --reviewed` "
        "lists them\n")
ANSWERS = {"Done.": "完成。"} | {f"Part {n}": f"第 {n} 部分" for n in range(PARTS)}


def printed_command(said):
    """The command that a report ends with."""
    [line] = [line for line in said.splitlines() if line.startswith("  hexapla draft ")]
    return shlex.split(line)[1:]


@pytest.mark.parametrize("more", [[], ["--jobs", "2"], ["page"], ["--limit", "1"], ["--budget", "100000"]])
def test_nothing_is_sent_written_or_counted_without_write(root, capsys, more):  # noqa: F811
    with serving(translating(WORDS)) as server:
        status, said, page = draft(root, server, capsys, *more)
        assert (status, page, server.asked) == (1, PAGES["docs/zh/page.md"], [])
        assert not (root / "translations").exists()
        sections = 1 if "--limit" in more else 2
        assert f"zh: {sections} section" in said and f"{sections} request" in said
        assert cli.main(printed_command(said)) == (1 if "--limit" in more else 0)
        assert len(server.asked) == sections


def test_a_model_on_disk_is_not_loaded_for_an_estimate(root, capsys, monkeypatch):  # noqa: F811
    monkeypatch.setattr("hexapla.drafts.local_model.load_model", lambda *_: pytest.fail("it was loaded"))
    (root / "model").mkdir()
    (root / "model/config.json").write_text("{}")
    command = ["draft", "--root", str(root), "--language", "zh", "--model", str(root / "model")]
    assert cli.main(command) == 1
    said = capsys.readouterr().out
    assert "zh: 2 sections to draft on 1 page" in said and "corrected" not in said
    (root / "model/config.json").unlink()
    assert cli.main(command) == 2
    assert "holds no config.json" in capsys.readouterr().err


def test_what_people_translated_word_for_word_is_not_asked_for(root, capsys):  # noqa: F811
    write(root, {
        "docs/en/other.md": "# Other {#other}\n\nDone.\n\n## Second {#again}\n\nDone.\n",
        "docs/zh/other.md": "# 其他 {#other}\n\n完成。\n\n## 第二 {#again}\n\n完成。\n",
    })
    assert cli.main(["sync", "other", "--root", str(root), "--language", "zh", "--write"]) == 0
    capsys.readouterr()
    with serving(translating(WORDS)) as server:
        _, said, _ = draft(root, server, capsys, "page")
        assert "1 section in the translation memory, which need no request" in said
        assert "1 request" in said and "the translation memory saves about" in said
        status, _, page = draft(root, server, capsys, "page", "--write")
    assert (status, page, len(server.asked)) == (0, DRAFTED, 1)
    assert material(server.asked[0][2])["section"] == "First"


def test_a_limit_stops_after_so_many_sections_and_the_printed_command_goes_on(root, capsys):  # noqa: F811
    write(root, {"docs/en/page.md": MANY})
    with serving(translating(ANSWERS)) as server:
        _, said, _ = draft(root, server, capsys, "--limit", "4")
        assert "zh: 4 sections" in said and "the limit of 4 sections: 2 sections more for later" in said
        status, said, page = draft(root, server, capsys, "--limit", "4", "--write")
        assert (status, page.count("完成。"), len(server.asked)) == (1, 4, 4)
        assert "stopped by the limit of 4 sections; 2 sections left, go on with:" in said
        assert cli.main(printed_command(said)) == 0
    assert len(server.asked) == PARTS


def test_no_more_is_drafted_than_the_project_lets_wait_for_a_reader(root, capsys):  # noqa: F811
    settings = PAGES["mkdocs.yml"].replace("hexapla: {}", "hexapla: {drafts: {unread: 4}}")
    write(root, {"docs/en/page.md": MANY, "mkdocs.yml": settings})

    def said_by(command, *more):
        assert cli.main([command, *more, "--root", str(root)]) == 0
        return capsys.readouterr().out

    with serving(translating(ANSWERS)) as server:
        status, said, page = draft(root, server, capsys, "--limit", "3", "--write")
        assert (status, page.count("完成。"), "drafts.unread" in said) == (1, 3, False)
        status, said, page = draft(root, server, capsys, "--write")
        assert (status, page.count("完成。"), len(server.asked)) == (1, 4, 4)
        assert said.endswith(FULL)
        assert draft(root, server, capsys, "--write") == (1, FULL, page)
        assert f"translations/zh.txt:1: {FULL}" in said_by("status")
        assert said_by("next", "--language", "zh") == FULL
        assert json.loads(said_by("next", "--format", "json")) == {"schema": 1, "section": None, "unread": [FULL[:-1]]}
        write(root, {"docs/en/page.md": MANY.replace("Part 0", "Part 1")})
        assert json.loads(said_by("next", "--format", "json"))["section"]["section"] == "s0"  # a draft to be made again
        assert draft(root, server, capsys, "--stale", "--write")[0] == 0
        assert said_by("sync", "zh", "--reviewed").count("draft -> current") == 4
        said_by("sync", "zh", "--reviewed", "--write")
        assert "unread" not in said_by("status")
        status, said, page = draft(root, server, capsys, "--write")
    assert (status, page.count("完成。"), "unread" in said) == (0, PARTS, False)


@pytest.mark.parametrize("drafts", [40, "40", {"unread": 0}, {"unread": True}, {"unread": 4, "read": 4}, ["unread"]])
def test_a_limit_that_is_none_is_refused(drafts, tmp_path):
    write(tmp_path, {"mkdocs.yml": json.dumps({"plugins": [{"hexapla": {"drafts": drafts}}]})})
    with pytest.raises(ConfigError) as refused:
        unread_limit(tmp_path)
    assert str(refused.value) == f"mkdocs.yml: hexapla.drafts is {drafts!r}; write it as {{unread: 40}}"


def test_a_limit_may_stand_in_the_tree_s_own_settings(tmp_path):
    write(tmp_path, {"hexapla.toml": "[tool.hexapla]\ndrafts = {unread = 7}\n"})
    assert unread_limit(tmp_path) == 7


@pytest.mark.parametrize("usage", [
    {"prompt_tokens": 600, "completion_tokens": 100}, None, {"prompt_tokens": 0, "completion_tokens": 0},
], ids=str)
@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_budget_is_not_exceeded_by_what_was_expected(root, capsys, usage, jobs):  # noqa: F811
    write(root, {"docs/en/page.md": MANY})

    def answering(handler, asked):
        made = {number: ANSWERS[each["source"]] for number, each in material(asked)["messages"].items()}
        handler.send(200, completion(json.dumps(made), usage=usage))

    with serving(answering) as server:
        status, said, page = draft(root, server, capsys, "--budget", "2000", "--jobs", jobs, "--write")
        asked, written = len(server.asked), page.count("完成。")
    expected = PARTS if usage and not usage["prompt_tokens"] and jobs == "1" else asked
    assert asked == written == expected and asked > 0
    if asked < PARTS:
        assert status == 1
        assert "stopped by --budget 2000: the next request takes about " in said
        assert f"{PARTS - asked} section" in said and " left, go on with:" in said
    if usage and usage["prompt_tokens"]:
        assert asked * 700 <= 2000


def test_what_is_asked_again_counts_into_the_budget(root, capsys):  # noqa: F811
    with serving(saying("this is prose", usage={"prompt_tokens": 900, "completion_tokens": 200})) as server:
        status, said, page = draft(root, server, capsys, "--budget", "1500", "--jobs", "1", "--write")
    assert (status, page, len(server.asked)) == (1, PAGES["docs/zh/page.md"], 1)
    assert "stopped by --budget 1500" in said and "1 request: 900 tokens sent, 200 received" in said


@pytest.mark.parametrize(("reply", "tries"), [
    (lambda handler, asked: handler.send(200, b"<html>"), 1),                  # it may have to be paid for
    (lambda handler, asked: handler.send(200, b"{", length=99), 1),
    (failing(503), 5),                                                         # nobody pays for these
    (lambda handler, asked: handler.send(200, b"x" * 8_100_000), 1),           # and this one does not get shorter
], ids=["no JSON", "broken off", "overloaded", "huge"])
def test_a_failure_that_may_have_been_paid_for_counts(reply, tries):
    with serving(reply) as server:
        expected = Endpoint(server.address, "m", "en", "zh", environment={}).estimate_tokens(request(), None)
        endpoint = Endpoint(server.address, "m", "en", "zh", environment={}, budget=expected.total + 5,
                            sleep=lambda seconds: None)
        assert endpoint.spending.set_aside(expected)
        with pytest.raises(ValueError, match=r"budget has no tokens|failed 5 times|larger than 8000000 bytes"):
            endpoint.translate_section(request(), None)
    assert len(server.asked) == tries
    assert endpoint.spending.usage.tokens == (expected if tries == 1 else Tokens())


def test_an_endpoint_that_answers_in_another_language_gets_nothing_in(root):  # noqa: F811
    write(root, {"mkdocs.yml": PAGES["mkdocs.yml"].replace("{locale: zh, name: 中文}", "{locale: ko, name: 한국어}")})

    def japanese(handler, asked):
        made = {number: "これは日本語です" + "".join(each.get("placeholders", {})) + "2" * ("2" in each["source"])
                for number, each in material(asked)["messages"].items()}
        handler.send(200, completion(json.dumps(made, ensure_ascii=False)))

    judged = []

    def judge(language, page, section, text, old):
        judged.append(section)
        wrong = "これは" in text
        return Judgement((Note(1, "language-wrong: the section is Japanese, not Korean"),) if wrong else ())

    chosen = argparse.Namespace(
        root=root, layout=None, source_layout=None, source=None, languages=None, anchors=None, framework=None,
        source_repo=None,
    )
    tree = translated_tree(chosen)
    with serving(japanese) as server:
        endpoint = Endpoint(server.address, "m", "en", "ko", environment={})
        made = list(drafting_of(tree, "ko", DraftMaterial({}), endpoint, judge).make_drafts())
    first = [asked for _, _, asked in server.asked if len(asked["messages"]) == 2]
    again = [asked for _, _, asked in server.asked if len(asked["messages"]) == 4]
    assert len(first) == len(again) == 3 and set(judged) == {"page", "first", "second"}
    assert all("language-wrong: the section is Japanese" in asked["messages"][-1]["content"] for asked in again)
    assert not (root / "docs/ko").exists() and not (root / "translations").exists()
    assert [each.plan.records for each in made] == [{}]
    assert sum("language-wrong" in str(each) for each in made[0].refusals) >= 3


def test_ctrl_c_keeps_what_was_accepted(root, capsys, monkeypatch):  # noqa: F811
    write(root, {"docs/en/page.md": MANY})
    taken, answer = [], draft_run.wait

    def interrupted(asked, **given):
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(answer(asked, **given))
        return taken[-1]

    monkeypatch.setattr(draft_run, "wait", interrupted)
    with serving(translating(ANSWERS)) as server:
        status, _, page = draft(root, server, capsys, "--jobs", "1", "--write")
        assert (status, page.count("完成。")) == (130, 2)
        monkeypatch.undo()
        assert draft(root, server, capsys, "--write")[0] == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_has_no_fewer_tokens(one, other):
    assert max(text_tokens(one), text_tokens(other)) <= text_tokens(one + other) <= (
        text_tokens(one) + text_tokens(other))


@pytest.mark.parametrize(("text", "least", "most"), [  # what four tokenizers say of it
    ("Gradient checkpointing keeps only the input of each layer.", 9, 20),
    ("梯度检查点只保留每一层的输入。", 9, 22),
    ("勾配チェックポイントは各層の入力だけを保持します。", 13, 36),
    ("그래디언트 체크포인팅은 각 층의 입력만 유지합니다.", 13, 36),
])
def test_tokens_are_counted_by_script(text, least, most):
    assert least <= text_tokens(text) <= most


def test_a_translation_is_longer_in_some_languages():
    made = [translation_tokens(["A sentence of some length, to be translated."], "en", code)
            for code in ("en", "zh", "de", "ko", "ja")]
    assert made == sorted(made) and made[0] < made[-1]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=30), st.integers(1, 300))
def test_what_costs_as_expected_never_exceeds_a_budget(requests, budget):
    spending = Spending(budget)
    for sent, received, told in requests:
        expected = Tokens(sent, received)
        if spending.set_aside(expected):
            spending.spend_tokens(expected if told else None, expected)
            spending.release_tokens(expected)
        assert spending.usage.tokens.total <= budget
        assert spending.aside == 0
