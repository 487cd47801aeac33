"""A tree whose source another repository has: the trees of tests/cases/source_repository.

A case gives the files of the `source` repository, committed, with symbolic `links`, those of the tree, and what
`hexapla check` says: what was understood with the findings, or the sentence of an error. `{source}` and `{root}` stand
for the two folders.
"""

import fcntl
import json
import os
import re

import pytest
from hexapla.cli import main
from hexapla.config import source_copy
from hexapla.config.discovery import TreeOptions
from hexapla.errors import ConfigError
from hexapla.git import COMMIT_DIGITS, Repository
from hexapla.opened_tree import open_tree
from hexapla.translation.translation_tree import write_page

from tests.cases import cases
from tests.site.project import git, write

PAGE = "# Page {#page}\n\nThe batch size is 42.\n\n## Second {#second}\n\nThe end.\n"
TRANSLATION = "# ページ {#page}\n\nバッチサイズは42です。\n\n## 二番目 {#second}\n\n終わりです。\n"


@pytest.fixture
def commit(monkeypatch):
    """A function that commits what is in a folder, on a day of one January."""
    def commit_all(root, day):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-01-{day:02}T12:00:00Z")
        git(root, "add", "-A")
        git(root, "commit", "-qm", f"day {day}")

    return commit_all


def lay(tmp_path, commit, source, files, links=()):
    """The two repositories, their files committed."""
    for name, held in (("source", source), ("tree", files)):
        root = write(tmp_path / name, held)
        for path in links if name == "source" else ():
            (root / path).symlink_to(links[path])
        git(root, "init", "-q")
        commit(root, 1 if name == "source" else 2)
    return tmp_path / "source", tmp_path / "tree"


def call(capsys, *arguments):
    status = main([*map(str, arguments)])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize("case", cases("source_repository"))
def test_a_source_elsewhere_is_read(case, capsys, tmp_path, commit):
    source, root = lay(tmp_path, commit, case["source"], case["files"], case.get("links", {}))

    def filled(text):
        return text.replace("{source}", str(source)).replace("{root}", str(root))

    options = [*map(filled, case["options"])]
    status, said, error = call(capsys, "check", "--root", root, "--format", "json", *options)
    if "error" in case:
        assert (status, said, error.count("\n")) == (2, "", 1)
        assert filled(case["error"]) in error
        return
    assert not error
    report = json.loads(said)
    understood = [re.sub(r"at [0-9a-f]{9}:", "at COMMIT:", line) for line in report["summary"]["understood"]]
    assert understood == [filled(line) for line in case["understood"]]
    assert [f"{each['path']}:{each['line']} {each['rule']}" for each in report["findings"]
            if each["rule"] not in {"anchor-unpinned", "page-missing"}] == case["findings"]


@pytest.fixture
def repositories(tmp_path, commit):
    return lay(tmp_path, commit, {"book.toml": "", "src/a.md": PAGE}, {"book.toml": "", "src/a.md": TRANSLATION})


def test_status_and_diff_show_what_changed_there(capsys, repositories, commit):
    source, root = repositories
    options = ("--root", root, "--source-repo", f"{source}@HEAD")
    assert call(capsys, "sync", "a", "--write", *options)[0] == 0
    assert "1 of 1 pages current" in call(capsys, "status", *options)[1]
    commit(root, 2)
    (source / "src/a.md").write_text(PAGE.replace("The end.", "The very end."))
    assert "1 of 1 pages current" in call(capsys, "status", *options)[1]  # what is not committed is not read
    commit(source, 3)
    said = call(capsys, "status", *options)[1]
    assert "second: behind, 1 word changed" in said
    assert f"--source-repo {source}@HEAD" in said.splitlines()[-1]
    said = call(capsys, "diff", "a", *options)[1]
    assert "very" in said
    assert "t: day 3" in said
    assert "second: behind" in call(capsys, "status", "--since", "HEAD", *options)[1]


