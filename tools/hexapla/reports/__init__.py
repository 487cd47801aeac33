"""Findings become a report: for people, for programs, for the places where code is reviewed."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module

from hexapla.checks.finding import Finding
from hexapla.reports.summary import Summary

Report = Callable[[Sequence[Finding], Summary], str]


def of_module(name: str) -> Report:
    """The report that a module makes with its function of the same name; the module is imported when it is asked."""

    def report(findings: Sequence[Finding], summary: Summary) -> str:
        made: Report = getattr(import_module(f"hexapla.reports.{name}"), name)
        return made(findings, summary)

    return report


FORMATS: dict[str, Report] = {
    "text": of_module("text"), "json": of_module("json_report"), "github": of_module("github"),
    "sarif": of_module("sarif"), "junit": of_module("junit"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What a command takes that reports findings."""
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to report (default: text)")


__all__ = ["FORMATS", "Report", "Summary", "add_arguments"]
