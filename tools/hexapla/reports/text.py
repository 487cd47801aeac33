"""For people: findings by page, one a line, what to do under each."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary, rules, totals

COLORS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2"}


def text(findings: Sequence[Finding], summary: Summary) -> str:
    """Findings in the order of their pages and lines, then how many of each rule."""
    return "\n".join(lines(findings, summary)) + "\n"


def lines(findings: Sequence[Finding], summary: Summary) -> Iterator[str]:
    """The report line by line."""
    def paint(words: str, color: str) -> str:
        return f"\033[{COLORS[color]}m{words}\033[0m" if summary.color else words

    for path, group in groupby(findings, key=lambda finding: finding.path):
        yield paint(path, "bold")
        for finding in group:
            place = f"{finding.line}:{finding.column}"
            yield f"  {place:>8}  {paint(f'{finding.severity:7}', finding.severity)}  {finding.rule}: {finding.message}"
            yield paint(f"{'':10}{'':9}  {advice(finding)}", "dim")
        yield ""
    counted = rules(findings)
    if counted:
        width = max(len(rule) for rule in counted)
        for rule, count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
            yield f"  {rule:{width}}  {count}"
    pages = f"{summary.pages} page{'s' if summary.pages != 1 else ''}"
    languages = ", ".join(summary.languages)
    yield paint(f"{totals(findings)} in {pages} ({languages})" if languages else f"{totals(findings)}", "bold")


def advice(finding: Finding) -> str:
    """What to do, and where the source stands."""
    words = finding.hint
    if finding.source_path and finding.source_line:
        words += f" ({finding.source_path}:{finding.source_line})"
    if finding.origin == "inherited":
        words += "; the source has the same"
    elif finding.origin == "source-moved":
        words += "; the source has changed since this was translated"
    return words
