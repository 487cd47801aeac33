"""HTML that loads or runs something in the reader's browser and that the source page does not have."""

import re
from collections import Counter
from collections.abc import Iterator

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.pages import Markup, Page

FRAMES = frozenset({"iframe", "frame", "frameset"})  # whose pages are kept apart from the one that shows them


def unsafe(context: RuleContext) -> Iterator[Violation]:
    """`html-unsafe` and `html-frame`: what runs or loads something, and frames, that the source does not have."""
    known = Counter(markup_identity(markup) for markup in context.original.markup)
    harmless = context.tree.layout.framework.scripts
    for markup in context.page.markup:
        if harmless and markup.tag == "script" and is_written_as(context.page, markup, harmless):
            continue
        if known[markup_identity(markup)]:
            known[markup_identity(markup)] -= 1
            continue
        what = f"<{markup.tag} {markup.attribute}={markup.value!r}>" if markup.attribute else f"<{markup.tag}>"
        where = f"the source has no {what}", "take it out", markup.line, markup.column
        if markup.tag in FRAMES and not markup.attribute:
            yield Violation("html-frame", what, *where)
        else:
            yield Violation("html-unsafe", what, *where)


def is_written_as(page: Page, markup: Markup, pattern: str) -> bool:
    """Whether an element of a page is all that a pattern matches."""
    start = alignment.line_starts(page.lines)[markup.line - 1] + markup.column - 1
    return re.compile(pattern).match(page.text, start) is not None


def markup_identity(markup: Markup) -> tuple[str, str, str]:
    """What two elements must share to be the same; the address of a frame or a script may name a language."""
    return markup.tag, markup.attribute, markup.value if markup.attribute else ""
