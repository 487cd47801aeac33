"""SARIF 2.1.0 for code scanning: at most 5,000 results, the worst first, and a note of how many are left out."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import hexapla
from hexapla.checks.finding import Finding
from hexapla.checks.rules.manual import explain_rule, summarize_rule
from hexapla.checks.rules.registry import Rule
from hexapla.report_text import json_text
from hexapla.reports.summary import ORDER, Summary, worst_first

LIMIT = 5000
FAILED = {"check-failed", "rule-failed"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_report(findings: Sequence[Finding], summary: Summary) -> str:
    """One run of the tool; where it or a rule failed by a defect, that is no result but a notification."""
    results = [finding for finding in findings if finding.rule not in FAILED]
    shown = worst_first(results)[:LIMIT]
    names = sorted({finding.rule for finding in shown})
    run: dict[str, Any] = {
        "tool": {"driver": {
            "name": "hexapla", "version": hexapla.__version__,
            "rules": [rule_entry(summary.known[name], shown) for name in names],
        }},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"description": {"text": "the folder given with --root"}}},
        "results": [result_entry(finding, names.index(finding.rule)) for finding in shown],
    }
    notes = [
        {"level": "error", "message": {"text": f"{finding.message}; {finding.hint}"},
         "locations": [location_entry(finding.path, finding.line, finding.column)]}
        for finding in findings if finding.rule in FAILED
    ]
    succeeded = not notes
    if left_out := len(results) - len(shown):
        message = f"{left_out} findings of lesser weight are left out: code scanning takes {LIMIT}"
        notes.append({"level": "note", "message": {"text": message}})
    if notes:
        run["invocations"] = [{"executionSuccessful": succeeded, "toolExecutionNotifications": notes}]
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def rule_entry(row: Rule, findings: Sequence[Finding]) -> dict[str, Any]:
    """A rule, as severe as the most severe of its findings, with what `hexapla check --explain` says of it."""
    level = min((finding.severity for finding in findings if finding.rule == row.id), key=ORDER.__getitem__)
    return {
        "id": row.id, "name": "".join(word.capitalize() for word in row.id.split("-")),
        "shortDescription": {"text": summarize_rule(row)}, "defaultConfiguration": {"level": level},
        "help": {"text": explain_rule(row)},  # no address: the page on rules has none that is sure to answer
    }


def result_entry(finding: Finding, index: int) -> dict[str, Any]:
    """One finding; the line of the source is a related location."""
    made: dict[str, Any] = {
        "ruleId": finding.rule, "ruleIndex": index, "level": finding.severity,
        "message": {"text": f"{finding.message}; {finding.hint}"},
        "locations": [location_entry(finding.path, finding.line, finding.column)],
        "partialFingerprints": {"hexapla/v2": finding.fingerprint},
        "properties": {"language": finding.language, "origin": finding.origin},
    }
    if finding.source_path:
        related = location_entry(finding.source_path, finding.source_line or 1, 1)
        made["relatedLocations"] = [{"id": 1, "message": {"text": "the source"}, **related}]
    return made


def location_entry(path: str, line: int, column: int) -> dict[str, Any]:
    """A line and column of a file below the root."""
    return {"physicalLocation": {
        "artifactLocation": {"uri": quote(path), "uriBaseId": "ROOT"},
        "region": {"startLine": max(line, 1), "startColumn": max(column, 1)},
    }}
