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


def json_report(findings: Sequence[Finding], summary: Summary) -> str:
    """All findings in order of place, and the counts."""
    counts = {"pages": summary.pages, "languages": list(summary.languages), "rules": count_rules(findings),
              "understood": list(summary.understood)}
    return as_json(findings=[json_entry(finding) for finding in findings], summary=counts) + "\n"


def json_entry(finding: Finding) -> dict[str, Any]:
    """One finding; `source_path` and `source_line` are null where the rule looks at one page."""
    return {
        "rule": finding.rule, "severity": finding.severity, "path": finding.path, "line": finding.line,
        "column": finding.column, "language": finding.language, "message": finding.message, "hint": finding.hint,
        "source_path": finding.source_path, "source_line": finding.source_line, "origin": finding.origin,
        "fingerprint": finding.fingerprint,
    } | ({"traceback": finding.traceback} if finding.traceback else {})


def github_report(findings: Sequence[Finding], summary: Summary) -> str:
    """One command a finding, the worst first: a step shows ten of each kind."""
    lines = [workflow_command(finding) for finding in worst_first(findings)]
    return "\n".join([*lines, count_totals(findings)]) + "\n"


def workflow_command(finding: Finding) -> str:
    return annotate_file(COMMANDS[finding.severity], f"{finding.message}; {finding.hint}", file=finding.path,
                      line=finding.line, col=finding.column, title=finding.rule)


def report_of(module: str, function: str) -> Report:
    """The report of a module that is imported when it is asked for: Jinja takes 50 ms, XML 10."""
    return lambda *given: str(getattr(import_module(f"hexapla.reports.{module}"), function)(*given))


FORMATS: dict[str, Report] = {
    "text": text_report, "json": json_report, "html": report_of("findings_html", "findings_html"),
    "github": github_report, "sarif": sarif_report, "junit": report_of("junit", "junit_report"),
}

__all__ = ["FORMATS", "Report", "Summary"]
