"""The table of all rules: id, severity, what the judge of sections does, scope, summary, and the function that finds.

This table is what runs: the engine calls the function of each row that is wanted, by the type of the row's scope. Rows
without a function are raised where a file is read: by the engine for pages, by the site's build for everything else.
The summary is the first sentence of the rule's section in docs/en/tools/rules.md.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from hexapla.checks.context import PageCheck, PairCheck, TreeCheck

# What editor, import, draft and sync do with a section that has a new finding of a rule: they do not take it over, take
# it over as needing review when somebody means it, or let it pass.
Asked = Literal["refused", "asked", "noted"]
# What a rule has to see.
SCOPES = {
    "page": "one page alone", "translation": "a translation beside its source", "tree": "all pages of the tree",
    "site": "what a site is built from",
}


class Rule(NamedTuple):
    """A rule; one function may serve several.

    `function` is "module.function" below `checks.rules`, or "package.module:function" of another package. It is
    imported on first use: most runs look at few pages.
    An `optional` rule is off until a configuration or the command line names it; the judge of sections runs one that
    is `asked` all the same. What a configuration makes an error is refused. `package` is the name of the package that
    brought the rule, "" for Hexapla's own, and `build` changes with its version and its code.
    """

    id: str
    severity: str
    asked: Asked
    scope: str
    summary: str
    function: str = ""
    optional: bool = False
    package: str = ""
    build: str = ""

    @property
    def compares(self) -> bool:
        """Whether the rule needs a page's source and so runs on translations alone."""
        return self.scope == "translation"

    @property
    def check(self) -> "PageCheck | PairCheck":
        """The function of a rule that looks at a page, alone or beside its source."""
        return function_of(self.function)

    @property
    def check_tree(self) -> "TreeCheck":
        """The function of a rule of scope tree."""
        return function_of(self.function)


@cache
def function_of(path: str) -> Callable[..., Any]:
    """The function at "package.module:function", or at "module.function" below `checks.rules`."""
    module, sign, name = path.partition(":")
    if not sign:
        module, _, name = f"hexapla.checks.rules.{path}".rpartition(".")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]


def by_function(rules: Iterable[Rule]) -> list[tuple[Rule, ...]]:
    """The rules that one function serves, for each function."""
    served: dict[str, list[Rule]] = {}
    for rule in rules:
        served.setdefault(rule.function, []).append(rule)
    return [tuple(each) for each in served.values()]


LINK_RULES: tuple[Rule, ...] = (
    Rule("link-target-missing", "error", "refused", "page",
         "A link or an image leads to a page or a file that exists neither in this language nor in a fallback.",
         "links.targets.broken"),
    Rule("link-anchor-missing", "error", "refused", "page",
         "A link names a page that exists and an id that this page does not have.", "links.targets.broken"),
    Rule("anchor-fragile", "warning", "noted", "page",
         "A link leads to an id that counts headings, `#_3` or `#step_1`.", "links.targets.broken"),
    Rule("link-malformed", "error", "refused", "page",
         "A link has a target that is neither an address nor a path, brackets that never close, or no words.",
         "links.targets.malformed"),
    Rule("link-differs", "error", "refused", "translation",
         "A link of the translation leads elsewhere than its counterpart in the source.", "links.parity.differing"),
    Rule("link-missing", "warning", "asked", "translation",
         "The source has a link here, the translation has none.", "links.parity.differing"),
    Rule("link-extra", "warning", "asked", "translation",
         "The translation links to something that the source does not link to.", "links.parity.differing"),
    Rule("link-host-new", "warning", "noted", "translation",
         "A link leads to a host that the source page never names.", "links.parity.new_hosts"),
    Rule("image-differs", "warning", "asked", "translation",
         "The translation lacks an image of the source, or has one that the source does not have.",
         "links.parity.images"),
    Rule("anchor-unpinned", "warning", "noted", "page",
         "The id of a heading is generated from its words.", "anchors.unpinned"),
    Rule("anchor-differs", "error", "refused", "translation",
         "A heading has another id than its counterpart in the source.", "anchors.differing"),
    Rule("anchor-duplicate", "error", "refused", "page",
         "Two places of a page have the same id.", "anchors.duplicated"),
    Rule("anchor-redirect", "error", "refused", "page",
         "A row of `redirects` in the front matter leads nowhere, or away from an id that the page still has.",
         "redirects.anchor_redirect"),
)

