"""The table of rules against its page: each rule is written about, with the weight it has."""

import re
from pathlib import Path

from hexapla.checks.rules.registry import RULES

PAGE = Path(__file__).parents[2] / "docs/en/tools/rules.md"
# Rules that look at the tree or at bytes, not at a page: they stand in no table.
OTHERS = {"page-missing": "warning", "page-orphan": "warning", "nav-missing": "warning", "encoding": "error"}


def test_every_rule_has_a_section_that_says_its_weight():
    written = dict(re.findall(r"^### ([a-z-]+) \{#\1\}\n\n(Error|Warning|Note)\. ", PAGE.read_text("utf-8"), re.M))
    known = {rule.id: rule.severity for rule in RULES} | OTHERS
    assert {rule: weight.lower() for rule, weight in written.items()} == known


def test_an_id_is_a_rule_s_own():
    assert len({rule.id for rule in RULES}) == len(RULES)
