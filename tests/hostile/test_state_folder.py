"""A folder `.hexapla` that came with a tree changes nothing that is found, holds no command, and leads nowhere."""

import os
import shutil
import sqlite3
import subprocess
import zlib
from pathlib import Path

import pytest
import yaml
from hexapla.cache import FILE, Cache
from hexapla.installation import SEAL_BYTES, own_folder, state_folder

from tests.site.project import hexapla

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/state_folder.yml").read_text(encoding="utf-8"))
PAGES = {"docs/en/page.md": "# Page {#page}\n\n[nowhere](none.md)\n\nThe limit is 4.\n",
         "docs/ja/page.md": "# ページ {#page}\n\n[どこ](none.md)\n\n上限\u202eは 5。\n"}
SEVERAL = {f"docs/en/more{number}.md": f"# More {{#m{number}}}\n\n[nowhere](none.md)\n" for number in range(30)}


def check(root):
    return hexapla("check", "--layout", "docs/{lang}/{page}.md", "--root", str(root), cwd=root)


def lay(root, pages=PAGES):
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def arm(root, case, outside):
    """Put into a tree, whose folder this installation made, what a case says; what a link leads to."""
    file = root / FILE
    with sqlite3.connect(file) as database:
        if "rows" in case:
            data = zlib.compress(case["rows"].encode())
            # As a stranger may do who has seen a database of this installation: with the seal of another answer.
            database.execute("update answers set value = substr(value, 1, ?) || ?", (SEAL_BYTES, data))
        database.executescript(case.get("sql", ""))
    database.close()
    target = outside / "target"
    if "link" in case and case["link"] == ".hexapla":
        shutil.rmtree(root / ".hexapla")
        target.mkdir()
        (root / ".hexapla").symlink_to(target)
    elif "link" in case:
        (root / case["link"]).unlink(missing_ok=True)
        (root / case["link"]).symlink_to(target)
    if "file" in case:
        shutil.rmtree(root / ".hexapla")
        (root / case["file"]).write_text("text", encoding="utf-8")
    if "pipe" in case:
        file.unlink()
        os.mkfifo(file)
    if case.get("tracked"):
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        subprocess.run(["git", "-C", str(root), "add", "-f", ".hexapla"], check=True)
    return target


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_folder_that_came_with_a_tree_changes_nothing(case, tmp_path):
    root = lay(tmp_path / "tree")
    fresh = check(root)
    assert fresh.returncode == 1 and not fresh.stderr
    target = arm(root, case, tmp_path)
    done = check(root)
    assert done.stdout == fresh.stdout
    assert done.stderr.count("\n") == (1 if case["says"] else 0)
    assert case["says"] in done.stderr
    assert not target.is_dir() or not list(target.iterdir())
    assert not target.is_file()


def test_the_sentence_is_said_once_however_many_processes_check(tmp_path):
    root = lay(tmp_path / "tree", PAGES | SEVERAL)
    (root / ".hexapla").symlink_to(tmp_path)
    assert check(root).stderr.count("\n") == 1


def test_an_answer_is_kept_under_its_own_key_alone(tmp_path):
    kept = Cache(tmp_path)
    kept.put("one", "first")
    kept.put("two", "second")
    kept.flush()
    with kept.database:
        kept.database.execute("update answers set value = (select value from answers where key = 'two')")
    assert (kept.get("one"), kept.get("two")) == (None, "second")
    kept.close()


def test_another_installation_s_database_is_made_anew(tmp_path):
    kept = Cache(tmp_path, own_folder(state_folder(tmp_path).path)._replace(key=b"another"))
    kept.put("one", "first")
    kept.close()
    assert Cache(tmp_path).get("one") is None
    assert (tmp_path / FILE).stat().st_size
