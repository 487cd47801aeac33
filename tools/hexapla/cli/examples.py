"""`hexapla run` and `hexapla runners`: from their options to lines printed as they come."""

import argparse

from hexapla.cli.terminal import FOUND, say
from hexapla.config.project import find_project
from hexapla.examples.service import run_command, runners_command


def run(chosen: argparse.Namespace) -> int:
    """`hexapla run`: one line a snippet, the reason under those that did not run."""
    return 0 if run_command(chosen, find_project(chosen.root), say) else FOUND


def runners(chosen: argparse.Namespace) -> int:
    """`hexapla runners`: one line a runner, or a job matrix."""
    return 0 if runners_command(chosen, find_project(chosen.root), say) else FOUND
