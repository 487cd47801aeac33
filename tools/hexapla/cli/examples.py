"""`hexapla run` and `hexapla runners`: their options, and lines printed as they come."""

import argparse
import math

from hexapla.cli.terminal import FOUND, say
from hexapla.config.project import find_project
from hexapla.examples.snippet_runs import RunOptions, job_matrix, list_runners, run_snippets


def run(chosen: argparse.Namespace) -> int:
    """Run `hexapla run`: one line a snippet, the reason under those that did not run."""
    options = RunOptions(
        tuple(chosen.select), tuple(chosen.runner), chosen.record, chosen.jobs, chosen.shard or (1, 1),
        chosen.timeout, chosen.ray or "", chosen.resume, chosen.within or math.inf, chosen.network, chosen.plan,
    )
    return 0 if run_snippets(options, find_project(chosen.root), say) else FOUND


def runners(chosen: argparse.Namespace) -> int:
    """Run `hexapla runners`: one line a runner, or a job matrix."""
    project = find_project(chosen.root)
    if chosen.format == "github":
        say(job_matrix(project, chosen.trusted, chosen.since or ""))
        return 0
    for line in list_runners(project):
        say(line)
    return 0
