"""What `hexapla check` makes of a tree without a layout: the trees of tests/cases/frameworks.

A case gives the files of a tree, options, and either the lines that say what was understood with the findings, as
`path:line rule`, or the sentence of an error. `outside` are files in the working folder beside the tree. `rules` are
patterns of the findings that are meant; default: all.
"""

import json
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hexapla.cli import main
from hexapla.frameworks.registry import FRAMEWORKS
from hexapla.pages.lines import DIALECTS

from tests.cases import cases
from tests.site.project import write

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("case", cases("frameworks"))
def test_a_tree_is_understood_by_its_files(case, capsys, tmp_path, monkeypatch):
    root = write(tmp_path / "tree", case["files"])
    monkeypatch.chdir(write(tmp_path, case.get("outside", {})))
    status = main(["check", "--root", str(root), "--format", "json", *case.get("options", ())])
    said = capsys.readouterr()
    if "error" in case:
        assert (status, said.out) == (2, "")
        assert case["error"] in said.err
        return
    report = json.loads(said.out)
    found = [f"{each['path']}:{each['line']} {each['rule']}" for each in report["findings"]
             if any(fnmatch(each["rule"], pattern) for pattern in case.get("rules", ["*"]))
             and each["rule"] != "anchor-unpinned"]
    assert report["summary"]["understood"] == case["understood"]
    assert found == case["findings"]


def test_unpinned_ids_are_one_line(capsys, tmp_path):
    page = "# A\n\n" + "".join(f"## Part {number}\n\n" for number in range(12))
    root = write(tmp_path, {"book.toml": "", "src/en/a.md": page, "src/ja/a.md": page.replace("Part", "部")})
    main(["check", "--root", str(root)])
    said = capsys.readouterr().out
    assert "25 headings in 2 pages have ids made of their words (anchor-unpinned)" in said
    assert f"hexapla check --root {root} --select anchor-unpinned --fix --write" in said
    assert said.count("anchor-unpinned") == 3


def test_messages_of_po_files_are_counted_by_status_too(capsys, tmp_path):
    case = dict(next(each.values for each in cases("frameworks") if each.id == "sphinx_restructuredtext")[0])
    root = write(tmp_path, case["files"])
    assert main(["status", "--root", str(root)]) == 0
    assert capsys.readouterr().out == case["understood"][1] + "\n"


def test_a_finding_in_a_po_file_points_at_what_stands_for_the_thing(capsys, tmp_path):
    catalog = 'msgid "See [`a`](a.md)."\nmsgstr ""\n"[`a`](b.md), "\n"a.md"\n'
    root = write(tmp_path, {"book.toml": "", "src/a.md": "# A\n", "po/ja.po": catalog})
    main(["check", "--root", str(root), "--format", "json"])
    [found] = json.loads(capsys.readouterr().out)["findings"]
    assert (found["line"], found["column"], found["language"]) == (4, 2, "ja")


def test_a_po_file_that_was_mended_has_no_finding_in_the_same_process(capsys, tmp_path):
    found = []
    for target in ("b.md", "a.md"):
        catalog = f'msgid "See [`a`](a.md)."\nmsgstr "[`a`]({target})"\n'
        root = write(tmp_path, {"book.toml": "", "src/a.md": "# A\n", "po/ja.po": catalog})
        main(["check", "--root", str(root), "--format", "json"])
        found.append(len(json.loads(capsys.readouterr().out)["findings"]))
    assert found == [1, 0]


def test_a_framework_has_one_name_and_a_rule_of_ids():
    assert len({each.key for each in FRAMEWORKS}) == len(FRAMEWORKS)
    assert {each.ids for each in FRAMEWORKS} <= {*DIALECTS}


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_the_page_has_a_row_for_each_framework(language):
    text = (DOCS / language / "tools/frameworks.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ") and "`" in line.split("|")[2]]
    assert [(row[1].strip(), row[2].strip(" `")) for row in rows[1:]] == [(each.name, each.key) for each in FRAMEWORKS]
