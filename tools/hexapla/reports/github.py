"""Workflow commands for GitHub Actions, shown as annotations on the changed lines."""

from collections.abc import Sequence

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary, totals, worst_first

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
# GitHub's rules for workflow commands: in a value `%`, CR and LF, in a property also `:` and `,`.
VALUE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
PROPERTY = VALUE | str.maketrans({":": "%3A", ",": "%2C"})


def github(findings: Sequence[Finding], summary: Summary) -> str:
    """One command a finding, the worst first: a step shows ten of each kind."""
    lines = [command(finding) for finding in worst_first(findings)]
    return "\n".join([*lines, totals(findings)]) + "\n"


def command(finding: Finding) -> str:
    properties = {
        "file": finding.path, "line": str(finding.line), "col": str(finding.column), "title": finding.rule,
    }
    listed = ",".join(f"{name}={value.translate(PROPERTY)}" for name, value in properties.items())
    message = f"{finding.message}; {finding.hint}".translate(VALUE)
    return f"::{COMMANDS[finding.severity]} {listed}::{message}"
