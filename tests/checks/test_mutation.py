"""The benchmark by mutation leaves out no rule that looks at a page."""

from hexapla.checks.rules import RULES

from benchmarks.mutation import links, structure, text

# Its ids come from the files on the disk, which a seeded page does not change; a page whose bytes are no text.
NOT_SEEDED = {"anchor-fragile", "page-unreadable", "encoding"}


def test_every_rule_has_defects_to_find():
    seeded = {*links.SEEDERS, *structure.SEEDERS, *text.SEEDERS}
    assert {rule.id for rule in RULES} - NOT_SEEDED == seeded
