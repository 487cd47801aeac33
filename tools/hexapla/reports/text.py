"""Text for people: findings by page, one per line, what to do below each."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from hexapla.checks.finding import Finding
from hexapla.report_text import plural
from hexapla.reports.summary import Summary, count_rules, count_totals

SHOWN = 10  # pages that are not translated, by language
COLORS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2"}


def text_report(findings: Sequence[Finding], summary: Summary) -> str:
    """Findings in the order of their pages and lines, then how many of each rule."""
    return "\n".join(report_lines(findings, summary)) + "\n"


def report_lines(findings: Sequence[Finding], summary: Summary) -> Iterator[str]:
    """The report line by line."""
    def paint(words: str, color: str) -> str:
        return f"\033[{COLORS[color]}m{words}\033[0m" if summary.color else words

    yield from summary.understood
    missing = [finding for finding in findings if finding.rule == "page-missing"]
    unpinned = [finding for finding in findings if finding.rule == "anchor-unpinned"]
    folded = {"page-missing", *(["anchor-unpinned"] if len(unpinned) > SHOWN else [])}
    for path, group in groupby((item for item in findings if item.rule not in folded), key=attrgetter("path")):
        yield paint(path, "bold")
        for finding in group:
            place = f"{finding.line}:{finding.column}"
            yield f"  {place:>8}  {paint(f'{finding.severity:7}', finding.severity)}  {finding.rule}: {finding.message}"
            yield paint(f"{'':10}{'':9}  {advice_of(finding)}", "dim")
        yield ""
    yield from untranslated_lines(missing)
    if "anchor-unpinned" in folded:
        count = len({finding.path for finding in unpinned})
        yield f"{len(unpinned)} headings in {count} pages have ids made of their words (anchor-unpinned); write them:"
        yield f"  {summary.pinning or 'hexapla check --select anchor-unpinned --fix --write'}"
        yield ""
    counted = count_rules(findings)
    if counted:
        width = max(len(rule) for rule in counted)
        for rule, count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
            yield f"  {rule:{width}}  {count}"
    if not (summary.pages or findings):
        yield paint("no page was looked at", "bold")
        return
    pages = plural(summary.pages, "page")
    languages = ", ".join(summary.languages)
    yield paint(f"{count_totals(findings)} in {pages} ({languages})" if languages else count_totals(findings), "bold")


def untranslated_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The pages that each language lacks, in one paragraph: a young translation lacks hundreds."""
    for language, group in groupby(sorted(findings, key=attrgetter("language")), key=attrgetter("language")):
        paths = [finding.path for finding in group]
        yield f"not translated into {language}: {plural(len(paths), 'page')} (page-missing)"
        yield from (f"  {path}" for path in paths[:SHOWN])
        if len(paths) > SHOWN:
            yield f"  and {len(paths) - SHOWN} more; --format json has them all"
        yield ""


def advice_of(finding: Finding) -> str:
    """What to do, the line of the source, and whose finding it is."""
    words = finding.hint
    if finding.source_path and finding.source_line:
        words += f" ({finding.source_path}:{finding.source_line})"
    if finding.origin == "inherited":
        words += "; the source has the same"
    elif finding.origin == "source-moved":
        words += "; the source has changed since this was translated"
    return words
