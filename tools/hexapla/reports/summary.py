"""Counts and order of findings that all reports share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hexapla.checks.finding import Finding, ShownLines
from hexapla.checks.rules.registry import BY_ID, Rule
from hexapla.report_text import plural

ORDER = {"error": 0, "warning": 1, "note": 2}


class Summary(NamedTuple):
    """Which pages were checked by which rules, what the tree was taken for, and how reports show that."""

    pages: int
    languages: tuple[str, ...]
    color: bool = False
    known: Mapping[str, Rule] = BY_ID
    understood: tuple[str, ...] = ()
    pinning: str = ""
    shown_lines: Sequence[Sequence[ShownLines]] = ()


def worst_first(findings: Sequence[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes; the page's own before what it inherits; then by place."""
    return sorted(findings, key=lambda item: (ORDER[item.severity], item.origin == "inherited", item.path, item.line))


def count_rules(findings: Sequence[Finding]) -> dict[str, int]:
    """How often each rule found something, by name."""
    return dict(sorted(Counter(finding.rule for finding in findings).items()))


def count_totals(findings: Sequence[Finding]) -> str:
    """"2 errors, 1 warning", or "nothing found"."""
    counts = Counter(finding.severity for finding in findings)
    parts = [plural(counts[name], name) for name in ORDER if counts[name]]
    return ", ".join(parts) or "nothing found"
