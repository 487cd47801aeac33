"""JSON for programs: one object, schema 1."""

import json
from collections.abc import Sequence
from typing import Any

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary, rules


def json_report(findings: Sequence[Finding], summary: Summary) -> str:
    """All findings in order of place, and the counts."""
    data = {
        "schema": 1,
        "findings": [entry(finding) for finding in findings],
        "summary": {"pages": summary.pages, "languages": list(summary.languages), "rules": rules(findings)},
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def entry(finding: Finding) -> dict[str, Any]:
    """One finding; `source_path` and `source_line` are null where the rule looks at one page.

    `traceback` is there for a rule that failed by raising an error.
    """
    return {
        "rule": finding.rule, "severity": finding.severity, "path": finding.path, "line": finding.line,
        "column": finding.column, "language": finding.language, "message": finding.message, "hint": finding.hint,
        "source_path": finding.source_path, "source_line": finding.source_line, "origin": finding.origin,
        "fingerprint": finding.fingerprint,
    } | ({"traceback": finding.traceback} if finding.traceback else {})
