"""How long `hexapla check` takes on 1,600 pages: cold, unchanged, and with one page changed; and how much memory.

    python -m benchmarks.speed [COPIES]

The tree is the guide COPIES times over (default: 22, some 1,600 pages), each page with a line of its own. Each run is a
process of its own, so start-up counts, and its processes are waited for, so that all their CPU time does. Memory is the
largest sum over all processes of their proportional set size, looked up every tenth of a second. Reading alone is timed
in a process too. Medians, of five readings and three of the other runs.
"""

import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from hexapla.examples.process_tree import (
    CHILD_SUBREAPER,
    list_children,
    list_descendants,
    proportional_bytes,
    set_process_option,
)

from benchmarks.speed.reading import reading
from benchmarks.speed.tree import make_tree

GUIDE = Path(__file__).parents[2]
CHECK = [sys.executable, "-c", "import sys; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))", "check"]
READINGS, RUNS = 5, 3


class Run(NamedTuple):
    """CPU seconds and MiB of all processes of a run, and seconds by the clock."""

    cpu: float
    clock: float
    memory: float


def timed(command: Sequence[str]) -> Run:
    """One run, until the last of its processes has ended."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, clock, largest, done = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), 0, False
    others = set(list_children(os.getpid()))  # the tracker of our own processes, which does not end
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=kept)

    def watch() -> None:
        nonlocal largest
        while not done:
            largest = max(largest, proportional_bytes(list_descendants(os.getpid())))
            time.sleep(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    errors = running.communicate()[1]
    seconds = time.perf_counter() - clock
    while left := set(list_children(os.getpid())) - others:  # processes that outlive the command are ours now
        os.waitpid(left.pop(), 0)
    done = True
    watcher.join()
    if running.returncode not in {0, 1}:
        sys.exit(errors.decode()[-500:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds, largest / 2**20)


def medians(runs: Sequence[Run]) -> str:
    """The medians, as they are printed."""
    cpu, clock, memory = (statistics.median(values) for values in zip(*runs, strict=True))
    return f"{clock:.2f} s, {cpu:.2f} CPU s, {memory:.0f} MiB in all processes"


def main() -> None:
    """Print a line for each kind of run."""
    set_process_option(CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        count = make_tree(GUIDE, root, int(sys.argv[1]) if len(sys.argv) > 1 else 22)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as one_by_one:
            seconds = statistics.median(one_by_one.submit(reading, root).result()[1] for _ in range(READINGS))
        print(f"reading    {count} pages, {count / seconds:.0f} pages per CPU second", flush=True)
        command = [*CHECK, "--root", str(root)]
        cold, warm, one = [], [], []
        page = next(path for path in sorted(root.rglob("*.md")) if "zh" in path.parts or "ja" in path.parts)
        for number in range(RUNS):
            shutil.rmtree(root / ".hexapla", ignore_errors=True)
            cold.append(timed(command))
            warm.append(timed(command))
            page.write_text(page.read_text(encoding="utf-8") + f"\n{number}\n", encoding="utf-8")
            one.append(timed(command))
        rate = count / statistics.median(run.clock for run in cold)
        print(f"cold       {medians(cold)}; {rate:.0f} pages a second")
        print(f"unchanged  {medians(warm)}")
        print(f"one page   {medians(one)}")


if __name__ == "__main__":
    main()
