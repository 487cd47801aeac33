"""The table of all rules: id, severity, scope, one-line summary, and the function that finds violations.

The summary is the first sentence of the rule's section in docs/en/tools/rules.md. Rules without a function are raised
where a file is read: by the engine for pages, by the site's build for everything else.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hexapla.checks.engine.context import Check

# What a rule has to see.
SCOPES = {
    "page": "one page alone", "translation": "a translation beside its source", "tree": "all pages of the tree",
    "site": "what a site is built from",
}


class Rule(NamedTuple):
    """A rule; one function may serve several.

    `function` is "module.function" below `checks.rules`. It is imported on first use: most runs look at few pages.
    An `optional` rule is off until a configuration or the command line names it.
    """

    id: str
    severity: str
    scope: str
    summary: str
    function: str = ""
    optional: bool = False

    @property
    def compares(self) -> bool:
        """Whether the rule needs a page's source and so runs on translations alone."""
        return self.scope == "translation"

    @property
    def check(self) -> "Check":
        """The function that yields the violations of a page."""
        return function_of(self.function)


@cache
def function_of(path: str) -> "Check":
    """The function at "module.function" below `checks.rules`."""
    module, _, name = path.rpartition(".")
    found: Check = getattr(import_module(f"hexapla.checks.rules.{module}"), name)
    return found


LINK_RULES: tuple[Rule, ...] = (
    Rule("link-target-missing", "error", "page",
         "A link or an image leads to a page or a file that exists neither in this language nor in a fallback.",
         "links.targets.broken"),
    Rule("link-anchor-missing", "error", "page",
         "A link names a page that exists and an id that this page does not have.", "links.targets.broken"),
    Rule("anchor-fragile", "warning", "page",
         "A link leads to an id that counts headings, `#_3` or `#step_1`.", "links.targets.broken"),
    Rule("link-malformed", "error", "page",
         "A link has a target that is neither an address nor a path, brackets that never close, or no words.",
         "links.targets.malformed"),
    Rule("link-differs", "error", "translation",
         "A link of the translation leads elsewhere than its counterpart in the source.", "links.parity.differing"),
    Rule("link-missing", "warning", "translation",
         "The source has a link here, the translation has none.", "links.parity.differing"),
    Rule("link-extra", "warning", "translation",
         "The translation links to something that the source does not link to.", "links.parity.differing"),
    Rule("link-host-new", "warning", "translation",
         "A link leads to a host that the source page never names.", "links.parity.new_hosts"),
    Rule("image-differs", "warning", "translation",
         "The translation lacks an image of the source, or has one that the source does not have.",
         "links.parity.images"),
    Rule("anchor-unpinned", "warning", "page",
         "The id of a heading is generated from its words.", "anchors.unpinned"),
    Rule("anchor-differs", "error", "translation",
         "A heading has another id than its counterpart in the source.", "anchors.differing"),
    Rule("anchor-duplicate", "error", "page",
         "Two places of a page have the same id.", "anchors.duplicated"),
    Rule("anchor-redirect", "error", "page",
         "A row of `redirects` in the front matter leads nowhere, or away from an id that the page still has.",
         "redirects.anchor_redirect"),
)

FILE_RULES: tuple[Rule, ...] = (
    Rule("html-unsafe", "error", "translation",
         "The translation has HTML that loads or runs something and that the source does not have.", "html.unsafe"),
    Rule("character-hidden", "error", "page",
         "The page has an invisible character, or a Cyrillic letter in a Latin word.", "text.invisible.unseen"),
    Rule("include-missing", "error", "page",
         "An include names a file that does not exist, or is written so that it is printed.", "includes.includes"),
    Rule("include-section-missing", "error", "page",
         "An include names a section that its file does not have or never closes.", "includes.includes"),
    Rule("include-empty", "error", "page",
         "An include names a section or a range of lines that holds nothing.", "includes.includes"),
    Rule("evidence-missing", "error", "page",
         "A figure is a reference into the evidence, and the evidence does not have it.", "evidence.evidence_missing"),
    Rule("page-unreadable", "error", "page",
         "A page has more than 800,000 characters, or the renderer fails on it.", "includes.includes"),
    Rule("front-matter", "error", "page",
         "The text between the first two `---` of a page is not a YAML mapping, or has a key twice.",
         "includes.includes"),
    Rule("code-unclosed", "error", "page", "A code fence is never closed.", "includes.includes"),
    Rule("encoding", "error", "page", "A page is not UTF-8, or cannot be read."),
)

