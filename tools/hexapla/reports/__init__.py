"""Reports of findings: text, JSON, HTML, GitHub annotations, SARIF, JUnit."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from hexapla.checks.finding import Finding
from hexapla.report_text import annotate_file, as_json
from hexapla.reports.sarif import sarif_report
from hexapla.reports.summary import Summary, count_rules, count_totals, worst_first
from hexapla.reports.text import text_report

Report = Callable[[Sequence[Finding], Summary], str]
COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
FIELDS = ("rule", "severity", "path", "line", "column", "language", "message", "hint", "source_path", "source_line",
          "origin", "fingerprint")


def json_report(findings: Sequence[Finding], summary: Summary) -> str:
    """All findings in order of place, and the counts."""
    counts = {"pages": summary.pages, "languages": list(summary.languages), "rules": count_rules(findings),
              "understood": list(summary.understood)}
    return as_json(findings=[json_entry(finding) for finding in findings], summary=counts) + "\n"


def json_entry(finding: Finding) -> dict[str, Any]:
    """One finding; `source_path` and `source_line` are null where the rule looks at one page."""
    names = [*FIELDS, "traceback"] if finding.traceback else FIELDS
    return {name: getattr(finding, name) for name in names}


def github_report(findings: Sequence[Finding], summary: Summary) -> str:
    """One command a finding, the worst first: a step shows ten of each kind."""
    lines = [annotate_file(COMMANDS[each.severity], f"{each.message}; {each.hint}", file=each.path, line=each.line,
                           col=each.column, title=each.rule) for each in worst_first(findings)]
    return "\n".join([*lines, count_totals(findings)]) + "\n"


def report_of(module: str, function: str) -> Report:
    """The report of a module that is imported when it is asked for: Jinja takes 50 ms, XML 10."""
    return lambda *given: str(getattr(import_module(f"hexapla.reports.{module}"), function)(*given))


FORMATS: dict[str, Report] = {
    "text": text_report, "json": json_report, "html": report_of("findings_html", "findings_html"),
    "github": github_report, "sarif": sarif_report, "junit": report_of("junit", "junit_report"),
}

__all__ = ["FORMATS", "Report", "Summary"]
