"""`hexapla check`: from its options to a printed report."""

import argparse
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hexapla.checks.engine.command import run
from hexapla.checks.finding import Finding
from hexapla.cli import providers
from hexapla.cli.terminal import coloured, progress
from hexapla.reports import FORMATS, Summary


def check(chosen: argparse.Namespace) -> int:
    """`hexapla check`: the findings of a tree, of some of its pages, or of a built site."""

    def report(findings: tuple[Finding, ...], pages: int, languages: tuple[str, ...]) -> str:
        return FORMATS[chosen.format](findings, Summary(pages, languages, color=coloured()))

    with progress("checking") as step, rarely_collected():
        if chosen.site:
            text, status = run(chosen, report)
        else:
            text, status = run(chosen, report, providers.own_terms, providers.garbled, providers.traditional, step)
    sys.stdout.write(text)
    return status


@contextmanager
def rarely_collected() -> Iterator[None]:
    """For work whose garbage is mostly no loop: to look for loops after every 700 records takes a fifteenth of it."""
    before = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
