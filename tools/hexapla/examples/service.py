"""What `hexapla run` and `hexapla runners` do between the command line and the room's other modules."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from hexapla.cli.options import at_least_one, duration
from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.examples import comparison, evidence_store, local_pool, machine, matrix, sandbox, tasks
from hexapla.examples.evidence import Hardware, Run, Status
from hexapla.examples.local_pool import Result
from hexapla.examples.runner import RunContext, counted, run, told
from hexapla.examples.runners import Runner, chosen, runners
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task

Say = Callable[[str], None]


def add_run_arguments(added: argparse.ArgumentParser) -> None:
    """The options of `hexapla run`."""
    added.add_argument("select", nargs="*", metavar="SELECT", help="snippets, as area, area/technique or a part of it")
    added.add_argument("--runner", action="append", default=[], metavar="NAME",
                       help="a runner of pyproject.toml, more than once if you like (default: those of the CPU)")
    added.add_argument("--record", action="store_true", help="write the evidence below snippets/evidence/")
    added.add_argument("--jobs", type=at_least_one, metavar="N", help="snippets at a time (default: the runner's)")
    added.add_argument("--shard", type=part, default=(1, 1), metavar="I/N", help="one of N parts of equal duration")
    added.add_argument("--timeout", type=duration, metavar="SECONDS", help="limit for each (default: the runner's)")
    added.add_argument("--ray", metavar="ADDRESS", help="on the machines of a Ray cluster; `auto` finds a local one")


def add_runners_arguments(added: argparse.ArgumentParser) -> None:
    """The options of `hexapla runners`."""
    added.add_argument("--format", choices=("text", "github"), default="text", help="a table, or a job matrix")
    added.add_argument("--trusted", action="store_true", help="the runners on machines of our own, not the others")
    added.add_argument("--since", metavar="COMMIT", help="leave out environments for which nothing has changed")


def part(given: str) -> tuple[int, int]:
    """`2/3` as numbers."""
    number, _, count = given.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError("write it as 1/3")
    return int(number), int(count)


@dataclass(frozen=True, slots=True)
class RunnerPlan:
    """One runner's work in one call; `hardware` is None where a cluster's nodes have it.

    `promised` is how many of the tasks have to run.
    """

    runner: Runner
    device: str
    hardware: Hardware | None
    tasks: Sequence[Task]
    promised: int


def run_command(options: argparse.Namespace, project: Project, say: Say) -> bool:
    """`hexapla run`: a line a snippet, the reason below those that did not run. Whether all is well."""
    snippets = Snippets(project.snippets)
    every = tasks.tasks(project.root, snippets)
    selected = tasks.select(every, options.select)
    shifts = [
        shift(project, runner, selected, options)
        for runner in chosen(runners(project.root), options.runner)
    ]
    if not any(each.tasks for each in shifts):
        raise ConfigError(nowhere(project.root, selected, options))
    done = [carry_out(each, project, snippets, options, say) for each in shifts if each.tasks or each.promised > 0]
    return all(done)


def nowhere(root: Path, selected: Sequence[Task], options: argparse.Namespace) -> str:
    """Why nothing is run: where what was asked for belongs."""
    if not options.select:
        return f"no snippet belongs to {' or '.join(options.runner) or 'this machine'}; see `hexapla runners`"
    names = [each.name for each in runners(root).values() if tasks.belongs(selected, each)]
    return f"{selected[0].snippet} belongs to another runner; add {' or '.join(f'--runner {name}' for name in names)}"


def shift(project: Project, runner: Runner, selected: Sequence[Task], options: argparse.Namespace) -> RunnerPlan:
    """What a runner is to do here, the longest first. Raises ConfigError where this machine or evidence will not do."""
    device, hardware = found(runner)
    if hardware is None and not options.ray:
        raise ConfigError(f"the runner {runner.name} needs a {device}, and this machine has none that can be described")
    if options.timeout:
        runner = replace(runner, seconds=options.timeout)
    evidence = list(evidence_store.everything(project.evidence))
    taken = tasks.belongs(selected, runner)
    durations = {task.snippet: tasks.seconds(task, evidence) for task in taken}
    number, count = options.shard
    due = tasks.shard(taken, number, count, durations)
    spare = len(taken) - runner.minimum  # any shard may be the one whose snippets are skipped
    promised = 0 if options.select else len(due) - spare
    return RunnerPlan(runner, device, None if options.ray else hardware, due, promised)


def found(runner: Runner) -> tuple[str, Hardware | None]:
    """The runner's device and the hardware that is it here; the stand-in's where the device is absent."""
    for device in filter(None, (runner.device, runner.stand_in)):
        hardware = machine.describe(device)
        if hardware:
            return device, hardware
    return runner.device, None


def carry_out(each: RunnerPlan, project: Project, snippets: Snippets, options: argparse.Namespace, say: Say) -> bool:
    """One runner's work, told as it ends, recorded if asked for. Whether all is well."""
    accepted = {task.snippet for task in each.tasks} if options.record else set()
    archive = evidence_store.Archive(project.evidence, accepted)
    if each.hardware:
        archive.known(each.hardware)  # what is wrong with it is said before anything is run
    runs: dict[str, Run] = {}
    for result in executed(each, project, snippets, options):
        name = result.task.snippet
        known = archive.known(result.hardware).get(name) if result.hardware else None
        runs[name], difference = compared(result.run, known, result.task)
        if result.hardware:
            archive.add(result.hardware, name, runs[name])
        for line in [*told(name, runs[name]), *(f"         {line}" for line in difference)]:
            say(line)
        if options.select and runs[name].output and not difference:
            say(runs[name].output)
    counts = counted(runs)
    say(", ".join(f"{count} {status}" for status, count in counts.items()) + f" by the runner {each.runner.name}")
    if options.record:
        for file in archive.write(set(snippets.names())):
            say(f"evidence: {file.relative_to(project.root)}")
    broken = counts[Status.RAN] < each.promised
    if broken:
        say(f"the runner {each.runner.name} promises {each.promised} of these snippets, and {counts[Status.RAN]} ran")
    return not broken and not counts[Status.FAILED]


