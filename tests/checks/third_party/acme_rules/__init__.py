"""Rules that Acme's documentation follows; some of them have the defects that rules of others may have."""

import re
from collections.abc import Iterator

from hexapla.api import Finding, Rule, RuleContext, SiteIndex, Violation


def rules() -> list[Rule]:
    """The rows of this package."""
    here = "acme_rules"
    return [
        Rule("acme-todo", "warning", "noted", "page", "A page says TODO.", f"{here}:todo"),
        Rule("acme-longer", "note", "noted", "translation", "A page has more lines.", f"{here}:longer"),
        Rule("acme-front", "warning", "noted", "tree", "A language has no page `index`.", f"{here}:front"),
        Rule("acme-raises", "error", "noted", "page", "Raises.", f"{here}:raises", optional=True),
        Rule("acme-raises-tree", "error", "noted", "tree", "Raises.", f"{here}:raises", optional=True),
        Rule("acme-slow", "error", "noted", "page", "Is slow.", f"{here}:slow", optional=True),
        Rule("acme-strange", "error", "noted", "page", "Yields what is none.", f"{here}:strange", optional=True),
        Rule("acme-foreign", "error", "noted", "page", "Yields another's.", f"{here}:foreign", optional=True),
        Rule("acme-absent", "error", "noted", "page", "Has no function.", f"{here}:absent", optional=True),
        Rule("residue", "error", "noted", "page", "Has an id of Hexapla's.", f"{here}:todo"),
        Rule("acme-todo", "error", "noted", "page", "Has an id of its own package's.", f"{here}:todo"),
        Rule("acme-level", "fatal", "noted", "page", "Has a severity that is none.", f"{here}:todo"),
    ]


def todo(context: RuleContext) -> Iterator[Violation]:
    """`acme-todo` of a page."""
    for number, line in enumerate(context.page.lines, 1):
        if found := re.search("TODO", line):
            yield Violation("acme-todo", "TODO", "this page is not finished", "finish it", number, found.start() + 1)


def longer(context: RuleContext) -> Iterator[Violation]:
    """`acme-longer` of a translation."""
    if len(context.page.lines) > len(context.original.lines):
        yield Violation("acme-longer", "", "this page is longer than its source", "shorten it", 1)


def front(tree: SiteIndex) -> Iterator[Finding]:
    """`acme-front` of each language."""
    for language, pages in tree.pages.items():
        if "index" not in pages:
            yield Finding(path=tree.layout.path(language, "index"), line=1, column=1, rule="acme-front",
                          message="this language has no front page", hint="write it", language=language,
                          severity="warning")


def raises(given: object) -> Iterator[Violation]:
    """A rule with a defect."""
    raise KeyError("acme")
    yield


def slow(context: RuleContext) -> Iterator[Violation]:
    """A rule that does not end."""
    while True:
        pass  # no call of the system: time in it is not counted
    yield


def strange(context: RuleContext) -> Iterator[str]:
    """A rule that yields no violation."""
    yield "wrong"


def foreign(context: RuleContext) -> Iterator[Violation]:
    """A rule that speaks for another."""
    yield Violation("link-missing", "", "wrong", "wrong", 1)
