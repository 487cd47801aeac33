"""`hexapla instructions`: what a translator's tool has to know of a language, as Markdown to keep in a file."""

import argparse

from hexapla.agents.instructions import instructions_lines
from hexapla.checks.rules.registry import RULES
from hexapla.cli.terminal import say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.pages.invisible import visible
from hexapla.translation.records.draft_inputs import read_material
from hexapla.translation.tracking import require_language


def instructions(chosen: argparse.Namespace) -> int:
    """`hexapla instructions`: the text of a SKILL or AGENTS file."""
    tree = translated_tree(chosen)
    require_language(tree, chosen.language)
    words = read_material(tree.layout.root, chosen.language).instructions
    lines = instructions_lines(tree.layout.source, chosen.language, find_terms(tree.layout.root), words, RULES)
    say("\n".join(visible(line) for whole in lines for line in whole.split("\n")))
    tree.cache.close()
    return 0