def compared(result: Run, known: Run | None, task: Task) -> tuple[Run, list[str]]:
    """The run, failed where it printed something else than what was recorded, and the difference."""
    if known is None or known.status is not Status.RAN or result.status is not Status.RAN:
        return result, []
    difference = comparison.difference(known.output, result.output, task.belonging.measures)
    if not difference:
        return result, []
    accept = f"if this is right, `hexapla run --record {task.snippet.removesuffix('.py')}` accepts it"
    reason = f"printed something else than on {known.date}; {accept}"
    return replace(result, status=Status.FAILED, reason=reason), difference


def executed(each: RunnerPlan, project: Project, snippets: Snippets, options: argparse.Namespace) -> Iterator[Result]:
    """The results of a shift as they come, from here or from a cluster."""
    runner, hardware = each.runner, each.hardware
    name, driver = (hardware.name, machine.driver(each.device)) if hardware else ("", "")
    venue = RunContext(project.root, snippets, runner.name, name, driver, runner.limits)
    if options.ray:
        from hexapla.examples import ray_pool

        return ray_pool.run_all(options.ray, each.tasks, runner, each.device, venue)
    jobs = options.jobs or runner.jobs or (local_pool.cores() if each.device == "cpu" else 1)
    hire = partial(local_pool.hire, project.root, project.snippets, runner, each.device)
    return local_pool.run_all(
        each.tasks, jobs, hire, lambda task, hired: Result(task, run(task, venue, hired), hardware)
    )


def runners_command(options: argparse.Namespace, project: Project, say: Say) -> bool:
    """`hexapla runners`: what each runner is, what belongs to it and whether it can run here; or a job matrix."""
    table = runners(project.root)
    snippets = Snippets(project.snippets)
    every = tasks.tasks(project.root, snippets)
    if options.format == "github":
        rows = matrix.rows(project, table, every, snippets, options.trusted, options.since)
        say(matrix.github(rows))
        return True
    for runner in table.values():
        _, hardware = found(runner)
        here = hardware.name if hardware else f"no {runner.device} here"
        say(f"{runner.name:12} {len(tasks.belongs(every, runner)):3} snippets  {runner.environment:12} {here}")
    if not sandbox.available():
        say("writes outside a snippet's folder are not refused here: that needs Linux 6.2 or newer, with Landlock")
    return True
