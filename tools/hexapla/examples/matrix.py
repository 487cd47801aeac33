"""The jobs of a continuous integration: a row a runner and shard, and no machine of our own for code that is not."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.examples import tasks
from hexapla.examples.markers import CORE
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task


@dataclass(frozen=True, slots=True)
class Row:
    """A job: its runner, its shard as `hexapla run --shard` takes it, and the labels of the machine it wants."""

    runner: str
    shard: str
    labels: tuple[str, ...]


def rows(
    project: Project, table: Mapping[str, Runner], every: Sequence[Task], snippets: Snippets, trusted: bool, since: str
) -> list[Row]:
    """A row for each shard of each runner that something belongs to.

    Runners whose machines anybody's code may run on; for code that is `trusted`, the others. With `since`, environments
    only where something of theirs has changed. Raises ConfigError where git does not know `since`.
    """
    changed = changes(project.root, since) if since else None
    made = []
    for runner in table.values():
        mine = tasks.belongs(every, runner)
        if not mine or runner.hosted is trusted:
            continue
        if changed is not None and runner.environment != CORE and not changed & files(project, runner, mine, snippets):
            continue
        count = min(runner.shards, len(mine))
        made += [Row(runner.name, f"{number}/{count}", runner.labels) for number in range(1, count + 1)]
    return made


def github(rows: Sequence[Row]) -> str:
    """The matrix as GitHub's `fromJSON` takes it, on one line."""
    included = [{"runner": row.runner, "shard": row.shard, "labels": list(row.labels)} for row in rows]
    return json.dumps({"include": included})


def files(project: Project, runner: Runner, mine: Sequence[Task], snippets: Snippets) -> set[str]:
    """What a runner's result depends on, as paths from the project's root."""
    below = project.snippets.relative_to(project.root).as_posix()
    names = {name for task in mine for name in (task.snippet, *snippets.helpers(task.snippet))}
    found = {f"{below}/{name}" for name in names} | {task.test for task in mine}
    return found | {f"{below}/environments/{runner.environment}.txt"}


def changes(root: Path, since: str) -> set[str]:
    """The files that differ from a commit, as paths from the project's root. Raises ConfigError."""
    command = ["git", "diff", "--name-only", "--relative", since, "--"]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if answer.returncode:
        said = (answer.stderr.splitlines() or ["git said nothing"])[0]
        raise ConfigError(f"--since {since}: {said}; fetch that commit or leave --since out")
    return set(answer.stdout.splitlines())
