"""The table of all rules: id, severity, what the judge of sections does, scope, and the function that finds.

This table is what runs: the engine calls the function of each row that is wanted, by the type of the row's scope. Rows
without a function are raised where a file is read: by the engine for pages, by the site's build for everything else.
What a rule finds is the first sentence of its section in docs/en/tools/rules.md, which `manual` reads.
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
    brought the rule, and `build` changes with its version and its code; both are "" for Hexapla's own, whose `summary`
    stands in the page on rules alone.
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


def make_rule(
    rule: str, severity: str, asked: Asked, scope: str, function: str = "", optional: bool = False
) -> Rule:
    """A row of the table: a rule of Hexapla's own."""
    return Rule(rule, severity, asked, scope, "", function, optional)


RULES: tuple[Rule, ...] = (
    # Links and ids.
    make_rule("link-target-missing", "error", "refused", "page", "links.targets.broken"),
    make_rule("link-anchor-missing", "error", "refused", "page", "links.targets.broken"),
    make_rule("link-unresolved-group", "note", "noted", "tree"),
    make_rule("anchor-fragile", "warning", "noted", "page", "links.targets.broken"),
    make_rule("link-malformed", "error", "refused", "page", "links.targets.malformed"),
    make_rule("link-differs", "error", "refused", "translation", "links.parity.differing"),
    make_rule("link-missing", "warning", "asked", "translation", "links.parity.differing"),
    make_rule("link-extra", "warning", "asked", "translation", "links.parity.differing"),
    make_rule("link-host-new", "warning", "noted", "translation", "links.parity.new_hosts"),
    make_rule("image-differs", "warning", "asked", "translation", "links.parity.images"),
    make_rule("anchor-unpinned", "warning", "noted", "page", "heading_ids.unpinned"),
    make_rule("anchor-differs", "error", "refused", "translation", "heading_ids.differing"),
    make_rule("anchor-duplicate", "error", "refused", "page", "heading_ids.duplicated"),
    make_rule("anchor-redirect", "error", "refused", "page", "id_redirects.anchor_redirect"),
    # Files, and what a page includes or runs.
    make_rule("html-unsafe", "error", "refused", "translation", "html.unsafe"),
    make_rule("html-frame", "error", "refused", "translation", "html.unsafe"),
    make_rule("character-hidden", "error", "refused", "page", "text.invisible.unseen"),
    make_rule("include-missing", "error", "refused", "page", "includes.includes"),
    make_rule("include-section-missing", "error", "refused", "page", "includes.includes"),
    make_rule("include-empty", "error", "refused", "page", "includes.includes"),
    make_rule("evidence-missing", "error", "refused", "page", "evidence.evidence_missing"),
    make_rule("page-unreadable", "error", "refused", "page", "includes.includes"),
    make_rule("check-failed", "error", "refused", "page"),
    make_rule("rule-failed", "error", "refused", "page"),
    make_rule("front-matter", "error", "refused", "page", "includes.includes"),
    make_rule("code-unclosed", "error", "refused", "page", "includes.includes"),
    make_rule("encoding", "error", "refused", "page"),
    # The shape of a page.
    make_rule("heading-level", "warning", "asked", "translation", "structure.heading_level"),
    make_rule("heading-count", "warning", "asked", "translation", "structure.heading_count"),
    make_rule("table-shape", "warning", "asked", "translation", "tables.table_shape"),
    make_rule("list-count", "warning", "asked", "translation", "structure.list_count"),
    make_rule("admonition-differs", "warning", "asked", "translation", "structure.admonition_differs"),
    make_rule("code-count", "error", "refused", "translation", "code.parity.code_count"),
    make_rule("code-extra", "error", "refused", "translation", "code.parity.code_count"),
    make_rule("code-differs", "error", "refused", "translation", "code.parity.code_differs"),
    make_rule("code-inline-differs", "warning", "asked", "translation", "code.parity.code_inline_differs"),
    # Text.
    make_rule("number-differs", "warning", "asked", "translation", "numbers.rule.number_differs"),
    make_rule("figure-unbound", "warning", "noted", "page", "numbers.unbound.figure_unbound", optional=True),
    make_rule("heading-untranslated", "warning", "asked", "translation", "text.untranslated.heading_untranslated"),
    make_rule("text-untranslated", "warning", "asked", "translation", "text.untranslated.text_untranslated"),
    make_rule("residue", "warning", "asked", "translation", "text.machine_text.residue"),
    make_rule("merge-conflict", "error", "refused", "page", "text.machine_text.merge_conflict"),
    make_rule("text-truncated", "warning", "asked", "translation", "text.length.text_truncated"),
    make_rule("text-missing", "warning", "asked", "translation", "text.missing.text_missing"),
    make_rule("length-suspect", "note", "asked", "translation", "text.length.length_suspect"),
    make_rule("term-forbidden", "warning", "asked", "translation", "text.terms.term_forbidden"),
    make_rule("term-inconsistent", "warning", "asked", "translation", "text.terms.term_inconsistent"),
    make_rule("markup-literal", "error", "refused", "page", "text.markup.markup_literal"),
    make_rule("bracket-unbalanced", "warning", "asked", "page", "text.markup.bracket_unbalanced"),
    make_rule("script-mixed", "warning", "asked", "page", "text.scripts.script_mixed"),
    make_rule("row-column", "warning", "noted", "page", "text.scripts.row_column", optional=True),
    make_rule("mojibake", "error", "refused", "page", "text.mojibake.mojibake"),
    # Sentences.
    make_rule("language-wrong", "error", "refused", "translation", "sentences.language.language_wrong"),
    make_rule("language-mixed", "warning", "asked", "translation", "sentences.language.language_wrong"),
    make_rule("sentence-repeated", "warning", "asked", "translation", "sentences.counting.sentence_repeated"),
    make_rule("sentence-count", "warning", "asked", "translation", "sentences.counting.sentence_count", optional=True),
    make_rule("token-order", "warning", "asked", "translation", "sentences.kept.token_order", optional=True),
    make_rule(
        "punctuation-width", "warning", "asked", "translation", "sentences.style.punctuation_width", optional=True),
    make_rule("register-mixed", "warning", "asked", "translation", "sentences.style.register_mixed", optional=True),
    # The tree.
    make_rule("page-missing", "note", "noted", "tree", "coverage.coverage"),
    make_rule("page-lost", "warning", "noted", "tree", "coverage.coverage"),
    make_rule("page-orphan", "warning", "noted", "tree", "coverage.coverage"),
    make_rule("record-conflict", "error", "refused", "tree", "coverage.record_conflict"),
    make_rule("message-differs", "warning", "noted", "tree", "catalogs.message_differs"),
    make_rule("address-lost", "error", "refused", "tree", "address_ledger.address_lost"),
    make_rule("nav-missing", "warning", "noted", "tree", "navigation.navigation"),
    make_rule("evidence-invalid", "error", "refused", "tree", "evidence.recorded_runs"),
    make_rule("evidence-outdated", "warning", "noted", "tree", "evidence.recorded_runs"),
    make_rule("evidence-differs", "warning", "noted", "tree", "evidence.recorded_runs"),
    # What a site is built from.
    make_rule("snippet-syntax", "error", "refused", "site"),
    make_rule("comment-table", "error", "refused", "site"),
    make_rule("glossary", "error", "refused", "site"),
    make_rule("derived-passage", "error", "refused", "site"),
)
BY_ID = {rule.id: rule for rule in RULES}
# What readers of any tree run into: the rules of a tree that is not ours. The others compare more than its people
# agreed on: `--parity` adds them.
READERS = frozenset({
    "link-target-missing", "link-anchor-missing", "link-unresolved-group", "link-malformed", "anchor-unpinned",
    "anchor-duplicate",
    "html-unsafe", "character-hidden", "include-missing", "include-section-missing", "include-empty",
    "page-unreadable", "check-failed", "rule-failed", "front-matter", "code-unclosed", "code-count", "encoding",
    "text-untranslated", "merge-conflict", "markup-literal", "mojibake", "language-wrong", "record-conflict",
    "term-forbidden", "address-lost", "message-differs",
})
# The rules whose functions take one page, with or without its source.
PAGE_RULES = tuple(rule for rule in RULES if rule.function and rule.scope in {"page", "translation"})
TREE_RULES = tuple(rule for rule in RULES if rule.function and rule.scope == "tree")
USUAL_RULES = tuple(rule for rule in PAGE_RULES if not rule.optional)  # without a configuration
JUDGED_ALONE = frozenset(rule.id for rule in PAGE_RULES if rule.optional and rule.asked != "noted")
