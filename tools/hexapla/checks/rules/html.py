"""HTML that loads or runs something in the reader's browser and that the source page does not have."""

from collections import Counter
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.pages import Markup


def unsafe(context: RuleContext) -> Iterator[Violation]:
    """`html-unsafe`: scripts, event handlers, `javascript:` addresses and frames that the source does not have."""
    known = Counter(markup_identity(markup) for markup in context.original.markup)
    for markup in context.page.markup:
        if known[markup_identity(markup)]:
            known[markup_identity(markup)] -= 1
            continue
        what = f"<{markup.tag} {markup.attribute}={markup.value!r}>" if markup.attribute else f"<{markup.tag}>"
        yield Violation("html-unsafe", what, f"the source has no {what}", "take it out", markup.line, markup.column)


def markup_identity(markup: Markup) -> tuple[str, str, str]:
    """What two elements must share to be the same; the address of a frame or a script may name a language."""
    return markup.tag, markup.attribute, markup.value if markup.attribute else ""
