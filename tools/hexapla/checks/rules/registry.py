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


def own(
    rule: str, severity: str, asked: Asked, scope: str, function: str = "", optional: bool = False
) -> Rule:
    """A rule of Hexapla's own."""
    return Rule(rule, severity, asked, scope, "", function, optional)


RULES: tuple[Rule, ...] = (
    # Links and ids.
    own("link-target-missing", "error", "refused", "page", "links.targets.broken"),
    own("link-anchor-missing", "error", "refused", "page", "links.targets.broken"),
    own("link-unresolved-group", "note", "noted", "tree"),
    own("anchor-fragile", "warning", "noted", "page", "links.targets.broken"),
    own("link-malformed", "error", "refused", "page", "links.targets.malformed"),
    own("link-differs", "error", "refused", "translation", "links.parity.differing"),
    own("link-missing", "warning", "asked", "translation", "links.parity.differing"),
    own("link-extra", "warning", "asked", "translation", "links.parity.differing"),
    own("link-host-new", "warning", "noted", "translation", "links.parity.new_hosts"),
    own("image-differs", "warning", "asked", "translation", "links.parity.images"),
    own("anchor-unpinned", "warning", "noted", "page", "heading_ids.unpinned"),
    own("anchor-differs", "error", "refused", "translation", "heading_ids.differing"),
    own("anchor-duplicate", "error", "refused", "page", "heading_ids.duplicated"),
    own("anchor-redirect", "error", "refused", "page", "id_redirects.anchor_redirect"),
    # Files, and what a page includes or runs.
    own("html-unsafe", "error", "refused", "translation", "html.unsafe"),
    own("html-frame", "error", "refused", "translation", "html.unsafe"),
    own("character-hidden", "error", "refused", "page", "text.invisible.unseen"),
    own("include-missing", "error", "refused", "page", "includes.includes"),
    own("include-section-missing", "error", "refused", "page", "includes.includes"),
    own("include-empty", "error", "refused", "page", "includes.includes"),
    own("evidence-missing", "error", "refused", "page", "evidence.evidence_missing"),
    own("page-unreadable", "error", "refused", "page", "includes.includes"),
    own("check-failed", "error", "refused", "page"),
    own("rule-failed", "error", "refused", "page"),
    own("front-matter", "error", "refused", "page", "includes.includes"),
    own("code-unclosed", "error", "refused", "page", "includes.includes"),
    own("encoding", "error", "refused", "page"),
    # The shape of a page.
    own("heading-level", "warning", "asked", "translation", "structure.heading_level"),
    own("heading-count", "warning", "asked", "translation", "structure.heading_count"),
    own("table-shape", "warning", "asked", "translation", "tables.table_shape"),
    own("list-count", "warning", "asked", "translation", "structure.list_count"),
    own("admonition-differs", "warning", "asked", "translation", "structure.admonition_differs"),
    own("code-count", "error", "refused", "translation", "code.parity.code_count"),
    own("code-extra", "error", "refused", "translation", "code.parity.code_count"),
    own("code-differs", "error", "refused", "translation", "code.parity.code_differs"),
    own("code-inline-differs", "warning", "asked", "translation", "code.parity.code_inline_differs"),
    # Text.
    own("number-differs", "warning", "asked", "translation", "numbers.rule.number_differs"),
    own("figure-unbound", "warning", "noted", "page", "numbers.unbound.figure_unbound", optional=True),
    own("heading-untranslated", "warning", "asked", "translation", "text.untranslated.heading_untranslated"),
    own("text-untranslated", "warning", "asked", "translation", "text.untranslated.text_untranslated"),
    own("residue", "warning", "asked", "translation", "text.machine_text.residue"),
    own("merge-conflict", "error", "refused", "page", "text.machine_text.merge_conflict"),
    own("text-truncated", "warning", "asked", "translation", "text.length.text_truncated"),
    own("text-missing", "warning", "asked", "translation", "text.missing.text_missing"),
    own("length-suspect", "note", "asked", "translation", "text.length.length_suspect"),
    own("term-forbidden", "warning", "asked", "translation", "text.terms.term_forbidden"),
    own("term-inconsistent", "warning", "asked", "translation", "text.terms.term_inconsistent"),
    own("markup-literal", "error", "refused", "page", "text.markup.markup_literal"),
    own("bracket-unbalanced", "warning", "asked", "page", "text.markup.bracket_unbalanced"),
    own("script-mixed", "warning", "asked", "page", "text.scripts.script_mixed"),
    own("row-column", "warning", "noted", "page", "text.scripts.row_column", optional=True),
    own("mojibake", "error", "refused", "page", "text.mojibake.mojibake"),
    # Sentences.
    own("language-wrong", "error", "refused", "translation", "sentences.language.language_wrong"),
    own("language-mixed", "warning", "asked", "translation", "sentences.language.language_wrong"),
    own("sentence-repeated", "warning", "asked", "translation", "sentences.counting.sentence_repeated"),
    own("sentence-count", "warning", "asked", "translation", "sentences.counting.sentence_count", optional=True),
    own("token-order", "warning", "asked", "translation", "sentences.kept.token_order", optional=True),
    own("punctuation-width", "warning", "asked", "translation", "sentences.style.punctuation_width", optional=True),
    own("register-mixed", "warning", "asked", "translation", "sentences.style.register_mixed", optional=True),
    # The tree.
    own("page-missing", "note", "noted", "tree", "coverage.coverage"),
    own("page-lost", "warning", "noted", "tree", "coverage.coverage"),
    own("page-orphan", "warning", "noted", "tree", "coverage.coverage"),
    own("record-conflict", "error", "refused", "tree", "coverage.record_conflict"),
    own("message-differs", "warning", "noted", "tree", "catalogs.message_differs"),
    own("address-lost", "error", "refused", "tree", "address_ledger.address_lost"),
    own("nav-missing", "warning", "noted", "tree", "navigation.navigation"),
    own("evidence-invalid", "error", "refused", "tree", "evidence.recorded_runs"),
    own("evidence-outdated", "warning", "noted", "tree", "evidence.recorded_runs"),
    own("evidence-differs", "warning", "noted", "tree", "evidence.recorded_runs"),
    # What a site is built from.
    own("snippet-syntax", "error", "refused", "site"),
    own("comment-table", "error", "refused", "site"),
    own("glossary", "error", "refused", "site"),
    own("derived-passage", "error", "refused", "site"),
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
