"""A pool of workers on this machine: several snippets at a time, those that measure one by one."""

import math
import queue
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import hexapla
from hexapla.examples import environments
from hexapla.examples.client import Worker
from hexapla.examples.markers import CORE
from hexapla.examples.result import TaskResult
from hexapla.examples.runner import process_variables
from hexapla.examples.runners import Runner
from hexapla.examples.tasks import Task
from hexapla.processes import count_cores

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
    """Run tasks, `jobs` at a time in the order given; yields the results in the order in which they end.

    What has not ended by the `deadline`, a time of `time.monotonic`, is ended without a result.
    """
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

    def work(task: Task) -> TaskResult:
        worker = idle.get()  # as many as threads
        try:
            return run_task(task, worker)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(jobs)
    waiting = {threads.submit(work, task) for task in tasks}
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
