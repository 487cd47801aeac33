"""The benchmark by mutation leaves out no rule that looks at a page."""

from hexapla.checks.engine.context import Tree
from hexapla.checks.rules.registry import RULES

from benchmarks.mutation import links, structure, text, tree
from benchmarks.mutation.__main__ import Changed

NOT_SEEDED = {"page-unreadable"}  # an included file whose bytes are no text: no page can be made to have one


def test_every_rule_has_defects_to_find():
    seeded = {*links.SEEDERS, *structure.SEEDERS, *text.SEEDERS, *tree.RULES}
    assert {rule.id for rule in RULES} | {"page-missing", "page-orphan", "nav-missing"} == seeded | NOT_SEEDED


def test_the_changed_tree_answers_whatever_a_rule_asks():
    assert {name for name in vars(Tree) if not name.startswith("_")} <= vars(Changed).keys()
