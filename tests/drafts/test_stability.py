"""`hexapla draft --test`: how much a model changes of what is right already."""

import json

import pytest
from hexapla import cli

from tests.drafts.server import completion, material, serving, translating
from tests.drafts.test_drafting import PAGES
from tests.site.project import git, write

EN = ("# Page {#page}\n\nOne.\n\n## First {#first}\n\nRun it.\n\nWait for `it`.\n\n"
      "## Second {#second}\n\nStart a thread.\n")
ZH = "# 页面 {#page}\n\n一。\n\n## 第一 {#first}\n\n运行它。\n\n等`it`结束。\n\n## 第二 {#second}\n\n启动一个线程。\n"


def keeping(handler, asked):
    """Answer with the translation that is there."""
    messages = material(asked)["messages"]
    handler.send(200, completion(json.dumps({number: each["translation_before"] for number, each in messages.items()})))


@pytest.fixture
def root(tmp_path):
    """A tree with a page that is finished, and another that is not translated."""
    write(tmp_path, PAGES | {"docs/en/page.md": EN, "docs/zh/page.md": ZH, "docs/en/more.md": "# More {#more}\n"})
    assert cli.main(["sync", "docs/zh/page.md", "--root", str(tmp_path), "--reviewed", "--write"]) == 0
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def run(root, capsys, server, *more):
    """Test a model behind a server; the exit status and the lines that were said."""
    capsys.readouterr()
    status = cli.main(["draft", "--root", str(root), "--language", "zh", "--endpoint", server.address,
                       "--model", "m", "--jobs", "1", *more])
    said = capsys.readouterr()
    return status, said.out.splitlines(), said.err


def contents(root):
    return {file: file.read_bytes() for folder in ("docs", "translations") for file in (root / folder).rglob("*.*")}


def test_a_model_that_leaves_alone_what_is_right_passes(root, capsys):
    before = contents(root)
    with serving(keeping) as server:
        status, said, _ = run(root, capsys, server, "--test", "page", "more")
        asked = [each for *_, chat in server.asked for each in material(chat)["messages"].values()]
    assert status == 0, said
    assert [each["source"] for each in asked] == [
        "Page", "One.", "First", "Run it.", "Wait for [[0]].", "Second", "Start a thread."]
    assert all(each["source_before"] == each["source"] for each in asked)
    assert "docs/zh/page.md  3 sections, 0 of " in "\n".join(said)
    assert "zh: 0.0% of the words changed; more than 3% is too much" in said
    assert said[0].startswith("docs/zh/page.md") and len(said) == 3  # the other page has nothing to test
    assert contents(root) == before


def test_a_model_that_writes_anew_what_is_right_fails_and_writes_nothing(root, capsys):
    before = contents(root)
    with serving(translating({"Page": "页面", "One.": "一。", "First": "第一", "Run it.": "跑它。", "Second": "第二",
                              "Wait for [[0]].": "等[[0]]结束。", "Start a thread.": "启动一个线程。"})) as server:
        status, said, _ = run(root, capsys, server, "--test", "page", "--diff")
        asked = len(server.asked)
        again, plain, _ = run(root, capsys, server, "--test", "page")  # of the answers that were paid for
        assert (again, plain[:-1], len(server.asked)) == (status, said[-len(plain) : -1], asked)
    assert status == 1
    assert {"-运行它。", "+跑它。"} <= set(said)
    assert any(line.startswith("docs/zh/page.md  3 sections, 2 of ") for line in said)
    assert contents(root) == before


def test_code_that_no_model_may_touch_does_not_count(root, capsys):
    code = "\n```text\n" + "one two three four five\n" * 60 + "```\n"
    for name, text in (("en", EN), ("zh", ZH)):
        write(root, {f"docs/{name}/page.md": text + code})
    assert cli.main(["sync", "docs/zh/page.md", "--root", str(root), "--reviewed", "--write"]) == 0
    with serving(translating({"Page": "页面", "One.": "一。", "First": "第一", "Run it.": "运行它。", "Second": "别的",
                              "Wait for [[0]].": "等[[0]]结束。", "Start a thread.": "一切都不同。"})) as server:
        assert run(root, capsys, server, "--test", "page")[0] == 1


def test_a_section_that_is_refused_fails(root, capsys):
    with serving(translating({"Wait for [[0]].": "等它结束。"})) as server:
        status, said, _ = run(root, capsys, server, "--test", "page")
    assert status == 1 and any("refused" in line for line in said)


def test_what_was_not_reached_does_not_count(root, capsys):
    with serving(keeping) as server:
        status, said, _ = run(root, capsys, server, "--test", "page", "--limit", "1")
    assert status == 1
    assert any(line.startswith("docs/zh/page.md  1 section, 0 of ") for line in said)
    assert said[-2] == "stopped by the limit of 1 section; 2 sections left"


@pytest.mark.parametrize("more", [["--test"], ["--test", "page", "--write"], ["--test", "page", "--stale"]])
def test_a_test_names_pages_and_writes_nothing(root, capsys, more):
    with serving(keeping) as server:
        status, _, said = run(root, capsys, server, *more)
        assert (status, server.asked) == (2, [])
    assert "name pages, and leave --write and --stale out" in said


def test_nothing_finished_is_no_test_that_passed(root, capsys):
    with serving(keeping) as server:
        assert run(root, capsys, server, "--test", "more") == (
            2, [], "hexapla: --test: no section in zh is finished on these pages; name others\n")
