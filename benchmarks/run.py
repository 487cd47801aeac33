"""CPU seconds of `hexapla run` beside the same tests under plain pytest -n 2 and the same programs by plain Python.

    python benchmarks/run.py [SELECT...] [--rounds 3]

Both sides run in turn in one run, two at a time, and count the processes they start. `tests` is plain pytest,
`programs` is each program in an interpreter of its own; `hexapla run` does both, each test module isolated, with
limits, and compares what is printed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from hexapla.examples import tasks
from hexapla.examples.runners import read_runners, select_runners
from hexapla.examples.snippet import Snippets

ROOT = Path(__file__).resolve().parents[1]
TARGET = 1.2


def measured(command: list[str]) -> tuple[float, float]:
    """CPU seconds of a command and all it waited for, and the seconds on the clock."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        print(f"ended with status {os.waitstatus_to_exitcode(status)}: {' '.join(command)[:100]}", file=sys.stderr)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started


def commands(wanted: list[str]) -> dict[str, list[str]]:
    """What each side is."""
    snippets = Snippets(ROOT / "snippets")
    taken = [
        task for runner in select_runners(read_runners(ROOT), [])
        for task in tasks.tasks_of(tasks.select_tasks(tasks.list_tasks(ROOT, snippets), wanted), runner)
    ]
    programs = " ".join(f"snippets/{task.snippet}" for task in taken)
    together = f"printf '%s\\n' {programs} | xargs -P 2 -n 1 {sys.executable}"
    return {
        "tests": [sys.executable, "-m", "pytest", "-q", "-n2", "--dist", "loadfile", *(task.test for task in taken)],
        "programs": ["sh", "-c", together],
        "hexapla run": [sys.executable, "-m", "hexapla", "run", "--jobs", "2", *wanted],
    }


def main() -> None:
    """Print the medians and the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("select", nargs="*")
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    sides = commands(given.select)
    cpu: dict[str, list[float]] = {name: [] for name in sides}
    clock: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(given.rounds):
        for name, command in sides.items():
            used, passed = measured(command)
            cpu[name].append(used)
            clock[name].append(passed)
    print("side           CPU s   clock s")
    for name in sides:
        print(f"{name:12} {statistics.median(cpu[name]):7.1f}  {statistics.median(clock[name]):8.1f}")
    pairs = zip(cpu["tests"], cpu["programs"], cpu["hexapla run"], strict=True)
    ratio = statistics.median(mine / (tests + programs) for tests, programs, mine in pairs)
    print(f"hexapla run beside tests and programs: {ratio:.2f} times the CPU (target {TARGET})")


if __name__ == "__main__":
    main()
