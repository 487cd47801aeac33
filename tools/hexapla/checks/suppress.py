"""Findings that a page itself excuses: an HTML comment that names the rule and says why.

`<!-- hexapla: ignore link-host-new: the mirror is meant -->` speaks for the line it stands on, and for the paragraph
below it where it stands on a line of its own; `ignore-page` speaks for the whole page. Without a reason it excuses
nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hexapla.checks.finding import Finding

COMMENT = re.compile(
    r"""<!--[ \t]*hexapla:[ \t]*(?P<scope>ignore(?:-page)?)[ \t]+
        (?P<rule>[a-z]+(?:-[a-z]+)*)[ \t]*:?(?P<reason>[^<>\n]*)-->""",
    re.X,
)


@dataclass(frozen=True, slots=True)
class Excuse:
    """A rule, and the first and last line it is excused on."""

    rule: str
    first: int
    last: int
    reason: str


def excuses(text: str) -> Iterator[Excuse]:
    """The excuses that stand in a page, those in its code included."""
    if "hexapla:" not in text:
        return
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        for match in COMMENT.finditer(line):
            reason = match["reason"].strip(" \t:-")
            first, last = number, number
            if match["scope"] == "ignore-page":
                first, last = 1, len(lines) + 1
            elif line.strip() == match.group():
                while last < len(lines) and (lines[last].strip() or last == number):
                    last += 1
            yield Excuse(match["rule"], first, last, reason)


def apply(text: str, findings: list[Finding]) -> list[Finding]:
    """The findings that no excuse covers."""
    found = list(excuses(text))
    return [
        finding for finding in findings
        if not any(
            item.reason and item.rule == finding.rule and item.first <= finding.line <= item.last for item in found
        )
    ]
