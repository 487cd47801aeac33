"""In another's tree a finding is as severe as its kind is certain: lost by a translation, or shown by its source."""

from pathlib import Path

import pytest
from hexapla.checks.engine.certainty import CERTAINTIES
from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.checks.rules.registry import READERS
from hexapla.checks.rules.selection import SEVERITIES, Selection
from hexapla.config.discovery import TreeOptions
from hexapla.frameworks.registry import FRAMEWORKS

from tests.site.project import write

VITEPRESS = {".vitepress/config.ts": ""}
STARLIGHT = {"astro.config.mjs": "", "src/content/docs/index.md": "# A\n", "src/content/docs/ja/index.md": "# あ\n"}
LOST, SHOWN = "zh/a.md", "en/a.md"
# A tree's files, and the severities by page and rule.
TREES = {
    "an anchor where ids are known": (
        VITEPRESS | {SHOWN: "# A\n\n[b](#b) [c](#c)\n\n## B\n", LOST: "# 甲\n\n[乙](#b) [丙](#c)\n\n## 乙\n"},
        {f"{SHOWN} link-anchor-missing #c warning", f"{LOST} link-anchor-missing #b error",
         f"{LOST} link-anchor-missing #c warning"},
    ),
    "an anchor that the source shows, where the tree is nearly always right": (
        {"astro.config.mjs": "", "src/content/docs/a.md": "# A\n\n[c](#c)\n", "src/content/docs/ja/a.md": "# あ\n"},
        {"src/content/docs/a.md link-anchor-missing #c error"},
    ),
    "an anchor where nothing tells how ids are made": (
        {"docs/en/a.md": "# A\n\n[b](#b)\n\n## B\n", "docs/ja/a.md": "# あ\n\n[い](#b)\n\n## い\n"},
        {"docs/ja/a.md link-anchor-missing #b note"},
    ),
    "a page beside others, and of a folder that is not there": (
        VITEPRESS | {SHOWN: "# A\n\n[b](b.md) [d](d.md)\n", "en/b.md": "# B\n", "zh/b.md": "# 乙\n",
                     LOST: "# 甲\n\n[乙](c.md) [丁](d.md) [丙](api/c.md)\n"},
        {f"{SHOWN} link-target-missing d.md note", f"{LOST} link-target-missing c.md warning",
         f"{LOST} link-target-missing d.md note", f"{LOST} link-target-missing api/c.md note"},
    ),
    "the same site path in each page's language": (
        VITEPRESS | {SHOWN: "# A\n\n[c](/en/api/c)\n", "en/api/b.md": "# B\n", "zh/api/b.md": "# 乙\n",
                     LOST: "# 甲\n\n[c](/zh/api/c)\n"},
        {f"{SHOWN} link-target-missing /en/api/c note", f"{LOST} link-target-missing /zh/api/c note"},
    ),
    "a mark": (
        VITEPRESS | {SHOWN: "# A\n\nUse `a.\n", LOST: "# 甲\n\n用 `a。\n\n再用 `b。\n", "en/b.md": "# B\n\nUse `b`.\n",
                     "zh/b.md": "# 乙\n\n用 b`。\n"},
        {f"{SHOWN} markup-literal Use `a. note", f"{LOST} markup-literal 再用 `b。 note",
         "zh/b.md markup-literal 用 b`。 error"},
    ),
    "bold marks beside punctuation that docsify does not know": (
        {"index.html": "<script>window.$docsify = {}</script>", "en/a.md": "# A\n\n**Note:** a\n",
         "zh/a.md": "# 甲\n\n**注意：**甲\n"},
        {"zh/a.md markup-literal **注意：**甲 note"},
    ),
}


def severities(root, **options):
    found = check_tree(CheckOptions(TreeOptions(root), **{"parity": False, "cached": False} | options)).findings
    shown = {f"{each.path} {each.rule} {each.subject.partition('#')[1]}{each.subject.partition('#')[2]} {each.severity}"
             if each.rule == "link-anchor-missing" else f"{each.path} {each.rule} {each.subject} {each.severity}"
             for each in found}
    return {each for each in shown if " link-" in each or " markup-" in each}


@pytest.mark.parametrize("name", TREES)
def test_severities(tmp_path, name):
    files, expected = TREES[name]
    root = write(tmp_path, files)
    assert severities(root) == expected


def test_the_table_is_about_what_is_reported():
    assert {row.rule for row in CERTAINTIES} <= READERS
    assert {row.lost for row in CERTAINTIES} | {row.shown for row in CERTAINTIES} <= {*SEVERITIES}
    assert {name for row in CERTAINTIES for name in row.frameworks} <= {each.name for each in FRAMEWORKS}
    rows = [row[0:1] + row[3:] for row in CERTAINTIES]
    assert len({*rows}) == len(rows)


CHOSEN = {
    "a page": ({"paths": (LOST,)}, "warning"),
    "a rule": ({"rules": Selection(select=frozenset({"link-target-missing"}))}, "error"),
    "a severity": ({"rules": Selection(severity={"link-target-missing": "note"})}, "note"),
    "all is compared": ({"parity": True}, "error"),
    "a baseline": ({"write_baseline": Path("base.json")}, "error"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_chosen(tmp_path, name):
    root = write(tmp_path, VITEPRESS | {SHOWN: "# A\n", LOST: "# 甲\n\n[乙](c.md)\n"})
    options, severity = CHOSEN[name]
    if "paths" in options:
        options = {"paths": tuple(root / path for path in options["paths"])}
    if "write_baseline" in options:
        options = {"write_baseline": root / options["write_baseline"]}
    assert f"{LOST} link-target-missing c.md {severity}" in severities(root, **options)


def test_a_source_that_cannot_be_read_is_no_witness_and_hides_nothing(tmp_path):
    root = write(tmp_path, VITEPRESS | {SHOWN: "# A\n", LOST: "# 甲\n\n[乙](c.md)\n", "en/b.md": "# B\n"})
    (root / SHOWN).write_bytes(b"# Caf\xe9\n")
    assert severities(root) == {f"{LOST} link-target-missing c.md note"}
