"""Run the snippets of a project on its runners, record the evidence, and list the runners."""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.examples import evidence_store, machine, ray_pool, sandbox, tasks
from hexapla.examples.client import INHERITED
from hexapla.examples.evidence import Hardware, Run, RunState, Status
from hexapla.examples.local_pool import RunContext, run_all, run_snippet, start_worker
from hexapla.examples.markers import CORE, MarkerError
from hexapla.examples.outdated_runs import CurrentTree
from hexapla.examples.page_blocks import is_block
from hexapla.examples.provenance import Place, describe_place
from hexapla.examples.result import TaskResult, compare_outputs, name_pictures, report_lines
from hexapla.examples.runners import ALL, Runner, read_runners, select_runners
from hexapla.examples.snippet import Snippets, open_snippets
from hexapla.examples.tasks import Task
from hexapla.git import Repository
from hexapla.processes import count_cores

Say = Callable[[str], None]
MISSING = "NOT HELD HERE"


class RunOptions(NamedTuple):
    """Which snippets run, and how: `select` are parts of their paths, `runners` names, none for all and for the CPU's.

    `jobs` and `timeout` (seconds) are the runner's where None; `shard` is (2, 3) for the second of three parts; `ray`
    is the address of a cluster, if any. `resume` leaves out what is recorded of the tree as it is; after `within`
    seconds no more is run. `plan` says what would run, and what it is held to, and runs nothing.
    """

    select: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()
    record: bool = False
    jobs: int | None = None
    shard: tuple[int, int] = (1, 1)
    timeout: float | None = None
    ray: str = ""
    resume: bool = False
    within: float = math.inf
    network: bool = False
    plan: bool = False


class RunnerPlan(NamedTuple):
    """One runner's work in one call, `promised` of which has to run; `hardware` is None for a cluster."""

    runner: Runner
    device: str
    hardware: Hardware | None
    tasks: Sequence[Task]
    promised: int


def run_snippets(options: RunOptions, project: Project, say: Say) -> bool:
    """Run snippets: a line for each, the reason below those that did not run. Whether all went well."""
    if options.ray and (options.resume or options.within < math.inf):
        raise ConfigError("--changed and --within are about this machine; leave out --ray")
    if not (hasattr(os, "fork") or options.plan):
        raise ConfigError("snippets do not run on Windows; run this in its Linux, WSL")
    snippets = open_snippets(project)
    selected = tasks.select_tasks(tasks.list_tasks(project.root, snippets), options.select)
    named = select_runners(read_runners(project.root), options.runners)
    plans = [plan_runner(project, runner, selected, options) for runner in named]
    if not any(plan.tasks for plan in plans):
        if not options.resume:
            raise ConfigError(no_task_message(project.root, selected, options))
        say("all of it is recorded")
        return True
    if options.plan:
        for line in plan_lines([plan for plan in plans if plan.tasks]):
            say(line)
        return True
    deadline = time.monotonic() + options.within
    done = [
        run_plan(plan, project, snippets, options, deadline, say) for plan in plans if plan.tasks or plan.promised > 0
    ]
    return all(done)


def no_task_message(root: Path, selected: Sequence[Task], options: RunOptions) -> str:
    """Why nothing is run, and which runner takes the selected snippets."""
    if not options.select:
        return f"no snippet belongs to {' or '.join(options.runners) or 'this machine'}; see `hexapla runners`"
    names = [each.name for each in read_runners(root).values() if tasks.tasks_of(selected, each)]
    return f"{selected[0].snippet} belongs to another runner; add {' or '.join(f'--runner {name}' for name in names)}"


def plan_runner(project: Project, runner: Runner, selected: Sequence[Task], options: RunOptions) -> RunnerPlan:
    """Plan a runner's tasks, the longest first. Raises ConfigError when this machine lacks the runner's device."""
    device, hardware = find_hardware(runner)
    if hardware is None and not options.ray:
        raise ConfigError(f"the runner {runner.name} needs a {device}, and this machine has none that can be described")
    runner = runner._replace(seconds=options.timeout or runner.seconds, network=options.network)
    evidence = list(evidence_store.read_all(project.evidence))
    taken = tasks.tasks_of(selected, runner)
    durations = {task.snippet: tasks.expected_seconds(task, evidence) for task in taken}
    number, count = options.shard
    due = tasks.take_shard(taken, number, count, durations)
    # Any shard may be the one whose snippets are skipped; where all of a runner's are, it has shown nothing.
    least = max(runner.minimum, int(count == 1 and bool(taken)))
    spare = 0 if runner.minimum == ALL else len(taken) - least
    promised = 0 if options.select or options.resume else len(due) - spare
    if options.resume and hardware:
        due = remaining_tasks(due, project, hardware)
    return RunnerPlan(runner, device, None if options.ray else hardware, due, promised)


