"""Drafts that know what they were made with: what a change touches is listed and drafted again, and nothing else is."""

import json
import re

import pytest
from hexapla import cli
from hexapla.translation.records.draft_inputs import DraftInputs, read_inputs
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.drafts.server import material, serving, translating
from tests.drafts.test_drafting import PAGES
from tests.site.project import git, write

FILES = PAGES | {
    "docs/en/page.md": "# Page {#page}\n\nOne.\n\n## First {#first}\n\nRun the kernel.\n\nWait for it.\n\n"
                       "## Second {#second}\n\nStart a thread.\n",
    "docs/glossary.yml": "- term: kernel\n  zh: 内核\n- term: lane\n  zh: 通道\n",
    "translations/instructions/zh.md": "Be brief.\n",
}
WORDS = {"First": "第一", "Second": "第二", "Run the kernel.": "运行内核。", "Wait for it.": "等它结束。",
         "Start a thread.": "启动程序。"}
LATER = WORDS | {"Run the kernel.": "运行核函数。", "Start a thread.": "启动线程。", "Start the thread.": "启动线程。"}
MADE = re.compile(r"^drafted by .*\n", re.M)


@pytest.fixture
def root(tmp_path, capsys):
    """A tree with two drafts in Chinese, committed."""
    write(tmp_path, FILES)
    with serving(translating(WORDS)) as server:
        assert run(tmp_path, capsys, server, "--write")[0] == 0
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "drafts"]):
        git(tmp_path, *words)
    return tmp_path


def run(root, capsys, server, *more):
    """Draft by a model behind a server; the exit status, and what was said."""
    status = cli.main(["draft", "--root", str(root), "--language", "zh", "--endpoint", server.address,
                       "--model", "m", *more])
    return status, "".join(capsys.readouterr())


def sections(root, capsys):
    """The sections of the page, as `hexapla status` tells them."""
    assert cli.main(["status", "page", "--root", str(root), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["pages"][0]["sections"]


def change(root, case):
    """Make a case's changes: in a file one text for another."""
    for name, (old, new) in case["changes"].items():
        file = root / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
    if case.get("forgotten"):
        file = root / "translations/zh/page.txt"
        file.write_text(MADE.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.parametrize("case", cases("drafts"))
def test_what_a_change_touches_is_listed_and_drafted_again_and_nothing_else(root, capsys, case):
    change(root, case)
    found = sections(root, capsys)
    assert {each["id"]: each["outdated"] for each in found if "outdated" in each} == case["outdated"]
    assert [each["id"] for each in found if each["state"] == "behind"] == case.get("behind", [])
    before = (root / "docs/zh/page.md").read_text(encoding="utf-8")
    with serving(translating(LATER | case.get("answers", {}))) as server:
        status, said = run(root, capsys, server, "--stale", "--jobs", "1", "--write")
    after = (root / "docs/zh/page.md").read_text(encoding="utf-8")
    asked = [each["source"] for _, _, chat in server.asked for each in material(chat)["messages"].values()]
    assert (status, asked) == (0, case["asked"])
    assert all(("translation_before" in each) for _, _, chat in server.asked
               for each in material(chat)["messages"].values())
    old, new = case.get("page", ["", ""])
    assert (f"-{old}" in said and f"+{new}" in said) or not new
    assert after == before.replace(old, new)
    assert not any("outdated" in each for each in sections(root, capsys))
    with serving(translating(LATER)) as server:
        assert run(root, capsys, server, "--stale", "--write") == (0, "zh: there is nothing to draft again\n")
        assert run(root, capsys, server, "--write") == (0, "zh: there is nothing to draft\n")
    assert (root / "docs/zh/page.md").read_text(encoding="utf-8") == after


def test_what_a_tool_has_to_know_of_a_language_is_printed(tmp_path, capsys):
    glossary = FILES["docs/glossary.yml"] + "- {term: a|b, treatment: keep, forbidden: {zh: [甲, 乙]}}\n" \
        "- {term: ticket, treatment: convert, zh: 工单}\n- {term: loss, ja: 損失}\n"
    root = write(tmp_path, FILES | {"docs/glossary.yml": glossary})
    assert cli.main(["instructions", "zh", "--root", str(root)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("---\nname: translate-zh\n")
    assert "\n## Style\n\nBe brief.\n" in said
    assert re.findall(r"^\|.*", said, re.M)[2:] == [
        "| kernel | 内核 |  |  |", "| lane | 通道 |  |  |", "| a\\|b | a\\|b |  | 甲, 乙 |"]
    assert "\n- `link-differs`: " in said and "\n- `include-missing`: " in said and "`link-host-new`" not in said
    assert cli.main(["instructions", "xx", "--root", str(root)]) == 2


def test_the_difference_is_shown_before_anything_is_written(root, capsys):
    write(root, {"docs/glossary.yml": FILES["docs/glossary.yml"].replace("内核", "核函数")})
    before = {file: file.read_bytes() for folder in ("docs", "translations") for file in (root / folder).rglob("*.*")}
    with serving(translating(LATER)) as server:
        status, said = run(root, capsys, server, "--stale")
        assert (status, len(server.asked)) == (1, 0)
        assert "docs/zh/page.md:5: first: a machine's draft that nobody has read (the glossary says something else " \
               "of 'kernel' now)" in said
        assert "--stale --write" in said
        status, said = run(root, capsys, server, "--stale", "--diff")
        assert (status, len(server.asked)) == (0, 1)
        assert "-运行内核。\n+运行核函数。\n" in said and "no page was written" in said
        assert all(file.read_bytes() == data for file, data in before.items())
        assert run(root, capsys, server, "--stale", "--write")[0] == 0
        assert len(server.asked) == 1  # the answer was kept
    assert "运行核函数。" in (root / "docs/zh/page.md").read_text(encoding="utf-8")


WORD = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1)
HASH = st.text("0123456789abcdef", min_size=12, max_size=12)
PERHAPS = st.just("") | HASH


@given(st.lists(WORD, min_size=1).map(" ".join), st.dates(), PERHAPS, PERHAPS, PERHAPS, st.lists(HASH))
def test_what_a_draft_was_made_with_is_read_as_it_was_written(model, day, instructions, memory, around, terms):
    made = DraftInputs(model, day.isoformat(), instructions, memory, around, tuple(terms))
    assert read_inputs(str(made)) == made or model == "-"
