"""The table of rules: what each is called, how much it weighs, and the function that finds it."""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hexapla.checks.context import Check


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
        module, _, name = self.function.partition(".")
        found: Check = getattr(import_module(f"hexapla.checks.{module}"), name)
        return found


LINK_RULES: tuple[Rule, ...] = (
    Rule("link-target-missing", "error", "links.broken"),
    Rule("link-anchor-missing", "error", "links.broken"),
    Rule("anchor-fragile", "warning", "links.broken"),
    Rule("link-malformed", "error", "links.malformed"),
    Rule("link-differs", "error", "linkparity.differing", compares=True),
    Rule("link-missing", "warning", "linkparity.differing", compares=True),
    Rule("link-extra", "warning", "linkparity.differing", compares=True),
    Rule("link-host-new", "warning", "linkparity.new_hosts", compares=True),
    Rule("image-differs", "warning", "linkparity.images", compares=True),
    Rule("anchor-unpinned", "warning", "anchors.unpinned"),
    Rule("anchor-differs", "error", "anchors.differing", compares=True),
    Rule("anchor-duplicate", "error", "anchors.duplicated"),
    Rule("html-unsafe", "error", "embedded.unsafe", compares=True),
    Rule("character-hidden", "error", "unseen.unseen"),
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
    Rule("code-count", "error", "listings.code_count", compares=True),
    Rule("code-differs", "error", "listings.code_differs", compares=True),
    Rule("code-inline-differs", "warning", "listings.code_inline_differs", compares=True),
)

TEXT_RULES: tuple[Rule, ...] = (
    Rule("number-differs", "warning", "figures.number_differs", compares=True),
    Rule("heading-untranslated", "warning", "untranslated.heading_untranslated", compares=True),
    Rule("text-untranslated", "warning", "untranslated.text_untranslated", compares=True),
    Rule("residue", "error", "residue.residue"),
    Rule("text-truncated", "warning", "length.text_truncated", compares=True),
    Rule("length-suspect", "note", "length.length_suspect", compares=True),
    Rule("term-forbidden", "warning", "terms.term_forbidden", compares=True),
    Rule("term-inconsistent", "warning", "terms.term_inconsistent", compares=True),
    Rule("markup-literal", "error", "markup.markup_literal"),
    Rule("bracket-unbalanced", "warning", "markup.bracket_unbalanced"),
    Rule("script-mixed", "warning", "scripts.script_mixed"),
    Rule("mojibake", "error", "garbled.mojibake"),
)

RULES: tuple[Rule, ...] = (*LINK_RULES, *STRUCTURE_RULES, *TEXT_RULES)
