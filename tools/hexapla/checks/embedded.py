"""What a page loads or runs: HTML that its source has not, and code that it includes."""

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from hexapla.checks import align
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
    if case.tree.includes_files():
        yield from inclusions(case)


def inclusions(case: Case) -> Iterator[Found]:
    """Files that the page shows and that are not there, and those of the source that it does not show."""
    for shown in case.page.inclusions:
        if not case.tree.has_included(shown.path):
            yield Found("include-missing", f"there is no file {shown.path!r}", "correct the path or add the file",
                        shown.line, shown.column, key=shown.path)
    wanted = case.source.page.inclusions if case.source else ()
    first, second = ([(item.path, item.lines) for item in items] for items in (wanted, case.page.inclusions))
    for kind, start, end, begin, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for one, other in zip_longest(wanted[start:end], case.page.inclusions[begin:stop]):
            if one is None:
                continue  # a page may show more than its source
            said = f"{one.path} {one.lines}".strip()
            if other is None:
                yield Found("include-missing", f"the source shows {said!r}, this page does not",
                            "bring the directive back", align.landing(case.original, case.page, one.line), 1, one.line,
                            key=said)
            else:
                yield Found("include-missing", f"the source shows {said!r} here", "show what the source shows",
                            other.line, other.column, one.line, key=said)


def known_nothing(path: str) -> str:
    """The reader of a tree that includes nothing."""
    return path
