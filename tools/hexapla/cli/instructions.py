"""`hexapla instructions`: what a translator's tool has to know of a language, as Markdown to keep in a file."""

import argparse
from collections.abc import Iterable, Iterator, Sequence

from hexapla.checks.rules.manual import summarize_rule
from hexapla.checks.rules.registry import RULES, Rule
from hexapla.cli.terminal import say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.glossary import Term
from hexapla.pages.invisible import visible
from hexapla.setup import read_template
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


def instructions_lines(
    source: str, code: str, terms: Sequence[Term], words: str, rules: Iterable[Rule]
) -> Iterator[str]:
    """The lines of a file for a language; `words` are the project's own instructions, "" for none."""
    yield read_template("templates/instructions.md").format(source=source, code=code)
    if words.strip():
        yield f"## Style\n\n{words.strip()}\n"
    if rows := [row for term in terms if not term.conversion and (row := term_row(term, code))]:
        yield "## Terms\n\n| Term | Write | Also right | Never |\n|---|---|---|---|"
        yield from rows
        yield ""
    yield "## What is refused or asked about\n"
    yield from (f"- `{rule.id}`: {summarize_rule(rule)}" for rule in rules
                if rule.scope in {"page", "translation"} and rule.asked != "noted")


def term_row(term: Term, code: str) -> str:
    """A row of the table of terms, "" for a term that has no rendering in the language."""
    written = term.term if term.keep else term.renderings.get(code, "")
    cells = (term.term, written, ", ".join(term.also.get(code, ())), ", ".join(term.forbidden.get(code, ())))
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |" if written else ""
