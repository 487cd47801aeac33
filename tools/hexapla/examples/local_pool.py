"""Run many snippets on this machine, some at a time; those that measure the machine alone."""

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import hexapla
from hexapla.examples import environments
from hexapla.examples.client import Worker
from hexapla.examples.evidence import Hardware, Run
from hexapla.examples.markers import CORE
from hexapla.examples.runner import variables
from hexapla.examples.runners import Runner
from hexapla.examples.tasks import Task


@dataclass(frozen=True, slots=True)
class Result:
    """A task's run, and the hardware it was run on; None where it came to none."""

    task: Task
    run: Run
    hardware: Hardware | None = None


Hire = Callable[[int], Worker]  # given the threads that each of its processes may use
One = Callable[[Task, Worker], Result]


def hire(root: Path, snippets: Path, runner: Runner, device: str, threads: int) -> Worker:
    """A worker in the runner's environment, which is made where it is not there yet. Raises ConfigError."""
    if runner.environment == CORE:
        path, packages = sys.executable, str(Path(hexapla.__file__).resolve().parents[1])
    else:
        pins = snippets / "environments" / f"{runner.environment}.txt"
        path, packages = str(environments.interpreter(root, pins)), ""
    said = {"HEXAPLA_ENVIRONMENT": runner.environment, "PYTHONPATH": packages}
    return Worker(path, root, variables(device, threads) | said, runner.preload)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(tasks: Sequence[Task], jobs: int, hire: Hire, one: One) -> Iterator[Result]:
    """Each task's result, in the order in which they end; `jobs` at a time, begun in the order given."""
    together = [task for task in tasks if not task.belonging.measures]
    alone = [task for task in tasks if task.belonging.measures]
    if together:
        yield from crew(together, min(jobs, len(together)), hire, one)
    if alone:
        yield from crew(alone, 1, hire, one)


def crew(tasks: Sequence[Task], jobs: int, hire: Hire, one: One) -> Iterator[Result]:
    """`jobs` workers, each taking the next task; left early, nothing that they started stays."""
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    ended: queue.SimpleQueue[Result | BaseException] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    workers = [hire(max(1, cores() // jobs)) for _ in range(jobs)]

    def work(worker: Worker) -> None:
        try:
            while True:
                ended.put(one(waiting.get_nowait(), worker))
        except queue.Empty:
            return
        except BaseException as error:  # told in the thread that everybody waits for
            ended.put(error)

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            result = ended.get()
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        for worker in workers:
            worker.close()
