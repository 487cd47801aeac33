"""Suppressions: a comment in a page that names a rule and says why its findings there are meant.

`<!-- hexapla: ignore link-host-new: the mirror is meant -->`, or `{/* hexapla: ... */}` in MDX, speaks for the line it
stands on, and for the paragraph below it where it stands on a line of its own; `ignore-page` speaks for the whole page.
Without a reason it suppresses nothing.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.pages.lines import Closes, LineKind, read

COMMENT = r"""(?x)(?:<!--|\{/\*)[ \t]*hexapla:[ \t]*(?P<scope>ignore(?:-page)?)[ \t]+
        (?P<rule>[a-z]++(?:-[a-z]++)*+)[ \t]*+:?+(?P<reason>[^<>\n]*?)(?:-->|\*/\})"""


class Suppression(NamedTuple):
    """A rule, and the first and last line it is suppressed on."""

    rule: str
    first: int
    last: int
    reason: str


def suppressions(text: str, closes_fence: Closes) -> Iterator[Suppression]:
    """The suppressions of a page; those in code are none."""
    if not re.search(COMMENT, text):
        return
    lines = list(read(text, closes_fence))
    for index, line in enumerate(lines):
        if line.kind in {LineKind.FENCED, LineKind.CODE}:
            continue
        for match in re.finditer(COMMENT, line.text):
            first = last = line.number
            if match["scope"] == "ignore-page":
                first, last = 1, len(lines) + 1
            elif line.text.strip() == match.group():
                below = (after.number for after in lines[index + 1 :] if not after.text.strip())
                last = next(below, len(lines))
            yield Suppression(match["rule"], first, last, match["reason"].strip(" \t:-"))


@lru_cache(maxsize=8)  # asked for with every key in the editor
def of_page(text: str, closes_fence: Closes) -> frozenset[str]:
    """The rules that are suppressed on a whole page."""
    return frozenset(item.rule for item in suppressions(text, closes_fence) if item.first == 1 and item.reason)


def apply_suppressions(
    found: Collection[Suppression], findings: list[Finding], elsewhere: Collection[str] = ()
) -> list[Finding]:
    """The findings that no suppression covers; the rules in `elsewhere` are suppressed by what is not in the text."""
    return [
        finding for finding in findings if finding.rule not in elsewhere and not any(
            item.reason and item.rule == finding.rule and item.first <= finding.line <= item.last for item in found)
    ]
