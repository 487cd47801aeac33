"""A build that would make the site that is there writes nothing; whatever a site is made of makes it build."""

import os
import random

import pytest
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.site.build.unchanged_site import read_order, site_key, warnings_of_unchanged
from mkdocs.config import load_config

from tests.site.live.edits import TREE, Editor
from tests.site.project import CONFIG, build, git, write

SAYS = "Nothing has changed"
EVIDENCE = "snippets/evidence/cpu-test.json"
EDITS = sorted(name for name in dir(Editor) if name.startswith("of_"))
WITHOUT_CARDS = CONFIG.replace("derived:", "cards: false, derived:")  # whose fonts take a while to be found


def order(root, **more):
    """What the configuration of a tree orders."""
    return read_order(load_config(str(root / "mkdocs.yml"), **more))


def key(root):
    return site_key(order(root))


def files(root):
    """Everything that tells whether a file of the site was written again."""
    found = {file: file.stat() for file in (root / "site").rglob("*") if file.is_file()}
    return {file: (state.st_ino, state.st_mtime_ns) for file, state in found.items()}


def contents(root):
    """The bytes of what the edits touch, by path."""
    return {file: file.read_bytes() for file in root.rglob("*") if file.is_file() and ".hexapla" not in file.parts}


def pages(root):
    return {file.relative_to(root): file.read_bytes() for file in root.rglob("*.html")}


def test_a_second_build_says_that_nothing_has_changed_and_writes_nothing(tmp_path):
    root = write(tmp_path, TREE)
    assert SAYS not in build(root).said
    before = files(root)
    assert SAYS in build(root).said
    assert files(root) == before
    assert SAYS in build(root).said


def test_an_edit_as_large_as_before_at_the_same_time_is_built_and_so_is_taking_it_back(tmp_path):
    root = write(tmp_path, TREE)
    page = root / "docs/en/a.md"
    build(root)
    first, text, state = pages(root / "site"), page.read_text(encoding="utf-8"), page.stat()
    page.write_text(text.replace("Page a", "Side a"), encoding="utf-8")
    os.utime(page, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert SAYS not in build(root).said
    assert "Side a" in (root / "site/a/index.html").read_text(encoding="utf-8")
    page.write_text(text, encoding="utf-8")
    assert SAYS not in build(root).said  # the site is the one of the edit, whatever was built before
    assert pages(root / "site") == first


@pytest.mark.parametrize("damage", ["changed", "gone", "more"])
def test_a_site_whose_files_are_others_is_built(damage, tmp_path):
    root = write(tmp_path, TREE)
    build(root)
    first, page = pages(root / "site"), root / "site/a/index.html"
    if damage == "changed":
        page.write_text("something else", encoding="utf-8")
    elif damage == "gone":
        page.unlink()
    else:
        write(root, {"site/more.html": "more\n"})
    assert SAYS not in build(root).said
    assert pages(root / "site") == first


def test_what_a_build_warned_of_is_told_again(tmp_path):
    root = write(tmp_path, TREE | {"docs/en/a.md": "# Page a {#a}\n\n[gone](gone.md)\n"})
    assert "gone.md" in build(root).said
    again = build(root).said
    assert SAYS in again and "gone.md" in again


@pytest.mark.parametrize("edit", EDITS)
def test_every_kind_of_edit_is_known(edit, tmp_path):
    root = write(tmp_path, TREE | {"mkdocs.yml": WITHOUT_CARDS})
    before, texts, editor = key(root), contents(root), Editor(root, random.Random(1))
    while contents(root) == texts:
        touched = getattr(editor, edit)()
    assert before and key(root) != before, touched


@pytest.mark.parametrize("path", ["pyproject.toml", "constraints.txt", "tests/snippets/demo/test_add.py",
                                  "theme/partials/footer.html", "docs/.hidden/a.md", "docs/data.bin"])
def test_files_beside_the_pages_are_known(path, tmp_path):
    theme = WITHOUT_CARDS.replace("font: false}", "font: false, custom_dir: theme}")
    root = write(tmp_path, TREE | {"mkdocs.yml": theme, "theme/main.html": '{% extends "base.html" %}'})
    keys = {key(root)}
    for content in ("one\n", "two\n"):
        write(root, {path: content})
        keys.add(key(root))
    (root / path).unlink()
    assert len(keys) == 3 and key(root) in keys


def test_a_commit_and_another_branch_are_known(tmp_path):
    root = write(tmp_path, TREE | {"mkdocs.yml": WITHOUT_CARDS})
    keys = [key(root)]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "First"], ["branch", "other"]):
        git(root, *command)
        keys.append(key(root))
    assert len({*keys[-3:]}) == 3


def test_a_file_that_a_recorded_run_is_held_to_is_known(tmp_path):
    run = Run(Status.RAN, "sha256:of before", "2026-01-02", seconds=0.1, peak_memory_bytes=1, versions={},
              output="total: 3", device="Test CPU", files={"data/numbers.txt": "sha256:of before"})
    evidence = dump_evidence(Evidence(Hardware("cpu", "Test CPU", 2, 1), {"demo/add.py": run}))
    root = write(tmp_path, TREE | {"mkdocs.yml": WITHOUT_CARDS, EVIDENCE: evidence, "data/numbers.txt": "1\n"})
    said = build(root).said
    assert SAYS in build(root).said, said
    write(root, {"data/numbers.txt": "2\n"})
    assert warnings_of_unchanged(order(root), key(root)) is None


@pytest.mark.parametrize("more", [
    {"mkdocs.yml": WITHOUT_CARDS + "hooks: [hook.py]\n", "hook.py": "def on_files(files, config):\n    return files\n"},
    {"mkdocs.yml": WITHOUT_CARDS + "strict: true\n"},
    {"mkdocs.yml": WITHOUT_CARDS + "INHERIT: more.yml\n", "more.yml": "copyright: me\n"},
], ids=["a hook", "strict", "settings from elsewhere"])
def test_what_bytes_do_not_tell_is_built(more, tmp_path):
    assert order(write(tmp_path, TREE | more)) is None


def test_a_link_to_a_folder_is_built(tmp_path):
    root = write(tmp_path, TREE | {"mkdocs.yml": WITHOUT_CARDS, "elsewhere/a.png": "a"})
    (root / "docs/en/pictures").symlink_to(root / "elsewhere")
    assert key(root) == ""


def test_settings_of_the_command_line_are_known(tmp_path):
    root = write(tmp_path, TREE | {"mkdocs.yml": WITHOUT_CARDS})
    told = ({}, {"site_dir": str(root / "out")}, {"use_directory_urls": False})
    assert len({site_key(order(root, **more)) for more in told}) == len(told)
