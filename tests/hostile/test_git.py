"""A repository that names programs is read, and none of them runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from hexapla.cli import main
from hexapla.git import Repository, leads_elsewhere, worktree_at

from tests.hang_limit import HANG

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/git.yml").read_text(encoding="utf-8"))
ELSEWHERE = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/git_elsewhere.yml").read_text(encoding="utf-8"))
PAGES = {"docs/en/page.md": "# Page {#page}\n\nThe limit is 4.\n",
         "docs/ja/page.md": "# ページ {#page}\n\n上限は 5。\n"}
SIGNATURE = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"
LAYOUT = ["--layout", "docs/{lang}/{page}.md"]


def git(root, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(root), *arguments],
        capture_output=True, check=False, env=environment, timeout=HANG,
    )


def repository(root):
    """A repository of two commits, whose pages git looks at again: they are newer than its index."""
    git(root.parent, "init", "-q", str(root))
    for words in ("", "More words.\n"):
        for path, text in PAGES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + words, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "one")
    for path in PAGES:
        os.utime(root / path, (2_000_000_000, 2_000_000_000))


@pytest.fixture
def trap(tmp_path):
    """A program that notes that it ran."""
    noted, program = tmp_path / "ran", tmp_path / "trap"
    program.write_text(f"#!/bin/sh\necho ran >> {noted}\nexit 0\n", encoding="utf-8")
    program.chmod(0o755)
    return program, noted


def arm(root, case, program):
    """Put into a repository what a case says."""
    if case.get("signed"):
        signed = git(root, "cat-file", "commit", "HEAD").stdout
        head, _, rest = signed.partition(b"\n\n")
        made = root / "commit"
        made.write_bytes(head + SIGNATURE + rest)
        name = git(root, "hash-object", "-t", "commit", "-w", "commit").stdout.decode().strip()
        git(root, "reset", "-q", "--soft", name)
        made.unlink()
    if case.get("attributes"):
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/attributes").write_text(case["attributes"] + "\n", encoding="utf-8")
    if case.get("lost"):
        blob = git(root, "rev-parse", "HEAD:docs/en/page.md").stdout.decode().strip()
        (root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    if hook := case.get("hook"):
        place = root / ".git/hooks" / hook if "/" not in hook else root / hook.removeprefix("../")
        place.parent.mkdir(exist_ok=True)
        shutil.copy(program, place)
    for name, value in case.get("settings", {}).items():
        git(root, "config", name, value.replace("%s", str(program)))
    if settings := case.get("submodule"):
        inner = root / "docs/en/inner"
        git(root, "init", "-q", str(inner))
        (inner / ".gitattributes").write_text("* filter=any\n", encoding="utf-8")
        (inner / "file.txt").write_text("one\n", encoding="utf-8")
        git(inner, "add", "-A")
        git(inner, "commit", "-qm", "one")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "with another one")
        for name, value in settings.items():
            git(inner, "config", name, value.replace("%s", str(program)))
        os.utime(inner / "file.txt", (2_000_000_000, 2_000_000_000))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_no_program_that_a_repository_names_is_run(case, trap, tmp_path, monkeypatch, capsys):
    program, noted = trap
    root = tmp_path / "tree"
    repository(root)
    arm(root, case, program)
    git(root, *case["git"])
    assert noted.exists(), "the case is none: plain git runs nothing"
    noted.unlink()
    for path in (*PAGES, "docs/en/inner/file.txt"):
        if (root / path).exists():
            os.utime(root / path, (2_000_000_001, 2_000_000_001))
    monkeypatch.chdir(root)
    for command in (["check", *LAYOUT], ["status", *LAYOUT], ["diff", "page", *LAYOUT]):
        main(command)
    found = Repository(root)
    assert found.head
    found.run(*case["git"])
    if not case.get("lost"):
        with worktree_at(root, "HEAD") as folder:
            assert (folder / "docs/en/page.md").is_file()
    assert not noted.exists()


def test_a_folder_of_the_tree_that_looks_like_a_repository_is_none(trap, tmp_path, monkeypatch):
    program, noted = trap
    outer, inner = tmp_path / "tree", tmp_path / "tree" / "site"
    repository(outer)
    git(outer, "init", "-q", "--bare", str(inner))
    git(inner, "config", "core.bare", "false")
    git(inner, "config", "core.worktree", str(inner))
    for path, text in PAGES.items():
        (inner / path).parent.mkdir(parents=True, exist_ok=True)
        (inner / path).write_text(text, encoding="utf-8")
    git(inner, "add", "docs")
    git(inner, "commit", "-qm", "one")
    git(inner, "config", "core.fsmonitor", str(program))
    git(inner, "status")
    assert noted.exists()
    noted.unlink()
    monkeypatch.chdir(inner)
    main(["check", *LAYOUT])
    main(["status", *LAYOUT])
    assert not noted.exists()
    assert Repository(inner).head in {None, Repository(outer).head}


def test_a_hook_s_own_variables_do_not_lead_to_another_repository(tmp_path, monkeypatch):
    here, other = tmp_path / "here", tmp_path / "other"
    repository(here)
    git(tmp_path, "init", "-q", str(other))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert Repository(here).head


@pytest.mark.parametrize("case", ELSEWHERE, ids=lambda case: case["name"])
def test_a_repository_elsewhere_is_read_where_it_names_the_tree(case, tmp_path, caplog):
    private = tmp_path / "private"
    repository(private)
    named = {"root": tmp_path, "private": private, "head": git(private, "rev-parse", "HEAD").stdout.decode().strip(),
             "branch": git(private, "symbolic-ref", "--short", "HEAD").stdout.decode().strip(), "long": "./" * 2048}
    for command in case.get("git", ()):
        done = git(tmp_path, "-c", "protocol.file.allow=always", *command.format(**named).split())
        assert not done.returncode, done.stderr
    for path in case.get("remove", ()):
        (shutil.rmtree if (tmp_path / path).is_dir() else os.unlink)(tmp_path / path)
    for path, text in case.get("files", {}).items():
        file = tmp_path / path.format(**named)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(**named))
    for path, target in case.get("links", {}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).symlink_to(target.format(**named))
    root = tmp_path / case.get("at", "tree") / ("docs" if case.get("below") else "")
    root.mkdir(exist_ok=True)
    assert git(root, "log").stdout, "the case is none: plain git reads nothing"
    assert bool(Repository(root).head) is case["read"]
    assert bool(caplog.messages) is not case["read"]
    if not case["read"]:
        settings = git(private, "config", "--list").stdout
        advice = caplog.messages[0].partition(", run ")[2]
        done = subprocess.run(advice, shell=True, cwd=tmp_path, capture_output=True, check=False, timeout=HANG)
        leads_elsewhere.cache_clear()
        copy = tmp_path / "tree.copy"
        assert Repository(copy if copy.exists() else root).head, (advice, done.stderr)
        assert git(private, "config", "--list").stdout == settings
        assert not (tmp_path / "PWNED").exists()
