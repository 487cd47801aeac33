"""Reports of findings: text, JSON, GitHub annotations, SARIF, JUnit."""

from collections.abc import Callable, Sequence

from hexapla.checks.finding import Finding
from hexapla.reports.github import github
from hexapla.reports.json_report import json_report
from hexapla.reports.junit import junit
from hexapla.reports.sarif import sarif
from hexapla.reports.summary import Summary
from hexapla.reports.text import text

Report = Callable[[Sequence[Finding], Summary], str]

FORMATS: dict[str, Report] = {
    "text": text, "json": json_report, "github": github, "sarif": sarif, "junit": junit,
}

__all__ = ["FORMATS", "Report", "Summary"]
