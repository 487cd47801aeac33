"""`hexapla new snippet` writes what a project has of each snippet, and what it writes runs and passes as it is."""

from pathlib import Path

import pytest
import yaml
from hexapla.cli import main

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/setup/new_snippets.yml").read_text(encoding="utf-8"))
PROJECT = {
    "mkdocs.yml": "site_name: X\nplugins: [hexapla]\n",
    "docs/en/guide.md": "# Guide {#guide}\n\n## First {#first}\n\nOne.\n\n## Second {#second}\n\nThe end.\n",
}


def lay(root, files):
    for name, text in (PROJECT | files).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def contents(root):
    return {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in root.rglob("*") if file.is_file() and ".hexapla" not in file.parts
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_snippet_begins_with_what_the_project_has_of_each(case, tmp_path, capsys):
    root = lay(tmp_path / "project", case.get("files", {}))
    before = contents(root)
    command = ["new", "snippet", *case["given"], "--root", str(root)]
    status = main(command)
    shown = capsys.readouterr()
    assert contents(root) == before
    if "refused" in case:
        assert status == 2 and case["refused"] in shown.err
        assert main([*command, "--write"]) == 2 and contents(root) == before
        return
    assert main([*command, "--write"]) == 0
    after = contents(root)
    assert {name for name in after if after[name] != before.get(name)} == case["written"].keys()
    assert all(words in after[name] for name, words in case["written"].items())
    assert shown.out.splitlines() == [
        *(f"{name}: would be written" for name in case["written"]), "nothing was written; begin it with --write",
    ]
    assert main([*command, "--write"]) == 2  # it is there now


@pytest.mark.parametrize("files", [{}, {"tests/snippets/other/test_one.py": "def test_one():\n    pass\n"}])
def test_it_runs_passes_its_test_and_is_clean_as_it_is(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = lay(tmp_path / "project", files)
    command = ["new", "snippet", "numbers/add", "--page", "docs/en/guide.md#first", "--root", str(root), "--write"]
    assert main(command) == 0
    following = capsys.readouterr().out.splitlines()[-1].removeprefix("next: hexapla ").split()
    assert main(following) == 0
    assert "The sum is 3" in capsys.readouterr().out
    assert main(["check", "--root", str(root)]) == 0, capsys.readouterr().out
