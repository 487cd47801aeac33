"""The table of rules: what each is called, how much it weighs, and the function that finds it."""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hexapla.checks.engine.context import Check


class Rule(NamedTuple):
    """A rule. `compares` ones need a source and are asked about translations alone; one function may serve several.

    `function` is named, "module.function", and imported when it is asked: most runs look at no page or at one.
    """

    id: str
    severity: str
    function: str
    compares: bool = False

    @property
    def check(self) -> "Check":
        """The function that finds it."""
        module, _, name = self.function.rpartition(".")
        found: Check = getattr(import_module(f"hexapla.checks.rules.{module}"), name)
        return found


LINK_RULES: tuple[Rule, ...] = (
    Rule("link-target-missing", "error", "links.targets.broken"),
    Rule("link-anchor-missing", "error", "links.targets.broken"),
    Rule("anchor-fragile", "warning", "links.targets.broken"),
    Rule("link-malformed", "error", "links.targets.malformed"),
    Rule("link-differs", "error", "links.parity.differing", compares=True),
    Rule("link-missing", "warning", "links.parity.differing", compares=True),
    Rule("link-extra", "warning", "links.parity.differing", compares=True),
    Rule("link-host-new", "warning", "links.parity.new_hosts", compares=True),
    Rule("image-differs", "warning", "links.parity.images", compares=True),
    Rule("anchor-unpinned", "warning", "anchors.unpinned"),
    Rule("anchor-differs", "error", "anchors.differing", compares=True),
    Rule("anchor-duplicate", "error", "anchors.duplicated"),
    Rule("html-unsafe", "error", "embedded.unsafe", compares=True),
    Rule("character-hidden", "error", "text.invisible.unseen"),
    Rule("include-missing", "error", "embedded.includes"),
    Rule("include-section-missing", "error", "embedded.includes"),
    Rule("include-empty", "error", "embedded.includes"),
    Rule("page-unreadable", "error", "embedded.includes"),
    Rule("front-matter", "error", "embedded.includes"),
    Rule("code-unclosed", "error", "embedded.includes"),
)

STRUCTURE_RULES: tuple[Rule, ...] = (
    Rule("heading-level", "warning", "structure.heading_level", compares=True),
    Rule("heading-count", "warning", "structure.heading_count", compares=True),
    Rule("table-shape", "warning", "tables.table_shape", compares=True),
    Rule("list-count", "warning", "structure.list_count", compares=True),
    Rule("admonition-differs", "warning", "structure.admonition_differs", compares=True),
    Rule("code-count", "error", "code.parity.code_count", compares=True),
    Rule("code-differs", "error", "code.parity.code_differs", compares=True),
    Rule("code-inline-differs", "warning", "code.parity.code_inline_differs", compares=True),
)

TEXT_RULES: tuple[Rule, ...] = (
    Rule("number-differs", "warning", "numbers.rule.number_differs", compares=True),
    Rule("heading-untranslated", "warning", "text.untranslated.heading_untranslated", compares=True),
    Rule("text-untranslated", "warning", "text.untranslated.text_untranslated", compares=True),
    Rule("residue", "error", "text.machine_text.residue"),
    Rule("text-truncated", "warning", "text.length.text_truncated", compares=True),
    Rule("length-suspect", "note", "text.length.length_suspect", compares=True),
    Rule("term-forbidden", "warning", "text.terms.term_forbidden", compares=True),
    Rule("term-inconsistent", "warning", "text.terms.term_inconsistent", compares=True),
    Rule("markup-literal", "error", "text.markup.markup_literal"),
    Rule("bracket-unbalanced", "warning", "text.markup.bracket_unbalanced"),
    Rule("script-mixed", "warning", "text.scripts.script_mixed"),
    Rule("mojibake", "error", "text.mojibake.mojibake"),
)

RULES: tuple[Rule, ...] = (*LINK_RULES, *STRUCTURE_RULES, *TEXT_RULES)
