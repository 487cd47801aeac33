"""How long `hexapla check` takes on a tree: cold, unchanged, and for one changed page; and how much memory.

    python -m benchmarks.speed TREE [OPTIONS OF hexapla check ...]

The tree is copied first, and each run is a process of its own, so start-up counts; Python keeps its compiled modules,
as it does for installed packages. Reading alone is timed in processes too: marking, rendering and reading back every
page once, after one that is not timed. Medians, of seven readings and three of the other runs.
"""

import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.speed.reading import reading

CHECK = [sys.executable, "-c", "import sys; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))", "check"]
READINGS, RUNS = 7, 3


def timed(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and seconds by the clock."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=kept)
    if done.returncode not in {0, 1}:
        sys.exit(done.stderr.decode()[-500:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - clock


def medians(pairs: Sequence[tuple[float, float]]) -> str:
    """Both medians, as they are printed."""
    return f"{statistics.median(cpu for cpu, _ in pairs):.2f} CPU s, {statistics.median(s for _, s in pairs):.2f} s"


def main() -> None:
    """Print a line for each kind of run."""
    options = sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        shutil.copytree(sys.argv[1], root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".hexapla"))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as one_by_one:
            read_once = [one_by_one.submit(reading, root, options).result() for _ in range(READINGS)]
        count, seconds = read_once[0][0], statistics.median(each for _, each in read_once)
        print(f"reading    {count} pages, {count / seconds:.0f} pages per CPU second")
        command = [*CHECK, "--root", str(root), *options]
        cold, warm, one = [], [], []
        page = next(path for path in sorted(root.rglob("*.md")) if "zh" in path.parts or "ja" in path.parts)
        for number in range(RUNS):
            shutil.rmtree(root / ".hexapla", ignore_errors=True)
            cold.append(timed(command))
            warm.append(timed(command))
            page.write_text(page.read_text(encoding="utf-8") + f"\n{number}\n", encoding="utf-8")
            one.append(timed([*command, str(page)]))
        rate = count / statistics.median(cpu for cpu, _ in cold)
        print(f"cold       {medians(cold)}, {rate:.0f} pages per CPU second")
        print(f"unchanged  {medians(warm)}")
        print(f"one page   {medians(one)}")
        print(f"memory     {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB at most")


if __name__ == "__main__":
    main()
