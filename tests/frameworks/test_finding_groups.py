"""Findings that say one thing about another's tree stand as one, where nobody compares or chooses."""

import pytest
from hexapla.cache import Cache
from hexapla.checks.engine.finding_groups import fold_groups
from hexapla.checks.engine.tree_check import CheckOptions, check_tree, run_check, tree_of
from hexapla.checks.rules.selection import Selection
from hexapla.config.discovery import TreeOptions, find_layout

from tests.growth.growth import superlinear
from tests.site.project import write

PICTURES = " ".join(f"![](pictures/{number}.png)" for number in range(10))
TREE = {"book.toml": "", "src/en/a.md": f"# A\n\n{PICTURES}\n", "src/en/b.md": "# B\n\n[a](gone.md)\n"}
ONE_BY_ONE = {
    "pages": lambda root: {"paths": (root / "src/en/a.md",)},
    "rules": lambda root: {"rules": Selection(select=frozenset({"link-target-missing"}))},
    "a severity": lambda root: {"rules": Selection(severity={"link-target-missing": "warning"})},
    "the note is ignored": lambda root: {"rules": Selection(ignore=frozenset({"link-unresolved-group"}))},
    "all is compared": lambda root: {"parity": True},
    "a baseline": lambda root: {"write_baseline": root / "base.json"},
}


def rules(root, **options):
    found = check_tree(CheckOptions(TreeOptions(root), **{"parity": False, "cached": False} | options)).findings
    return [each.rule for each in found if each.rule.startswith("link-")]


def test_what_says_one_thing_is_one(tmp_path):
    assert rules(write(tmp_path, TREE)) == ["link-unresolved-group", "link-target-missing"]


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_each_is_told_by_itself_to_who_chooses_or_compares(tmp_path, name):
    root = write(tmp_path, TREE)
    assert rules(root, **ONE_BY_ONE[name](root)).count("link-target-missing") >= 10


def test_a_baseline_knows_what_is_left_of_a_group(tmp_path):
    root = write(tmp_path, TREE)
    rules(root, write_baseline=root / "base.json")
    write(root, {"src/en/pictures/0.png": ""})
    assert rules(root, baseline=root / "base.json") == []


def test_growth(tmp_path):
    def prepare(count):
        links = " ".join(f"[x](b.md#id-{number})" for number in range(count))
        headings = "".join(f"## Part {number} (more)\n\n" for number in range(count))
        root = write(tmp_path / str(count), {
            "book.toml": "", "src/en/a.md": f"# A\n\n{links}\n", "src/en/b.md": headings,
        })
        options = CheckOptions(TreeOptions(root), cached=False, parity=False)
        outcome, checker, _ = run_check(tree_of(find_layout(options.tree), ()), Cache(None), options, None)
        return lambda: fold_groups(checker, outcome.findings)

    assert not superlinear(prepare, 400)