STRUCTURE_RULES: tuple[Rule, ...] = (
    Rule("heading-level", "warning", "translation",
         "A heading has another level than its counterpart in the source.", "structure.heading_level"),
    Rule("heading-count", "warning", "translation",
         "Only one of the two pages has this heading.", "structure.heading_count"),
    Rule("table-shape", "warning", "translation",
         "A table has other numbers of rows or columns than the source's, or is missing.", "tables.table_shape"),
    Rule("list-count", "warning", "translation",
         "A section has more or fewer list items than the source's.", "structure.list_count"),
    Rule("admonition-differs", "warning", "translation",
         "A call-out is of another kind than the source's, missing, added, empty or never closed.",
         "structure.admonition_differs"),
    Rule("code-count", "error", "translation",
         "The page has more or fewer code blocks than the source.", "code.parity.code_count"),
    Rule("code-differs", "error", "translation",
         "A code block is not the source's.", "code.parity.code_differs"),
    Rule("code-inline-differs", "warning", "translation",
         "Only one of the two pages has this inline code in this section.", "code.parity.code_inline_differs"),
)

TEXT_RULES: tuple[Rule, ...] = (
    Rule("number-differs", "warning", "translation",
         "A number is missing from the same section of the other page, or two numbers changed places.",
         "numbers.rule.number_differs"),
    Rule("figure-unbound", "warning", "page",
         "A measured figure is neither a reference into the evidence nor has a source beside it.",
         "numbers.unbound.figure_unbound", optional=True),
    Rule("heading-untranslated", "warning", "translation",
         "A heading is in the source's language.", "text.untranslated.heading_untranslated"),
    Rule("text-untranslated", "warning", "translation",
         "A paragraph, an item, a cell, a sentence or half of one is in the source's language.",
         "text.untranslated.text_untranslated"),
    Rule("residue", "warning", "translation",
         "A translation holds an answer of a translation program, a prompt, or a placeholder that its source does not "
         "have.", "text.machine_text.residue"),
    Rule("merge-conflict", "error", "page",
         "The page holds a merge conflict marker.", "text.machine_text.merge_conflict"),
    Rule("text-truncated", "warning", "translation",
         "A block ends in mid-sentence where the source's does not.", "text.length.text_truncated"),
    Rule("text-missing", "warning", "translation",
         "A section lacks a paragraph of the source, or the text of an item or a cell.",
         "text.missing.text_missing"),
    Rule("length-suspect", "note", "translation",
         "A block is much shorter or longer than its source suggests, or repeated.",
         "text.length.length_suspect"),
    Rule("term-forbidden", "warning", "translation",
         "The page uses a word that the glossary forbids.", "text.terms.term_forbidden"),
    Rule("term-inconsistent", "warning", "translation",
         "The source has a term here, the translation has none of its agreed renderings.",
         "text.terms.term_inconsistent"),
    Rule("markup-literal", "error", "page",
         "The reader sees a mark of Markdown or HTML that was not rendered.", "text.markup.markup_literal"),
    Rule("bracket-unbalanced", "warning", "page",
         "A bracket has no partner, and the source has none such.", "text.markup.bracket_unbalanced"),
    Rule("script-mixed", "warning", "page",
         "The page has characters of another Chinese script, or words in letters of another language.",
         "text.scripts.script_mixed"),
    Rule("row-column", "warning", "page",
         "A Simplified Chinese page names a column by the word that is a row in Taiwan.",
         "text.rows.row_column", optional=True),
    Rule("mojibake", "error", "page",
         "The page, or a single place of it, is garbled: UTF-8 that was opened as something else.",
         "text.mojibake.mojibake"),
)

TREE_RULES: tuple[Rule, ...] = (
    Rule("page-missing", "note", "tree", "A language lacks a page of the source.", "coverage.coverage"),
    Rule("page-lost", "warning", "tree", "A page that was translated is gone.", "coverage.coverage"),
    Rule("page-orphan", "warning", "tree", "A translation has no source page any more.", "coverage.coverage"),
    Rule("record-conflict", "error", "tree",
         "A file of records holds both sides of a merge's conflict.", "record_conflicts.record_conflict"),
    Rule("nav-missing", "warning", "tree",
         "The navigation does not name a page, or names one that does not exist.", "navigation.navigation"),
)

SITE_RULES: tuple[Rule, ...] = (
    Rule("snippet-syntax", "error", "site", "A snippet that a page includes as Python does not parse."),
    Rule("comment-table", "error", "site",
         "An entry of snippets/comments.yml is malformed, or no snippet has its comment."),
    Rule("evidence-invalid", "error", "site", "A file of recorded runs is damaged or was edited by hand."),
    Rule("glossary", "error", "site", "An entry of the glossary is malformed."),
    Rule("derived-passage", "error", "site",
         "A passage written by hand for a derived page is malformed, or its original has changed."),
)

RULES: tuple[Rule, ...] = (*LINK_RULES, *FILE_RULES, *STRUCTURE_RULES, *TEXT_RULES, *TREE_RULES, *SITE_RULES)
BY_ID = {rule.id: rule for rule in RULES}
# The rules whose functions take one page, with or without its source.
PAGE_RULES = tuple(rule for rule in RULES if rule.function and rule.scope in {"page", "translation"})
USUAL_RULES = tuple(rule for rule in PAGE_RULES if not rule.optional)  # without a configuration
