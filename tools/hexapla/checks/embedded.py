"""What a page loads or runs: HTML that its source has not, and code that it includes."""

from collections import Counter
from collections.abc import Iterator

from hexapla.checks.build import page_findings
from hexapla.checks.context import Case, Found
from hexapla.pages import Markup


def unsafe(case: Case) -> Iterator[Found]:
    """Scripts, event handlers, `javascript:` addresses and frames that the source has not."""
    known = Counter(kind(markup) for markup in case.original.markup)
    for markup in case.page.markup:
        name = kind(markup)
        if known[name]:
            known[name] -= 1
            continue
        what = f"<{markup.tag} {markup.attribute}={markup.value!r}>" if markup.attribute else f"<{markup.tag}>"
        yield Found("html-unsafe", f"the source has no {what}", "take it out", markup.line, markup.column)


def kind(markup: Markup) -> tuple[str, str, str]:
    """What tells one from another; the address of a frame or a script may hold a language."""
    return markup.tag, markup.attribute, markup.value if markup.attribute else ""


def includes(case: Case) -> Iterator[Found]:
    """What the text of a page alone shows to be wrong, and included files and sections that are not there."""
    read = case.settings.snippet or known_nothing
    for found in page_findings(case.page, case.document.path, case.document.language, read):
        if found.rule.startswith("include-") and case.settings.snippet is None:
            continue
        if found.rule != "anchor-duplicate":
            yield Found(found.rule, found.message, found.hint, found.line, found.column)


def known_nothing(path: str) -> str:
    """The reader of a tree that includes nothing."""
    return path
