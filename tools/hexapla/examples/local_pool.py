"""Run snippets here, several at a time: of each its tests, then the program itself as a reader runs it."""

import math
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import hexapla
from hexapla.examples import environments
from hexapla.examples.client import Limits, Worker
from hexapla.examples.evidence import Run, Status
from hexapla.examples.markers import CORE
from hexapla.examples.page_blocks import is_block
from hexapla.examples.provenance import Place, describe_run
from hexapla.examples.result import (
    TaskResult,
    allocated_bytes,
    passed_tests,
    program_status,
    repetition_problem,
    tests_status,
)
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task
from hexapla.processes import count_cores

PYTEST = ("-q", "-p", "no:cacheprovider", "--basetemp={folder}/pytest")


class RunContext(NamedTuple):
    """What the runs of one runner share. With `twice`, a program that does not measure has to print the same again."""

    root: Path
    snippets: Snippets
    runner: str
    device: str
    driver: str
    limits: Limits
    place: Place = Place()
    twice: bool = False


def run_snippet(task: Task, context: RunContext, worker: Worker) -> Run:
    """Run a task on a worker. Failures of the snippet and of its tests are in the run; they raise nothing."""
    tests: Sequence[str] = ()
    tested = program = None
    problem = task.problem or worker.device_problem
    status, reason = (Status.FAILED, problem) if problem else (Status.RAN, "")
    unnamed = not task.test and not is_block(task.snippet)  # without tests, nothing can say that it needs the network
    network = worker.network and (task.requirements.network or unnamed)
    if status is Status.RAN and task.requirements.network and not network:
        status, reason = Status.SKIPPED, "needs the network; let it use that with --network"
    if status is Status.RAN and task.test:
        arguments = [str(context.root / task.test), f"--rootdir={context.root}", *PYTEST]
        tested = worker.run_tests(arguments, context.limits, network)
        status, reason = tests_status(tested, context.limits)
        tests = passed_tests(tested)
    if status is Status.RAN:
        with context.snippets.program_file(task.snippet) as file:
            program = worker.run_program(file, context.limits, task.requirements.measures, network)
            status, reason = program_status(program, context.limits, worker.device)
            if status is Status.RAN and context.twice and not task.requirements.measures:
                # Another interpreter has other hashes and addresses; a GPU's is lent by the minute, and imports take
                # most.
                fresh = worker.device == "cpu"
                again = worker.run_program(file, context.limits, fresh, network)
                reason = repetition_problem(program, again, task.requirements.varies, context.limits)
                status = Status.FAILED if reason else status
    return Run(
        status=status,
        source=context.snippets.hash(task.snippet),
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(program.seconds, 1) if program else 0.0,
        peak_memory_bytes=program.peak_memory_bytes if program else 0,
        output=program.output.rstrip() if program and status is Status.RAN else "",
        reason=reason,
        runner=context.runner,
        device=context.device,
        driver=context.driver,
        tests=tests if status is Status.RAN else (),
        test_seconds=round(tested.seconds, 1) if tested else 0.0,
        allocated_bytes=allocated_bytes(program) if program else 0,
        **describe_run(task, context.root, context.snippets, worker.packages, tested, program),
        **context.place._asdict(),
    )


def process_variables(device: str, threads: int) -> dict[str, str]:
    """The environment variables of a run: offline, without colours, and for the CPU with accelerators hidden."""
    added = {
        "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(threads)),
    }
    # Left to look for itself, DeepSpeed prints what it found, with the time, into the snippet's output.
    hidden = {"CUDA_VISIBLE_DEVICES": "", "DS_ACCELERATOR": "cpu"}
    # Asked through CUDA whether there is a GPU, an import would leave CUDA unusable in every fork.
    asked = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
    return added | {"cpu": hidden, "gpu": asked}.get(device, {})


StartWorker = Callable[[int], Worker]  # given the threads that each of its processes may use
RunTask = Callable[[Task, Worker], TaskResult]


def start_worker(root: Path, snippets: Path, runner: Runner, device: str, threads: int) -> Worker:
    """Start a worker in the runner's environment, which is created if missing. Raises ConfigError."""
    if runner.environment == CORE:
        path, packages = sys.executable, str(Path(hexapla.__file__).resolve().parents[1])
    else:
        pins = snippets / "environments" / f"{runner.environment}.txt"
        path, packages = str(environments.ensure_python(pins)), ""
    environment = {"HEXAPLA_ENVIRONMENT": runner.environment, "PYTHONPATH": packages}
    return Worker(path, root, process_variables(device, threads) | environment, runner.preload, device, runner.network)


def run_all(
    tasks: Sequence[Task], jobs: int, start: StartWorker, run_task: RunTask, deadline: float = math.inf
) -> Iterator[TaskResult]:
    """Run tasks, `jobs` at a time in this order; results as they end, none after the monotonic `deadline`."""
    together = [task for task in tasks if not task.requirements.measures]
    alone = [task for task in tasks if task.requirements.measures]
    if together:
        yield from run_pool(together, min(jobs, len(together)), start, run_task, deadline)
    if alone and time.monotonic() < deadline:
        yield from run_pool(alone, 1, start, run_task, deadline)


def run_pool(
    tasks: Sequence[Task], jobs: int, start: StartWorker, run_task: RunTask, deadline: float
) -> Iterator[TaskResult]:
    """Run tasks on `jobs` workers, each taking the next one; closing the generator ends the workers."""
    workers = [start(max(1, count_cores() // jobs)) for _ in range(jobs)]
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def work_on(task: Task) -> TaskResult:
        worker = idle.get()  # as many as threads
        try:
            return run_task(task, worker)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(jobs)
    waiting = {threads.submit(work_on, task) for task in tasks}
    try:
        while waiting and time.monotonic() < deadline:
            left = None if deadline == math.inf else deadline - time.monotonic()
            ended, waiting = wait(waiting, left, FIRST_COMPLETED)
            for each in ended:
                yield each.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.close()