def test_what_nobody_recorded_is_told_by_the_days_of_both(capsys, repositories, commit):
    source, root = repositories
    (source / "src/a.md").write_text(PAGE.replace("The end.", "The very end."))
    commit(source, 3)
    said = call(capsys, "status", "--root", root, "--source-repo", source)[1]
    assert "second: behind" in said
    assert "as git has it" in said


def test_nothing_is_written_to_the_source(repositories):
    source, root = repositories
    tree = open_tree(TreeOptions(root, source_repo=str(source)))
    path = tree.files["en"]["a"]
    with pytest.raises(ConfigError, match=r"is a page of .*source; change it there"):
        write_page(tree, path, "")
    assert (source / "src/a.md").read_text() == PAGE


def test_a_clone_that_lacks_a_page_is_told_to_be_whole(capsys, repositories):
    source, root = repositories
    blob = Repository(source).lines("rev-parse", "HEAD:src/a.md")[0]
    (source / ".git/objects" / blob[:2] / blob[2:]).unlink()
    status, _, error = call(capsys, "check", "--root", root, "--source-repo", source)
    assert (status, error.count("\n")) == (2, 1)
    assert "as a partial clone does; clone all of it" in error


@pytest.mark.parametrize("name", ["source", "source/{commit}"])
@pytest.mark.parametrize("led", ["elsewhere", "tree/.hexapla", "nowhere"])
def test_a_link_that_came_with_a_tree_is_not_followed(capsys, repositories, tmp_path, name, led):
    source, root = repositories
    kept = write(tmp_path / led, {"kept.md": PAGE}) / "kept.md" if led != "nowhere" else None
    link = root / ".hexapla" / name.format(commit=Repository(source).head[:COMMIT_DIGITS])
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / led)
    status, _, error = call(capsys, "check", "--root", root, "--source-repo", source)
    assert (status, error.count("\n")) == (2, 1)
    assert "remove .hexapla/source" in error
    assert not (tmp_path / "nowhere").exists()
    assert kept is None or kept.read_text() == PAGE


def test_a_setting_does_not_lead_out_by_a_link(capsys, repositories):
    source, root = repositories
    (root / "upstream").symlink_to(source)
    write(root, {"hexapla.toml": "[tool.hexapla]\nsource-repo = 'upstream@HEAD'\n"})
    status, _, error = call(capsys, "check", "--root", root)
    assert (status, error.count("\n")) == (2, 1)
    assert "a setting names a folder of the tree" in error


def test_a_copy_that_was_changed_is_made_again(repositories):
    source, root = repositories
    options = TreeOptions(root, source_repo=str(source))
    tree = open_tree(options)
    file = root / tree.files["en"]["a"]
    file.write_text("# Forged\n")
    (file.parent / "b.md").write_text("# Forged\n")
    again = open_tree(options)
    assert again.files["en"].keys() == {"a"}
    assert file.read_text() == PAGE


def test_the_copies_that_were_used_last_are_kept_and_those_that_are_read(capsys, repositories, commit):
    source, root = repositories
    copies, names = root / ".hexapla/source", []
    for day in range(3, 4 + source_copy.KEPT):
        (source / "src/a.md").write_text(f"{PAGE}\nDay {day}.\n")
        commit(source, day)
        names.append(Repository(source).head[:COMMIT_DIGITS])
        assert call(capsys, "check", "--root", root, "--source-repo", source)[0] < 2
    assert {each.name for each in copies.iterdir()} == {*names}  # this process reads them all
    for handle in source_copy.USED.values():
        os.close(handle)
    source_copy.USED.clear()
    handle = os.open(copies / names[1], os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_SH)  # as another command has it
    assert call(capsys, "check", "--root", root, "--source-repo", f"{source}@{names[0]}")[0] < 2
    assert {each.name for each in copies.iterdir()} == {*names}
    os.close(handle)
    call(capsys, "check", "--root", root, "--source-repo", source)
    assert {each.name for each in copies.iterdir()} == {names[0], *names[2:]}
