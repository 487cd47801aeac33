"""The comment on a pull request: what it says of a real tree in git, where no words of a page mean anything."""

import subprocess

import pytest
from hexapla import cli
from hexapla.checks.finding import Finding
from hexapla.reports.pull_request import MARK, LanguageChange, SectionChange, comment

from tests.site.project import write

PAGES = {
    "docs/en/page.md": "# Page {#page}\n\nOne two three.\n\n## First {#first}\n\nThe limit is 4.\n",
    "docs/zh/page.md": "# 页面 {#page}\n\n一二三。\n\n## 第一 {#first}\n\n上限是 4。\n",
    "docs/ja/page.md": "# ページ {#page}\n\n一二三。\n\n## 最初 {#first}\n\n上限は 4 です。\n",
}


def git(root, *arguments):
    """Run a git command in a tree."""
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=root, check=True, capture_output=True)


def hexapla(capsys, root, *arguments):
    """What a command prints."""
    assert cli.main([*arguments, "--root", str(root), "--layout", "docs/{lang}/{page}.md"]) == 0
    return capsys.readouterr().out


@pytest.fixture
def root(tmp_path, capsys):
    """A tree in git, every section recorded."""
    write(tmp_path, PAGES)
    hexapla(capsys, tmp_path, "sync", "docs", "--write", "--reviewed")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def edit(root, path, old, new):
    """Change a page and commit that."""
    page = root / path
    page.write_text(page.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    git(root, "commit", "-qam", "edit")


def rows(said):
    """The cells of the table by language."""
    lines = [line.strip("|").split("|") for line in said.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_it_says_by_language_what_was_put_behind_and_what_the_checks_found(root, capsys):
    edit(root, "docs/en/page.md", "The limit is 4", "The limit is 5")
    said = hexapla(capsys, root, "pull-request", "--since", "HEAD~1")
    assert said.startswith(f"{MARK}\n### Translations\n")
    assert rows(said) == {"ja": ["1", "1", "0", "1", "0"], "zh": ["1", "1", "0", "1", "0"]}
    assert "<summary>zh: 1 section put behind</summary>\n\n- `docs/en/page.md` `first`: `1 word changed`\n" in said
    assert "<summary>Checks: 2 new findings</summary>" in said and "`docs/zh/page.md:7` `number-differs`" in said


def test_it_says_what_was_brought_up_to_date_and_solved(root, capsys):
    edit(root, "docs/en/page.md", "The limit is 4", "The limit is 5")
    page = root / "docs/zh/page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("4", "5"), encoding="utf-8")
    hexapla(capsys, root, "sync", "docs/zh/page.md", "--write", "--reviewed")
    git(root, "commit", "-qam", "followed")
    assert rows(hexapla(capsys, root, "pull-request", "--since", "HEAD~1")) == {
        "ja": ["0", "0", "0", "0", "0"], "zh": ["0", "0", "1", "0", "1"]}


def test_a_language_that_begins_is_told_what_it_has_and_not_what_it_lacks(root, capsys):
    write(root, {"docs/en/other.md": "# Other {#other}\n\nWords.\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a page that nobody has translated")
    write(root, {"docs/ko/page.md": "# 쪽 {#page}\n\n하나 둘 셋.\n"})
    hexapla(capsys, root, "sync", "docs/ko/page.md", "--write", "--reviewed")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Korean")
    said = hexapla(capsys, root, "pull-request", "--since", "HEAD~1")
    assert rows(said)["ko"][:3] == ["0", "0", "1"] and "page-missing" not in said
    assert rows(said)["zh"] == ["0", "0", "0", "0", "0"]


def test_a_change_that_means_nothing_for_translations_is_said_to(root, capsys):
    write(root, {"notes.txt": "x\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "notes")
    said = hexapla(capsys, root, "pull-request", "--since", "HEAD~1")
    assert "This change puts no translation behind, and the checks found nothing new." in said
    assert "<details>" not in said and "|" not in said


def test_a_revision_that_is_not_there_is_said(root, capsys):
    assert cli.main(["pull-request", "--root", str(root), "--layout", "docs/{lang}/{page}.md", "--since", "x"]) == 2
    assert "--since x: git has no such revision" in capsys.readouterr().err


HOSTILE = "x` @everyone <img src=x onerror=y> [a](javascript:b)\n\n# H | c \u202e"


def test_words_of_a_page_are_never_markup():
    finding = Finding(HOSTILE, 1, 1, "number-differs", HOSTILE, HOSTILE, "zh")
    said = comment([LanguageChange("zh", (SectionChange(HOSTILE, HOSTILE, HOSTILE),), 1, 0)], [finding], [], "abc")
    outside = "".join(part for number, part in enumerate(said.split("`")) if number % 2 == 0)
    assert not {"@everyone", "onerror", "javascript"} & set(outside.replace("<", " ").replace(":", " ").split())
    assert "javascript" not in outside and "\u202e" not in said
    assert all(line.count("`") % 2 == 0 for line in said.splitlines())


def test_a_comment_stays_below_what_github_takes():
    finding = Finding("p" * 500, 1, 1, "r", "m" * 5000, "h", "zh")
    changes = [LanguageChange(f"l{n}", (SectionChange("p" * 900, "s" * 900, "c" * 900),) * 500, None, 0)
               for n in range(12)]
    said = comment(changes, [finding] * 500, [], "abc")
    assert "and 480 more" in said and "not known" in said
    assert len(said) < 65_536
    assert "\nl11: 500 sections put behind.\n" in said
