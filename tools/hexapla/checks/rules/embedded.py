"""What a page loads or runs: HTML that its source has not, and code that it includes."""

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from hexapla.checks import alignment
from hexapla.checks.engine.context import RuleContext, Violation
from hexapla.checks.rules.includes import page_findings
from hexapla.checks.sequences import opcodes
from hexapla.pages import Markup


def unsafe(context: RuleContext) -> Iterator[Violation]:
    """Scripts, event handlers, `javascript:` addresses and frames that the source has not."""
    known = Counter(kind(markup) for markup in context.original.markup)
    for markup in context.page.markup:
        name = kind(markup)
        if known[name]:
            known[name] -= 1
            continue
        what = f"<{markup.tag} {markup.attribute}={markup.value!r}>" if markup.attribute else f"<{markup.tag}>"
        yield Violation("html-unsafe", f"the source has no {what}", "take it out", markup.line, markup.column)


def kind(markup: Markup) -> tuple[str, str, str]:
    """What tells one from another; the address of a frame or a script may hold a language."""
    return markup.tag, markup.attribute, markup.value if markup.attribute else ""


def includes(context: RuleContext) -> Iterator[Violation]:
    """What the text of a page alone shows to be wrong, and included files and sections that are not there."""
    read = context.settings.snippet or known_nothing
    for found in page_findings(context.page, context.document.path, context.document.language, read):
        if found.rule.startswith("include-") and context.settings.snippet is None:
            continue
        if found.rule != "anchor-duplicate":
            yield Violation(found.rule, found.message, found.hint, found.line, found.column)
    if context.tree.includes_files():
        yield from inclusions(context)


def inclusions(context: RuleContext) -> Iterator[Violation]:
    """Files that the page shows and that are not there, and those of the source that it does not show."""
    for shown in context.page.inclusions:
        if not context.tree.has_included(shown.path):
            yield Violation("include-missing", f"there is no file {shown.path!r}", "correct the path or add the file",
                        shown.line, shown.column, key=shown.path)
    wanted = context.source.page.inclusions if context.source else ()
    first, second = ([(item.path, item.lines) for item in items] for items in (wanted, context.page.inclusions))
    for kind, start, end, begin, stop in opcodes(first, second):
        if kind == "equal":
            continue
        for one, other in zip_longest(wanted[start:end], context.page.inclusions[begin:stop]):
            if one is None:
                continue  # a page may show more than its source
            said = f"{one.path} {one.lines}".strip()
            if other is None:
                yield Violation("include-missing", f"the source shows {said!r}, this page does not",
                            "bring the directive back", alignment.landing(context.original, context.page, one.line), 1,
                            one.line, key=said)
            else:
                yield Violation("include-missing", f"the source shows {said!r} here", "show what the source shows",
                            other.line, other.column, one.line, key=said)


def known_nothing(path: str) -> str:
    """The reader of a tree that includes nothing."""
    return path