def plan_lines(plans: Sequence[RunnerPlan]) -> Iterator[str]:
    """What would run on each runner, its limits, and what it is held to on this machine."""
    for plan in plans:
        where = f"{plan.hardware.name if plan.hardware else 'a cluster'}, environment {plan.runner.environment}"
        limits = f"{plan.runner.seconds:g} s a process, {plan.runner.memory_gib:g} GiB of memory, as much of files"
        yield f"{plan.runner.name}: {len(plan.tasks)} on {where}; {limits}"
        yield from (f"  {task.snippet}" + ", needs the network" * task.requirements.network for task in plan.tasks)
    yield from describe_promises(any(plan.runner.network for plan in plans))


def remaining_tasks(due: Sequence[Task], project: Project, hardware: Hardware) -> list[Task]:
    """The tasks that have no evidence of the tree as it is, those that failed before last."""
    here = evidence_store.file_of(project.evidence, hardware)
    believed = (each.evidence for each in evidence_store.read_files(project.evidence) if each.path == here)
    runs = next((evidence.runs for evidence in believed if evidence), {})
    tree = CurrentTree(project.root, open_snippets(project))
    states = {task.snippet: tree.state(task.snippet, runs.get(task.snippet)) for task in due}
    left = [task for task in due if states[task.snippet] not in {RunState.RAN, RunState.PARTLY, RunState.SKIPPED}]
    return sorted(left, key=lambda task: states[task.snippet] is RunState.FAILED)


def find_hardware(runner: Runner) -> tuple[str, Hardware | None]:
    """The runner's device, or its stand-in, with the hardware here; None when this machine has neither."""
    for device in filter(None, (runner.device, runner.stand_in)):
        hardware = machine.describe_hardware(device)
        if hardware:
            return device, hardware
    return runner.device, None


def run_plan(
    plan: RunnerPlan, project: Project, snippets: Snippets, options: RunOptions, deadline: float, say: Say
) -> bool:
    """Run one runner's tasks, report each as it ends, and record it then if asked to. Whether all went well."""
    accepted = {task.snippet for task in plan.tasks} if options.record else set()
    file_of = partial(evidence_store.file_of, project.evidence)
    runs_on = cache(lambda hardware: evidence_store.read_runs(file_of(hardware), accepted))
    if plan.hardware:
        runs_on(plan.hardware)  # evidence that cannot be trusted raises before anything is run
    runs: dict[str, Run] = {}
    files: dict[Path, None] = {}
    for result in run_tasks(plan, project, snippets, options, deadline):
        name, hardware = result.task.snippet, result.hardware
        recorded = runs_on(hardware).get(name) if hardware else None
        runs[name], difference = compare_with_recorded(result.run, recorded, result.task)
        if options.record and hardware:  # now: whatever ends this command takes nothing away
            evidence_store.record_run(
                file_of(hardware), hardware, name, runs[name], {*snippets.programs()}, accepted)
            files[file_of(hardware)] = None
        for line in [*report_lines(name, runs[name]), *(f"         {line}" for line in difference)]:
            say(line)
        if options.select and runs[name].output and not difference:
            say(name_pictures(runs[name].output))
    counts = {status: sum(each.status is status for each in runs.values()) for status in Status}
    say(", ".join(f"{count} {status}" for status, count in counts.items()) + f" by the runner {plan.runner.name}")
    for file in files:
        say(f"evidence: {file.relative_to(project.root)}")
    left = len(plan.tasks) - len(runs)
    if left:
        say(f"{left} are left, as the time is over; run it again with --record --changed")
    broken = counts[Status.RAN] < plan.promised
    if broken:
        say(f"the runner {plan.runner.name} promises {plan.promised} of these snippets, and {counts[Status.RAN]} ran")
    return not broken and not left and not counts[Status.FAILED]


def compare_with_recorded(result: Run, recorded: Run | None, task: Task) -> tuple[Run, list[str]]:
    """The run, failed if it printed something else than the recorded one, and the difference."""
    if recorded is None or recorded.status is not Status.RAN or result.status is not Status.RAN:
        return result, []
    wanted = task.requirements
    try:
        difference = compare_outputs(recorded.output, result.output, wanted.measures, wanted.varies)
    except MarkerError as error:
        return result._replace(status=Status.FAILED, reason=str(error)), []
    if not difference:
        return result, []
    accept = f"if this is right, `hexapla run --record {task.snippet.removesuffix('.py')}` accepts it"
    reason = f"printed something else than on {recorded.date}; {accept}"
    return result._replace(status=Status.FAILED, reason=reason), difference