FILE_RULES: tuple[Rule, ...] = (
    Rule("html-unsafe", "error", "refused", "translation",
         "The translation has HTML that loads or runs something and that the source does not have.", "html.unsafe"),
    Rule("character-hidden", "error", "refused", "page",
         "The page has an invisible character, or a Cyrillic letter in a Latin word.", "text.invisible.unseen"),
    Rule("include-missing", "error", "refused", "page",
         "An include names a file that does not exist, or is written so that it is printed.", "includes.includes"),
    Rule("include-section-missing", "error", "refused", "page",
         "An include names a section that its file does not have or never closes.", "includes.includes"),
    Rule("include-empty", "error", "refused", "page",
         "An include names a section or a range of lines that holds nothing.", "includes.includes"),
    Rule("evidence-missing", "error", "refused", "page",
         "A figure is a reference into the evidence, and the evidence does not have it.", "evidence.evidence_missing"),
    Rule("page-unreadable", "error", "refused", "page",
         "A page has more than 800,000 characters, or the renderer fails on it.", "includes.includes"),
    Rule("check-failed", "error", "refused", "page", "Hexapla fails on the tree, by a defect of its own."),
    Rule("rule-failed", "error", "refused", "page",
         "A rule raises an error on a page or on the tree, or takes more than 20 seconds."),
    Rule("front-matter", "error", "refused", "page",
         "The text between the first two `---` of a page is not a YAML mapping, or has a key twice.",
         "includes.includes"),
    Rule("code-unclosed", "error", "refused", "page", "A code fence is never closed.", "includes.includes"),
    Rule("encoding", "error", "refused", "page", "A page is not UTF-8, or cannot be read."),
)

STRUCTURE_RULES: tuple[Rule, ...] = (
    Rule("heading-level", "warning", "asked", "translation",
         "A heading has another level than its counterpart in the source.", "structure.heading_level"),
    Rule("heading-count", "warning", "asked", "translation",
         "Only one of the two pages has this heading.", "structure.heading_count"),
    Rule("table-shape", "warning", "asked", "translation",
         "A table has other numbers of rows or columns than the source's, or is missing.", "tables.table_shape"),
    Rule("list-count", "warning", "asked", "translation",
         "A section has more or fewer list items than the source's.", "structure.list_count"),
    Rule("admonition-differs", "warning", "asked", "translation",
         "A call-out is of another kind than the source's, missing, added, empty or never closed.",
         "structure.admonition_differs"),
    Rule("code-count", "error", "refused", "translation",
         "The page has more or fewer code blocks than the source.", "code.parity.code_count"),
    Rule("code-differs", "error", "refused", "translation",
         "A code block is not the source's.", "code.parity.code_differs"),
    Rule("code-inline-differs", "warning", "asked", "translation",
         "Only one of the two pages has this inline code in this section.", "code.parity.code_inline_differs"),
)

TEXT_RULES: tuple[Rule, ...] = (
    Rule("number-differs", "warning", "asked", "translation",
         "A number is missing from the same section of the other page, or two numbers changed places.",
         "numbers.rule.number_differs"),
    Rule("figure-unbound", "warning", "noted", "page",
         "A measured figure is neither a reference into the evidence nor has a source beside it.",
         "numbers.unbound.figure_unbound", optional=True),
    Rule("heading-untranslated", "warning", "asked", "translation",
         "A heading is in the source's language.", "text.untranslated.heading_untranslated"),
    Rule("text-untranslated", "warning", "asked", "translation",
         "A paragraph, an item, a cell, a sentence or half of one is in the source's language.",
         "text.untranslated.text_untranslated"),
    Rule("residue", "warning", "asked", "translation",
         "A translation holds an answer of a translation program, a prompt, or a placeholder that its source does not "
         "have.", "text.machine_text.residue"),
    Rule("merge-conflict", "error", "refused", "page",
         "The page holds a merge conflict marker.", "text.machine_text.merge_conflict"),
    Rule("text-truncated", "warning", "asked", "translation",
         "A block ends in mid-sentence where the source's does not.", "text.length.text_truncated"),
    Rule("text-missing", "warning", "asked", "translation",
         "A section lacks a paragraph of the source, or the text of an item or a cell.",
         "text.missing.text_missing"),
    Rule("length-suspect", "note", "asked", "translation",
         "A block is much shorter or longer than its source suggests, or repeated.",
         "text.length.length_suspect"),
    Rule("term-forbidden", "warning", "asked", "translation",
         "The page uses a word that the glossary forbids.", "text.terms.term_forbidden"),
    Rule("term-inconsistent", "warning", "asked", "translation",
         "The source has a term here, the translation has none of its agreed renderings.",
         "text.terms.term_inconsistent"),
    Rule("markup-literal", "error", "refused", "page",
         "The reader sees a mark of Markdown or HTML that was not rendered.", "text.markup.markup_literal"),
    Rule("bracket-unbalanced", "warning", "asked", "page",
         "A bracket has no partner, and the source has none such.", "text.markup.bracket_unbalanced"),
    Rule("script-mixed", "warning", "asked", "page",
         "The page has characters of another Chinese script, or words in letters of another language.",
         "text.scripts.script_mixed"),
    Rule("row-column", "warning", "noted", "page",
         "A Simplified Chinese page names a column by the word that is a row in Taiwan.",
         "text.rows.row_column", optional=True),
    Rule("mojibake", "error", "refused", "page",
         "The page, or a single place of it, is garbled: UTF-8 that was opened as something else.",
         "text.mojibake.mojibake"),
)

