"""`hexapla repair`: from its options to repaired text, printed or written."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from hexapla.cli.terminal import needing, progress
from hexapla.config.project import find_project
from hexapla.errors import ConfigError
from hexapla.files import pages_under
from hexapla.mojibake.service import run


def repair(chosen: argparse.Namespace) -> int:
    """`hexapla repair`: garbled texts repaired, what stays uncertain said."""
    try:
        project = find_project(chosen.root)
        root, docs = project.root, project.docs
    except ConfigError:
        if chosen.root:
            raise
        root, docs = Path.cwd(), None  # garbled files need no project; --corpus names clean pages

    def clean() -> Iterator[str]:
        for page in pages_under(docs) if docs else ():
            yield page.read_text(encoding="utf-8", errors="replace")

    ask = input if sys.stdin.isatty() and sys.stdout.isatty() else None
    with needing("repair"), progress("repairing") as step:
        outcome = run(chosen, clean, root / ".hexapla", ask, None if chosen.review else step)
    if outcome.output:
        print(outcome.output)
    for error in outcome.errors:
        print(f"hexapla: {error}", file=sys.stderr)
    return outcome.status
