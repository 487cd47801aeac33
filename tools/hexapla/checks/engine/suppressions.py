"""Findings that a page itself excuses: an HTML comment that names the rule and says why.

`<!-- hexapla: ignore link-host-new: the mirror is meant -->` speaks for the line it stands on, and for the paragraph
below it where it stands on a line of its own; `ignore-page` speaks for the whole page. Without a reason it excuses
nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from hexapla.checks.finding import Finding

COMMENT = r"""(?x)<!--[ \t]*hexapla:[ \t]*(?P<scope>ignore(?:-page)?)[ \t]+
        (?P<rule>[a-z]++(?:-[a-z]++)*+)[ \t]*+:?+(?P<reason>[^<>\n]*)-->"""


class Excuse(NamedTuple):
    """A rule, and the first and last line it is excused on."""

    rule: str
    first: int
    last: int
    reason: str


def excuses(text: str) -> Iterator[Excuse]:
    """The excuses that stand in a page; what code shows is none."""
    if "hexapla:" not in text:
        return
    from hexapla.pages.lines import Block, read  # few pages excuse anything

    lines = list(read(text))
    for index, line in enumerate(lines):
        if line.block in {Block.FENCED, Block.CODE}:
            continue
        for match in re.finditer(COMMENT, line.text):
            first = last = line.number
            if match["scope"] == "ignore-page":
                first, last = 1, len(lines) + 1
            elif line.text.strip() == match.group():
                below = (after.number for after in lines[index + 1 :] if not after.text.strip())
                last = next(below, len(lines))
            yield Excuse(match["rule"], first, last, match["reason"].strip(" \t:-"))


def apply(text: str, findings: list[Finding]) -> list[Finding]:
    """The findings that no excuse covers."""
    found = list(excuses(text))
    return [
        finding for finding in findings
        if not any(
            item.reason and item.rule == finding.rule and item.first <= finding.line <= item.last for item in found
        )
    ]
