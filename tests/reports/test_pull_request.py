"""The comment on a pull request: what it says of a real tree in git, where no words of a page mean anything."""

import re
import shlex
import subprocess

import pytest
from hexapla import cli
from hexapla.checks.finding import Finding
from hexapla.reports.pull_request import MARK, LanguageChange, SectionChange, make_comment

from tests.cases import cases
from tests.site.project import write

TREE = ["--layout", "docs/{lang}/{page}.md"]
COMMENT = ["pull-request", *TREE, "--since", "HEAD~1"]
PAGES = {
    "docs/en/page.md": "# Page {#page}\n\nOne two three.\n\n## First {#first}\n\nThe limit is 4.\n",
    "docs/zh/page.md": "# 页面 {#page}\n\n一二三。\n\n## 第一 {#first}\n\n上限是 4。\n",
    "docs/ja/page.md": "# ページ {#page}\n\n一二三。\n\n## 最初 {#first}\n\n上限は 4 です。\n",
}


def git(root, *arguments):
    """Run a git command in a tree."""
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=root, check=True, capture_output=True)


def hexapla(capsys, *arguments):
    """What a command prints."""
    assert cli.main(arguments) == 0
    return capsys.readouterr().out


def commit(root):
    """Commit all that there is."""
    git(root, "add", "-A")
    git(root, "commit", "-qm", "edit")


def change(root, edits):
    """Put words of pages in the place of others."""
    for path, (old, new) in edits.items():
        text = (root / path).read_text(encoding="utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), encoding="utf-8")


def edit(root, path, old, new):
    """Change a page and commit that."""
    change(root, {path: (old, new)})
    commit(root)


def rows(said):
    """The cells of the table by language."""
    lines = [line.strip("|").split("|") for line in said.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in lines}


def commands(said):
    """The commands that stand in a comment, whole."""
    return re.findall(r"^```sh\n(.+)\n```$", said, re.MULTILINE)


def lay(root, case, capsys):
    """The tree of a case in git, recorded unless it says otherwise, and its change as another commit."""
    write(root, PAGES)
    git(root, "init", "-q")
    if not case.get("unrecorded"):
        hexapla(capsys, "sync", "docs", *TREE, "--write", "--reviewed")
    write(root, case.get("before", {}))
    if "recorded_before" in case:
        hexapla(capsys, "sync", *case["recorded_before"], *TREE, "--write", "--reviewed")
    commit(root)
    write(root, case.get("files", {}))
    change(root, case.get("edits", {}))
    if "recorded" in case:
        hexapla(capsys, "sync", *case["recorded"], *TREE, "--write", "--reviewed")
    commit(root)


@pytest.mark.parametrize("case", cases("reports/pull_request"))
def test_case(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, case, capsys)
    said = hexapla(capsys, *COMMENT)
    assert said.startswith(f"{MARK}\n### Translations\n")
    assert rows(said) == {language: list(map(str, cells)) for language, cells in case.get("rows", {}).items()}
    assert commands(said) == case.get("commands", [])
    for words in case.get("says", []):
        assert words in said
    for words in case.get("says_not", []):
        assert words not in said


@pytest.mark.parametrize("case", [case for case in cases("reports/pull_request") if case.values[0].get("commands")])
def test_what_is_not_recorded_is_recorded_by_the_command_as_it_is_printed(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lay(tmp_path, case, capsys)
    for command in case["commands"]:
        program, *words = shlex.split(command)
        assert program == "hexapla"
        hexapla(capsys, *words)
    assert not commands(hexapla(capsys, *COMMENT))


def test_a_revision_that_is_not_there_is_said(tmp_path, capsys):
    write(tmp_path, PAGES)
    assert cli.main(["pull-request", *TREE, "--root", str(tmp_path), "--since", "x"]) == 2
    assert "--since x: git has no such revision" in capsys.readouterr().err


HOSTILE = "x` @everyone <img src=x onerror=y> [a](javascript:b)\n\n# H | c \u202e"


def test_words_of_a_page_are_never_markup():
    finding = Finding(HOSTILE, 1, 1, "number-differs", HOSTILE, HOSTILE, "zh")
    change = LanguageChange("zh", (SectionChange(HOSTILE, HOSTILE, HOSTILE),), 1, 0)
    said = make_comment([change], [finding], [], "abc")
    outside = "".join(part for number, part in enumerate(said.split("`")) if number % 2 == 0)
    assert not {"@everyone", "onerror", "javascript"} & set(outside.replace("<", " ").replace(":", " ").split())
    assert "javascript" not in outside and "\u202e" not in said
    assert all(line.count("`") % 2 == 0 for line in said.splitlines())


def test_a_comment_stays_below_what_github_takes():
    finding = Finding("p" * 500, 1, 1, "r", "m" * 5000, "h", "zh")
    changes = [LanguageChange(f"l{n}", (SectionChange("p" * 900, "s" * 900, "c" * 900),) * 500, None, 0)
               for n in range(12)]
    said = make_comment(changes, [finding] * 500, [], "abc")
    assert "and 480 more" in said and "not known" in said
    assert len(said) < 65_536
    assert "\nl11: 500 sections put behind.\n" in said
