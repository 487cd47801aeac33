"""The benchmark by mutation leaves out no rule that looks at a page."""

from hexapla.checks.rules.registry import PAGE_RULES, TREE_RULES

from benchmarks.mutation import links, structure, text, tree

NOT_SEEDED = {
    "page-unreadable",  # an included file whose bytes are no text: no page can be made to have one
    "language-wrong", "language-mixed", "sentence-repeated", "sentence-count", "token-order", "punctuation-width",
    "register-mixed",  # benchmarks/judge puts their defects into sections
    "address-lost",  # of a ledger, which is made before something is lost: tests/checks/test_addresses.py
    "message-differs",  # of PO files: tests/cases/frameworks has what their messages lose
    "page-lost", "record-conflict",  # of records, which the trees that defects are put into do not have
    "evidence-invalid", "evidence-outdated", "evidence-differs",  # benchmarks/evidence does that to recorded runs
}


def test_every_rule_has_defects_to_find():
    seeded = {*links.SEEDERS, *structure.SEEDERS, *text.SEEDERS, *tree.RULES}
    assert {rule.id for rule in (*PAGE_RULES, *TREE_RULES)} == seeded | NOT_SEEDED
