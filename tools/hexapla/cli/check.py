"""`hexapla check`: from its options to a printed report."""

import argparse
import sys

from hexapla import seams
from hexapla.checks.command import run
from hexapla.checks.finding import Finding
from hexapla.cli.terminal import coloured, progress
from hexapla.reports import FORMATS, Summary


def check(chosen: argparse.Namespace) -> int:
    """`hexapla check`: the findings of a tree, of some of its pages, or of a built site."""

    def report(findings: tuple[Finding, ...], pages: int, languages: tuple[str, ...]) -> str:
        return FORMATS[chosen.format](findings, Summary(pages, languages, color=coloured()))

    with progress("checking") as step:
        if chosen.site:
            text, status = run(chosen, report)
        else:
            text, status = run(chosen, report, seams.own_terms, seams.garbled, seams.traditional, step)
    sys.stdout.write(text)
    return status