def run_tasks(
    plan: RunnerPlan, project: Project, snippets: Snippets, options: RunOptions, deadline: float
) -> Iterator[TaskResult]:
    """Run a plan's tasks here or on a cluster; the results in the order in which they end."""
    runner, hardware = plan.runner, plan.hardware
    name, driver = (hardware.name, machine.driver_version(plan.device)) if hardware else ("", "")
    place = describe_place(project.root, hardware) if hardware else Place()
    context = RunContext(project.root, snippets, runner.name, name, driver, runner.limits, place, options.record)
    runner = runner._replace(preload=tasks.modules_to_preload(runner, plan.tasks, project.root, snippets))
    if options.ray:
        return ray_pool.run_all(options.ray, plan.tasks, runner, plan.device, context)
    jobs = options.jobs or runner.jobs or (count_cores() if plan.device == "cpu" else 1)
    start = partial(start_worker, project.root, project.snippets, runner, plan.device)
    return run_all(
        plan.tasks, jobs, start, lambda task, worker: TaskResult(task, run_snippet(task, context, worker), hardware),
        deadline,
    )


def job_matrix(project: Project, trusted: bool, since: str) -> str:
    """The job matrix as GitHub's `fromJSON` takes it, on one line; see `matrix_jobs` for `trusted` and `since`."""
    return json.dumps({"include": [*matrix_jobs(project, read_runners(project.root), trusted, since)]})


def list_runners(project: Project) -> Iterator[str]:
    """Each runner, the number of its snippets, and the hardware here that it can run on."""
    every = tasks.list_tasks(project.root, open_snippets(project))
    for runner in read_runners(project.root).values():
        _, hardware = find_hardware(runner)
        here = hardware.name if hardware else f"no {runner.device} here"
        yield f"{runner.name:12} {len(tasks.tasks_of(every, runner)):3} snippets  {runner.environment:12} {here}"
    yield from (line for line in describe_promises(network=False) if MISSING in line)


def describe_promises(network: bool) -> Iterator[str]:
    """A line for each promise: what is held, or what this machine lacks for it."""
    here = sandbox.find_confinement()
    landlock = "Linux {} with Landlock"
    any_scope = here.namespaces or here.landlock >= sandbox.SCOPES
    reached = "only its own processes, by loopback" + "; those that need it all of this machine's" * network
    table = (  # what a snippet is held to: in words, whether it is here, and what that needs
        ("writes", "only its own folder, its shared memory and a cache; on a GPU, files of processes in /proc",
         here.namespaces or here.landlock >= sandbox.WRITES, f"{landlock.format(6.2)}, or user namespaces"),
        ("modes", "no mode, owner or time of a file elsewhere is changed", here.namespaces, "user namespaces"),
        ("signals", "only its own processes", any_scope, f"{landlock.format(6.12)}, or user namespaces"),
        ("sees", "only its own processes", here.namespaces, "user namespaces"),
        ("network", reached, here.namespaces, "user namespaces"),
        ("shared", "what it leaves in /dev/shm counts as memory, and is removed", here.namespaces,
         "user namespaces"),
        ("reads", "all that you may read", True, ""),
        ("told", f"of your environment {', '.join(INHERITED)}", True, ""),
    )
    for name, words, held, needs in table:
        yield f"{name:8} " + (words if held else f"{MISSING}: {words}; that needs {needs}")


def matrix_jobs(
    project: Project, table: Mapping[str, Runner], trusted: bool, since: str
) -> Iterator[dict[str, Sequence[str]]]:
    """A job for each shard of each runner that has tasks, with the labels of its machine. Raises ConfigError.

    `trusted` selects the runners on machines of our own, else those that may run anybody's code. With `since`, a
    commit, environments without changes are left out.
    """
    snippets, changed = open_snippets(project), changed_files(project.root, since) if since else None
    every = tasks.list_tasks(project.root, snippets)
    for runner in table.values():
        mine = tasks.tasks_of(every, runner)
        if not mine or runner.hosted is trusted:
            continue
        if changed is not None and runner.environment != CORE and not (
            changed & list_inputs(project, runner, mine, snippets)
        ):
            continue
        count = min(runner.shards, len(mine))
        yield from ({"runner": runner.name, "shard": f"{number}/{count}", "labels": runner.labels}
                    for number in range(1, count + 1))


def list_inputs(project: Project, runner: Runner, mine: Sequence[Task], snippets: Snippets) -> set[str]:
    """The files that a runner's results depend on, as paths from the project's root."""
    below = project.snippets.relative_to(project.root).as_posix()
    files = [task.snippet for task in mine if not is_block(task.snippet)]
    names = {name for path in files for name in (path, *snippets.list_helpers(path))}
    found = {f"{below}/{name}" for name in names} | {task.test for task in mine}
    blocks = (snippets.blocks[task.snippet] for task in mine if is_block(task.snippet))
    found |= {block.page.relative_to(project.root).as_posix() for block in blocks}
    return found | {f"{below}/environments/{runner.environment}.txt"}


def changed_files(root: Path, since: str) -> set[str]:
    """The files that differ from a commit, as paths from the project's root. Raises ConfigError."""
    repository = Repository(root)
    commit = repository.commit(since)
    if commit is None:
        raise ConfigError(f"--since {since}: is no commit of this repository; fetch it or leave --since out")
    return set(repository.lines("diff", "--name-only", "--relative", commit, "--"))
