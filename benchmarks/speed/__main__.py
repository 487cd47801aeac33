"""How long `hexapla check` takes on a tree: cold, unchanged, and for one changed page; and how much memory.

    python -m benchmarks.speed TREE [OPTIONS OF hexapla check ...]

The tree is copied first, and each run is a process of its own, so start-up counts; Python keeps its compiled modules,
as it does for installed packages. Reading alone is timed in this process: marking, rendering and reading back every
page once. Medians of three runs.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hexapla.checks import over_tree
from hexapla.checks.command import add_arguments
from hexapla.layout import index
from hexapla.pages.render import read

CHECK = [sys.executable, "-c", "import sys; from hexapla.cli import main; sys.exit(main(sys.argv[1:]))", "check"]
RUNS = 3


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


def reading(root: Path, options: Sequence[str]) -> tuple[int, float]:
    """How many pages the tree has, and the CPU seconds that reading each once takes."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    place = over_tree.find_layout(parser.parse_args(list(options), argparse.Namespace(root=root)))
    texts = [
        (root / path).read_text(encoding="utf-8") for pages in index(place).values() for path in pages.values()
    ]
    dialect = over_tree.dialect(place)
    read(texts[0], dialect)
    start = time.process_time()
    for text in texts:
        read(text, dialect)
    return len(texts), time.process_time() - start


def main() -> None:
    """Print a line for each kind of run."""
    options = sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "tree"
        shutil.copytree(sys.argv[1], root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".hexapla"))
        count, seconds = reading(root, options)
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
