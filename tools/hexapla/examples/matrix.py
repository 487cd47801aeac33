"""The job matrix for CI: one job a runner and shard; machines of our own run trusted code only."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.examples import tasks
from hexapla.examples.markers import CORE
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task
from hexapla.git import Repository


class MatrixJob(NamedTuple):
    """A job: its runner, its shard as `hexapla run --shard` takes it, and the labels of the machine it wants."""

    runner: str
    shard: str
    labels: tuple[str, ...]


def matrix_jobs(
    project: Project, table: Mapping[str, Runner], every: Sequence[Task], snippets: Snippets, trusted: bool, since: str
) -> list[MatrixJob]:
    """A job for each shard of each runner that has tasks.

    `trusted` selects the runners on machines of our own, else those that may run anybody's code. With `since`,
    a commit, environments without changes are left out. Raises ConfigError if git does not know `since`.
    """
    changed = changed_files(project.root, since) if since else None
    made = []
    for runner in table.values():
        mine = tasks.tasks_of(every, runner)
        if not mine or runner.hosted is trusted:
            continue
        if changed is not None and runner.environment != CORE and not changed & inputs(project, runner, mine, snippets):
            continue
        count = min(runner.shards, len(mine))
        made += [MatrixJob(runner.name, f"{number}/{count}", runner.labels) for number in range(1, count + 1)]
    return made


def github(jobs: Sequence[MatrixJob]) -> str:
    """The matrix as GitHub's `fromJSON` takes it, on one line."""
    return json.dumps({"include": [job._asdict() for job in jobs]})


def inputs(project: Project, runner: Runner, mine: Sequence[Task], snippets: Snippets) -> set[str]:
    """The files that a runner's results depend on, as paths from the project's root."""
    below = project.snippets.relative_to(project.root).as_posix()
    names = {name for task in mine for name in (task.snippet, *snippets.helpers(task.snippet))}
    found = {f"{below}/{name}" for name in names} | {task.test for task in mine}
    return found | {f"{below}/environments/{runner.environment}.txt"}


def changed_files(root: Path, since: str) -> set[str]:
    """The files that differ from a commit, as paths from the project's root. Raises ConfigError."""
    repository = Repository(root)
    commit = repository.commit(since)
    if commit is None:
        raise ConfigError(f"--since {since}: is no commit of this repository; fetch it or leave --since out")
    return set(repository.lines("diff", "--name-only", "--relative", commit, "--"))