SENTENCE_RULES: tuple[Rule, ...] = (
    Rule("language-wrong", "error", "refused", "translation",
         "The page is in another language than its place in the tree says.", "sentences.language.language_wrong"),
    Rule("language-mixed", "warning", "asked", "translation",
         "A sentence is in another language than the page's and the source's.", "sentences.language.language_wrong"),
    Rule("sentence-repeated", "warning", "asked", "translation",
         "A paragraph says a sentence twice, and its source does not.", "sentences.counting.sentence_repeated"),
    Rule("sentence-count", "warning", "asked", "translation",
         "A paragraph has sentences less or more than the source's, and is as much shorter or longer.",
         "sentences.counting.sentence_count", optional=True),
    Rule("token-order", "warning", "asked", "translation",
         "Numbers or names changed places, or one stands for another.", "sentences.kept.token_order",
         optional=True),
    Rule("punctuation-width", "warning", "asked", "translation",
         "A punctuation mark has another width than those of the page.", "sentences.style.punctuation_width",
         optional=True),
    Rule("register-mixed", "warning", "asked", "translation",
         "A sentence ends in another register than those of the page, in Japanese or Korean.",
         "sentences.style.register_mixed", optional=True),
)

TREE_RULES: tuple[Rule, ...] = (
    Rule("page-missing", "note", "noted", "tree", "A language lacks a page of the source.", "coverage.coverage"),
    Rule("page-lost", "warning", "noted", "tree", "A page that was translated is gone.", "coverage.coverage"),
    Rule("page-orphan", "warning", "noted", "tree", "A translation has no source page any more.", "coverage.coverage"),
    Rule("record-conflict", "error", "refused", "tree",
         "A file of records holds both sides of a merge's conflict.", "record_conflicts.record_conflict"),
    Rule("nav-missing", "warning", "noted", "tree",
         "The navigation does not name a page, or names one that does not exist.", "navigation.navigation"),
)

SITE_RULES: tuple[Rule, ...] = (
    Rule("snippet-syntax", "error", "refused", "site", "A snippet that a page includes as Python does not parse."),
    Rule("comment-table", "error", "refused", "site",
         "An entry of snippets/comments.yml is malformed, or no snippet has its comment."),
    Rule("evidence-invalid", "error", "refused", "site", "A file of recorded runs is damaged or was edited by hand."),
    Rule("glossary", "error", "refused", "site", "An entry of the glossary is malformed."),
    Rule("derived-passage", "error", "refused", "site",
         "A passage written by hand for a derived page is malformed, or its original has changed."),
)

RULES: tuple[Rule, ...] = (*LINK_RULES, *FILE_RULES, *STRUCTURE_RULES, *TEXT_RULES, *SENTENCE_RULES, *TREE_RULES,
                           *SITE_RULES)
BY_ID = {rule.id: rule for rule in RULES}
# The rules whose functions take one page, with or without its source.
PAGE_RULES = tuple(rule for rule in RULES if rule.function and rule.scope in {"page", "translation"})
USUAL_RULES = tuple(rule for rule in PAGE_RULES if not rule.optional)  # without a configuration
JUDGED_ALONE = frozenset(rule.id for rule in PAGE_RULES if rule.optional and rule.asked != "noted")
