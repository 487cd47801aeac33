"""Reports of findings: text, JSON, GitHub annotations, SARIF, JUnit."""

from collections.abc import Callable, Sequence
from importlib import import_module

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary

Report = Callable[[Sequence[Finding], Summary], str]


def of_module(name: str) -> Report:
    """The report that a module's function of the same name makes.

    The module is imported on use: xml.etree, which JUnit's needs, takes 10 ms, as long as checking a small built site.
    """

    def report(findings: Sequence[Finding], summary: Summary) -> str:
        made: Report = getattr(import_module(f"hexapla.reports.{name}"), name)
        return made(findings, summary)

    return report


FORMATS: dict[str, Report] = {
    "text": of_module("text"), "json": of_module("json_report"), "github": of_module("github"),
    "sarif": of_module("sarif"), "junit": of_module("junit"),
}

__all__ = ["FORMATS", "Report", "Summary"]
