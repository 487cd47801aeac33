"""A tree that is as its last check left it is not looked at page by page; whatever it is made of changes that."""

import os
import subprocess

import pytest
from hexapla.cache import Cache
from hexapla.checks.engine import tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.config.discovery import layout_of_options
from hexapla.git import Repository

FILES = {
    "docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b) and ![p](p.png).\n\n## B {#b}\n\n3 of x.\n\n## C {#c}\n\n5 of y.\n",
    "docs/en/b.md": "# B {#b}\n\n[gone](gone.md)\n", "docs/en/p.png": "x", "docs/zh/p.png": "x",
    "docs/zh/a.md": "# 甲 {#a}\n\n见[乙](b.md#b)和![p](p.png)。\n\n## 乙 {#b}\n\n4个x。\n",
    "docs/zh/b.md": "# 乙 {#b}\n\n[没有](gone.md)\n",
    "translations/zh/a.txt": "[a]\nsource 0\n\n[b]\nsource 0\n",
}
CHANGES = {
    "a page": ("docs/zh/a.md", "# 甲 {#a}\n\n见[乙](b.md#gone)。\n"),
    "another page's ids": ("docs/zh/b.md", "# 乙 {#other}\n\n[没有](gone.md)\n"),
    "a picture": ("docs/en/p.png", None),
    "a file that was not there": ("docs/en/gone.md", "# Gone {#gone}\n"),
    "the sections with records": ("translations/zh/a.txt", "[a]\nsource 0\n\n[b]\nsource 0\n\n[c]\nsource 0\n"),
    "a conflict of records": ("translations/zh/a.txt", "<<<<<<< a\n[b]\nsource 0\n=======\n>>>>>>> b\n"),
}


def lay(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path):
    for path, text in FILES.items():
        lay(tmp_path, path, text)
    return tmp_path


def findings(root, cached=True, history=None):
    cache = Cache(root if cached else None)
    try:
        layout = layout_of_options(root, "docs/{lang}/{page}.md")
        return tree_check.check(Checker(tree_check.tree_of(layout, ()), cache, history)).findings
    finally:
        cache.close()


def test_no_page_is_looked_at_where_nothing_has_changed(root, monkeypatch):
    first = findings(root)
    assert {each.rule for each in first} >= {"link-target-missing", "number-differs"}
    monkeypatch.setattr(Checker, "is_kept", None)
    monkeypatch.setattr(Checker, "page", None)
    assert findings(root) == first


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_is_seen(root, change):
    path, text = CHANGES[change]
    before = findings(root)
    if text is None:
        (root / path).unlink()
    else:
        lay(root, path, text)
    now = findings(root)
    assert now == findings(root, cached=False) == findings(root)
    assert now != before


def test_a_folder_of_records_outside_of_the_tree_has_none(root, tmp_path_factory):
    (root / "translations/zh/a.txt").unlink()
    (root / "translations/zh").rmdir()
    (root / "translations/zh").symlink_to(tmp_path_factory.mktemp("outside"))
    assert {each.rule for each in findings(root)} == {each.rule for each in findings(root, cached=False)}
    assert "rule-failed" not in {each.rule for each in findings(root)}


def test_a_commit_changes_whose_a_difference_is(root):
    def git(*words):
        author = {f"GIT_{who}_{what}": f"{what}@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, env={**os.environ, **author})

    def origins():
        found = findings(root, history=Repository(root))
        return {each.origin for each in found if each.rule == "number-differs"}

    git("init", "-q")
    lay(root, "docs/en/a.md", FILES["docs/en/a.md"].replace("3 of x", "4 of x"))
    git("add", "docs")
    git("commit", "-qm", "they agree")
    lay(root, "docs/en/a.md", FILES["docs/en/a.md"])
    git("commit", "-qam", "the source alone")
    assert origins() == origins() == {"source-moved"}
    for text in (FILES["docs/zh/a.md"].replace("见", "参见"), FILES["docs/zh/a.md"]):
        lay(root, "docs/zh/a.md", text)
        git("commit", "-qam", "the translation, and back")
    assert origins() == origins() == {"translation"}
