"""`hexapla run` and `hexapla runners`: their options, and lines printed as they come."""

import argparse
import math

from hexapla.cli.options import at_least_one, duration
from hexapla.cli.terminal import FOUND, say
from hexapla.config.project import find_project
from hexapla.examples.snippet_runs import RunOptions, job_matrix, list_runners, run_snippets


def add_run_arguments(added: argparse.ArgumentParser) -> None:
    added.add_argument("select", nargs="*", metavar="SELECT", help="snippets, as area, area/technique or a part of it")
    added.add_argument("--runner", action="append", default=[], metavar="NAME",
                       help="a runner of pyproject.toml, more than once if you like (default: those of the CPU)")
    added.add_argument("--record", action="store_true", help="write the evidence below snippets/evidence/")
    added.add_argument("--jobs", type=at_least_one, metavar="N", help="snippets at a time (default: the runner's)")
    added.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N", help="one of N parts of equal duration")
    added.add_argument("--timeout", type=duration, metavar="SECONDS", help="limit for each (default: the runner's)")
    added.add_argument("--changed", "--resume", dest="resume", action="store_true",
                       help="leave out what is recorded on this hardware of the tree as it is")
    added.add_argument("--within", type=duration, default=math.inf, metavar="SECONDS",
                       help="stop then; what has ended by then is recorded")
    added.add_argument("--ray", metavar="ADDRESS", help="on the machines of a Ray cluster; `auto` finds a local one")
    added.add_argument("--network", action="store_true", help="let the snippets that need the network use it")
    added.add_argument("--plan", action="store_true", help="run nothing: show what would run, and what it is held to")


def add_runners_arguments(added: argparse.ArgumentParser) -> None:
    added.add_argument("--format", choices=("text", "github"), default="text", help="a table, or a job matrix")
    added.add_argument("--trusted", action="store_true", help="the runners on machines of our own, not the others")
    added.add_argument("--since", metavar="COMMIT", help="leave out environments for which nothing has changed")


def shard(given: str) -> tuple[int, int]:
    """Parse `2/3`, the second of three shards. Raises ArgumentTypeError."""
    number, _, count = given.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError("write it as 1/3")
    return int(number), int(count)


def run(chosen: argparse.Namespace) -> int:
    """Run `hexapla run`: one line a snippet, the reason under those that did not run."""
    options = RunOptions(
        tuple(chosen.select), tuple(chosen.runner), chosen.record, chosen.jobs, chosen.shard, chosen.timeout,
        chosen.ray or "", chosen.resume, chosen.within, chosen.network, chosen.plan,
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
