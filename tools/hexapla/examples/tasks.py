"""Tasks: each snippet with its test and what the test requires; selected, assigned to runners and to shards."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla.errors import ConfigError
from hexapla.examples.evidence import Evidence
from hexapla.examples.markers import MarkerError, Requirements, read_requirements
from hexapla.examples.page_blocks import PageBlock, block_requirements
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets, first_part, imported_modules
from hexapla.files import read_text


class Task(NamedTuple):
    """A snippet, `area/technique.py`, its test from the root, if any, and the problem for which it cannot be run."""

    snippet: str
    test: str
    requirements: Requirements
    problem: str = ""


def list_tasks(root: Path, snippets: Snippets) -> list[Task]:
    return [task_of(root, name, snippets.blocks.get(name)) for name in snippets.programs()]


def task_of(root: Path, snippet: str, block: PageBlock | None = None) -> Task:
    """The task of a snippet, whose test is tests/snippets/<area>/test_<technique>.py; a block in a page has none."""
    if block:
        try:
            return Task(snippet, "", block_requirements(block))
        except MarkerError as error:
            return Task(snippet, "", Requirements(), f"cannot be run: {error}")
    area, _, technique = snippet.partition("/")
    test = f"tests/snippets/{area}/test_{technique}"
    if not (root / "tests" / "snippets").is_dir():
        return Task(snippet, "", Requirements())
    try:
        return Task(snippet, test, read_requirements(read_text(root, test)))
    except FileNotFoundError:
        return Task(snippet, test, Requirements(), f"has no test; write {test}, which asserts its effect")
    except (MarkerError, SyntaxError, UnicodeDecodeError) as error:
        return Task(snippet, test, Requirements(), f"its test {test} cannot be read: {error}")


def select_tasks(all_tasks: Sequence[Task], wanted: Sequence[str]) -> list[Task]:
    """The tasks whose snippet's path contains one of `wanted`, all for none. Raises ConfigError."""
    known = [each.snippet for each in all_tasks]
    for word in wanted:
        if not any(matches_word(name, word) for name in known):
            raise ConfigError(f"no snippet matches {word!r}; there are {', '.join(known) or 'none'}")
    return [each for each in all_tasks if not wanted or any(matches_word(each.snippet, word) for word in wanted)]


def matches_word(name: str, word: str) -> bool:
    """Whether a snippet's path contains a word; a path that begins with `snippets/` matches too."""
    return word.removeprefix("./").removeprefix("snippets/") in name


def tasks_of(all_tasks: Iterable[Task], runner: Runner) -> list[Task]:
    return [each for each in all_tasks if runner.takes(each.requirements)]


def modules_to_preload(runner: Runner, some: Iterable[Task], root: Path, snippets: Snippets) -> tuple[str, ...]:
    """Those of a runner's modules whose packages the tasks import; the others would be imported for nobody."""
    packages: set[str] = set()
    for task in some:
        tested = imported_modules(read_text(root, task.test)) if task.test and not task.problem else set()
        packages |= snippets.packages(task.snippet) | {first_part(name) for name in tested}
    return tuple(module for module in runner.preload if first_part(module) in packages)


def expected_seconds(task: Task, evidence: Sequence[Evidence]) -> float:
    """The seconds of a task's last run, tests included, the longest of all hardware; 10 if it never ran."""
    known = [
        each.runs[task.snippet].seconds + each.runs[task.snippet].test_seconds
        for each in evidence if task.snippet in each.runs
    ]
    return max(known, default=10.0)


def take_shard(some: Sequence[Task], number: int, count: int, durations: Mapping[str, float]) -> list[Task]:
    """The tasks of shard `number` (from 1) of `count`: longest first, each to the shard with the least load so far."""
    loads = [0.0] * count
    mine = []
    for each in sorted(some, key=lambda task: (-durations[task.snippet], task.snippet)):
        least = loads.index(min(loads))
        loads[least] += durations[each.snippet]
        if least == number - 1:
            mine.append(each)
    return mine
