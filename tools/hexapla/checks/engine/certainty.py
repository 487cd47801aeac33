"""How severe a finding is in a tree that is not ours: as severe as judged findings of its kind were true.

The source is the witness. Its authors read their own pages, and links there go where they want them to: what the source
shows too is often something that is not known here. What a translation alone shows, it has lost.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import suppress
from functools import cache, partial
from posixpath import dirname, join
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding

PAGE = r"(?![/~@])[^#?]*(?:\.mdx?|/)(?=[#?]|$)"  # a target that is seen from a file and names a page
PASSAGES = r"\d+ passages of this page "


class Certainty(NamedTuple):
    """The severity of a rule's findings: of what a translation `lost`, and of what the source shows, too or alone.

    `target` is matched in a link's target and `said` in the message; `frameworks` are those that the row is for, () for
    all of them.
    """

    rule: str
    lost: str
    shown: str
    said: str = ""
    target: str = ""
    frameworks: tuple[str, ...] = ()


# By the judged findings of benchmarks/trees, as they were drawn: an error where 97% were true, a warning where 90%
# were, in three trees or more, and else a note (`python -m benchmarks.trees.rows`). The first row that fits counts;
# what has no row is as severe as everywhere.
CERTAINTIES = (
    Certainty("link-target-missing", "warning", "note", target=PAGE),
    Certainty("link-target-missing", "note", "note"),
    Certainty("link-anchor-missing", "error", "error", frameworks=("Docusaurus", "React", "Starlight")),
    Certainty("link-anchor-missing", "error", "warning", frameworks=("Hugo", "VitePress", "VuePress")),
    Certainty("link-anchor-missing", "note", "note"),
    Certainty("link-malformed", "note", "note", " is no address$"),
    Certainty("link-malformed", "error", "note"),
    Certainty("anchor-duplicate", "note", "note", frameworks=("docsify",)),
    Certainty("anchor-duplicate", "error", "note"),
    Certainty("character-hidden", "error", "note"),
    Certainty("markup-literal", "error", "note", " a backtick:"),
    # Bold marks beside punctuation that is not ASCII's are read otherwise there.
    Certainty("markup-literal", "note", "note", " bold marks:", frameworks=("docsify", "GitBook", "Rspress")),
    Certainty("markup-literal", "warning", "note", " bold marks:"),
    Certainty("markup-literal", "note", "note"),
    Certainty("code-count", "warning", "note", r"; the sections? .* missing with \d+ of them$"),
    Certainty("code-count", "note", "note"),
    Certainty("text-untranslated", "warning", "note", PASSAGES),
    *(Certainty(rule, "note", "note") for rule in (
        "text-untranslated", "message-differs", "language-wrong", "mojibake", "html-unsafe", "page-unreadable",
        "front-matter", "code-unclosed", "include-missing", "include-section-missing", "include-empty",
    )),
)


def by_certainty(checker: Checker, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings of somebody else's tree, each as severe as it is certain; what the user selects stays as it is."""
    command, framework = checker.selected.command, checker.layout.framework.name
    shown_by = cache(partial(shown_in, checker))  # each page of the source is asked once
    for each in findings:
        row = None if command.select or each.rule in command.severity else next(
            (row for row in CERTAINTIES if fits(row, each, framework)), None)
        if row is None:
            yield each
        else:
            certain = row.lost != row.shown and is_lost(checker, each, shown_by) and (
                not row.target or is_beside_pages(checker, each))
            yield each._replace(severity=row.lost if certain else row.shown)


def fits(row: Certainty, finding: Finding, framework: str) -> bool:
    """Whether a row is about a finding."""
    return (row.rule == finding.rule and (not row.frameworks or framework in row.frameworks)
            and (not row.target or re.match(row.target, finding.subject) is not None)
            and re.search(row.said, finding.message) is not None)


def is_lost(checker: Checker, finding: Finding, shown_by: Callable[[str], Set[tuple[str, str]] | None]) -> bool:
    """Whether a translation has what was found and its source, which can be read, has nothing like it."""
    source = checker.source_of(finding.path) if finding.path in checker.index.owners else None
    if source is None or finding.origin == "inherited":
        return False
    shown = shown_by(source)
    return shown is not None and (finding.rule, without_language(checker, finding.subject)) not in shown


def shown_in(checker: Checker, source: str) -> Set[tuple[str, str]] | None:
    """The rule and the subject of all that a page of the source shows by itself, None where it cannot be read."""
    with suppress(OSError, UnicodeDecodeError):
        return {(each.rule, without_language(checker, each.subject)) for each in checker.own_violations(source)}
    return None


def without_language(checker: Checker, target: str) -> str:
    """A site path without the language that it starts with: both pages link to their own."""
    first, _, rest = target.removeprefix("/").partition("/")
    return f"/{rest}" if target.startswith("/") and first in checker.index.pages else target


def is_beside_pages(checker: Checker, finding: Finding) -> bool:
    """Whether the folder is there that a link names a page of: a program may write one that is not."""
    target = finding.subject.partition("#")[0].partition("?")[0].rstrip("/")
    return (checker.layout.root / join(dirname(finding.path), dirname(target))).is_dir()
