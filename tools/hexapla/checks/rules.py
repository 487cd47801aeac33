"""The table of rules: what each is called, how much it weighs, and the function that finds it."""

from dataclasses import dataclass

from hexapla.checks import figures, garbled, length, listings, markup, residue, scripts, structure, terms, untranslated
from hexapla.checks.context import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `compares` ones need a source and are asked about translations alone; one function may serve several."""

    id: str
    severity: str
    check: Check
    compares: bool = False


LINK_RULES: tuple[Rule, ...] = ()

STRUCTURE_RULES: tuple[Rule, ...] = (
    Rule("heading-level", "warning", structure.heading_level, compares=True),
    Rule("heading-count", "warning", structure.heading_count, compares=True),
    Rule("table-shape", "warning", structure.table_shape, compares=True),
    Rule("list-count", "warning", structure.list_count, compares=True),
    Rule("admonition-differs", "warning", structure.admonition_differs, compares=True),
    Rule("code-count", "error", listings.code_count, compares=True),
    Rule("code-differs", "error", listings.code_differs, compares=True),
    Rule("code-inline-differs", "warning", listings.code_inline_differs, compares=True),
)

TEXT_RULES: tuple[Rule, ...] = (
    Rule("number-differs", "warning", figures.number_differs, compares=True),
    Rule("heading-untranslated", "warning", untranslated.heading_untranslated, compares=True),
    Rule("text-untranslated", "warning", untranslated.text_untranslated, compares=True),
    Rule("residue", "error", residue.residue),
    Rule("text-truncated", "warning", length.text_truncated, compares=True),
    Rule("length-suspect", "note", length.length_suspect, compares=True),
    Rule("term-forbidden", "warning", terms.term_forbidden, compares=True),
    Rule("term-inconsistent", "warning", terms.term_inconsistent, compares=True),
    Rule("markup-literal", "error", markup.markup_literal),
    Rule("bracket-unbalanced", "warning", markup.bracket_unbalanced),
    Rule("script-mixed", "warning", scripts.script_mixed),
    Rule("mojibake", "error", garbled.mojibake),
)

RULES: tuple[Rule, ...] = (*LINK_RULES, *STRUCTURE_RULES, *TEXT_RULES)
