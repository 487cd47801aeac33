"""Work on all cores by processes that are forked from this one for each job, and so see all that it knows.

A job is a list of items. Its process sends the result of each item as it is ready; where the process ends before the
last, the next item is what ended it: it is told, and a new process goes on with the rest.
"""

import gc
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, NamedTuple, TypeVar

from mkdocs.exceptions import BuildError

from hexapla.checks.engine.time_limit import SECONDS as CPU_SECONDS
from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.processes import end_with_parent

SECONDS = 60.0  # that one item may take, where it does not end by the CPU time that it uses
TOO_LONG = (f"this page takes more than {CPU_SECONDS:.0f} seconds of CPU and was stopped; simplify what is nested, "
            "or cut it into several pages")
FORKS = hasattr(os, "fork")
Item = TypeVar("Item")
Result = TypeVar("Result")


class Failure(NamedTuple):
    """Why an item has no result: the error's sentence, or how its process ended.

    `placed` says that the sentence names its file itself.
    """

    reason: str
    placed: bool = False


class PlacedError(BuildError):
    """What is wrong in files that its lines name, as `file:line:column: ...`."""


def result_of(work: Callable[[Item], Result], item: Item) -> Result | Failure:
    """What `work` returns for an item, or why it raised or was stopped."""
    try:
        with TimeLimit():
            return work(item)
    except TimeLimitError:
        return Failure(TOO_LONG)
    except Exception as error:  # whatever a page's events raise
        return Failure(str(error) or type(error).__name__, isinstance(error, PlacedError))


@dataclass
class _Job(Generic[Item]):
    """A process at work; `waiting` begins with the item that it is at."""

    process: BaseProcess
    results: Connection
    waiting: deque[Item]
    since: float


class ProcessPool(Generic[Item, Result]):
    """At most `size` processes at a time."""

    def __init__(self, work: Callable[[Item], Result], size: int, niceness: int = 0) -> None:
        self.work = work
        self.size = size
        self.niceness = niceness
        self.queue: deque[deque[Item]] = deque()
        self.running: list[_Job[Item]] = []

    def submit(self, items: Iterable[Item]) -> None:
        """Add a job; `results` starts it."""
        self.queue.append(deque(items))

    def connections(self) -> list[Connection]:
        """What becomes readable when there are results; jobs that can be started are."""
        while self.queue and len(self.running) < self.size:
            if items := self.queue.popleft():
                self.running.append(self._start_job(items))
        return [job.results for job in self.running]

    def results(self, timeout: float | None = None) -> list[tuple[Item, Result | Failure]]:
        """Results that are ready, after at most `timeout` seconds; none where nothing is left to do."""
        found: list[tuple[Item, Result | Failure]] = []
        ready = wait(self.connections(), min(timeout if timeout is not None else SECONDS, SECONDS))
        for job in [*self.running]:
            if job.results in ready:
                found += self._receive_result(job)
            elif time.monotonic() - job.since > SECONDS:
                job.process.kill()
                found.append(self._end_job(job, f"it took longer than {SECONDS:.0f} seconds and was stopped"))
        return found

    def close(self) -> None:
        """Stop all work."""
        self.queue.clear()
        for job in self.running:
            job.process.kill()
            job.process.join()
            job.results.close()
        self.running = []

    def _start_job(self, items: deque[Item]) -> _Job[Item]:
        context = get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=self._work_items, args=(theirs, ours, [*items]), daemon=True)
        process.start()
        theirs.close()
        return _Job(process, ours, items, time.monotonic())

    def _work_items(self, results: Connection, others: Connection, items: Sequence[Item]) -> None:
        """In the process: the items one by one; `others` is the end of the connection that the parent reads."""
        end_with_parent()
        others.close()  # or this process would wait for ever to send to a parent that was killed
        gc.freeze()  # or each collection would touch, and so copy, the parent's memory
        if self.niceness:
            os.nice(self.niceness)
        for item in items:
            results.send_bytes(pickle.dumps(result_of(self.work, item)))

    def _receive_result(self, job: _Job[Item]) -> Iterator[tuple[Item, Result | Failure]]:
        try:
            made = pickle.loads(job.results.recv_bytes())  # of a process of ours
        except (EOFError, OSError):
            job.process.join()
            yield self._end_job(job, f"its process ended with status {job.process.exitcode}")
            return
        job.since = time.monotonic()
        yield job.waiting.popleft(), made
        if not job.waiting:
            self._close_job(job)

    def _end_job(self, job: _Job[Item], reason: str) -> tuple[Item, Failure]:
        """The item that ended its process; the rest is queued again."""
        self._close_job(job)
        item = job.waiting.popleft()
        self.queue.appendleft(job.waiting)
        return item, Failure(reason)

    def _close_job(self, job: _Job[Item]) -> None:
        self.running.remove(job)
        job.results.close()
        job.process.join()
