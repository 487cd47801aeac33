"""Findings become a report: for people, for programs, for the places where code is reviewed."""

from collections.abc import Callable, Sequence

from hexapla.checks.finding import Finding
from hexapla.reports.github import github
from hexapla.reports.junit import junit
from hexapla.reports.machine import machine
from hexapla.reports.sarif import sarif
from hexapla.reports.summary import Summary
from hexapla.reports.text import text

Report = Callable[[Sequence[Finding], Summary], str]
FORMATS: dict[str, Report] = {"text": text, "json": machine, "github": github, "sarif": sarif, "junit": junit}

__all__ = ["FORMATS", "Report", "Summary", "text"]
