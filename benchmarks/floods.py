"""What a page costs that repeats one mark: `check` of 1 MB of each kind, `mkdocs build` of 60 KB of each ninth.

    python -m benchmarks.floods [NAME ...] > benchmarks/results/floods.txt

The kinds are those of `tests/growth`. A page lies in a tree of two languages that has nothing else. CPU seconds are
those of the command and its processes, memory is that of the largest of them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.growth.runs import RUNS, Run

CHECK_BYTES, BUILD_BYTES = 1_000_000, 60_000
SECONDS, MEBIBYTES = 10, 600  # what `check` may take
EACH = 9  # kinds of which one is built too: a build takes several seconds
CONFIG = """\
site_name: Floods
theme: {name: material}
plugins:
  - i18n:
      docs_structure: folder
      languages:
        - {locale: en, name: English, default: true}
        - {locale: zh, name: 中文}
  - hexapla
"""


class Cost(NamedTuple):
    """The exit status of a command, its CPU seconds, its memory in MiB and the end of what it wrote."""

    status: int
    seconds: float
    mebibytes: float
    said: str


def lay(folder: Path, run: Run, size: int) -> int:
    """Lay the tree; returns the bytes of the page."""
    per_item = len(run.text(200).encode()) / 200
    text = run.text(int(size / per_item))
    for code, page in (("en", text), ("zh", "# A\n")):
        (folder / "docs" / code).mkdir(parents=True)
        (folder / "docs" / code / "index.md").write_text(page, encoding="utf-8")
    (folder / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    return len(text.encode())


def cost(folder: Path, command: Sequence[str]) -> Cost:
    """Run a command and wait for it, and for the processes that it has started."""
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen([sys.executable, "-m", *command], cwd=folder, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    return Cost(code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def main() -> None:
    """Measure each kind, print a line for each, and how many are over the limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kinds to try (default: all)")
    names = parser.parse_args().names or sorted(RUNS)
    over = []
    print("$ python -m benchmarks.floods")
    print(f"{'kind':36} {'check, 1 MB':>28}{'build, 60 KB':>28}")
    tried = ((CHECK_BYTES, ("hexapla", "check")), (BUILD_BYTES, ("mkdocs", "build", "-q")))
    for number, name in enumerate(names):
        costs = []
        for size, command in tried[: 1 if number % EACH else 2]:
            with tempfile.TemporaryDirectory() as folder:
                lay(Path(folder), RUNS[name], size)
                costs.append(cost(Path(folder), command))
        shown = [f"{each.seconds:6.1f} CPU s {each.mebibytes:6.0f} MiB, {each.status}" for each in costs]
        print(f"{name:36} {''.join(f'{each:>28}' for each in shown)}", flush=True)
        if any(each.status < 0 or "Traceback" in each.said for each in costs):
            over.append(f"{name}: ended by a signal or with a traceback")
        if costs[0].seconds > SECONDS or costs[0].mebibytes > MEBIBYTES:
            over.append(f"{name}: over {SECONDS} CPU s or {MEBIBYTES} MiB in check")
    print("\n".join(over) or f"none over {SECONDS} CPU s or {MEBIBYTES} MiB in check, no signal, no traceback")


if __name__ == "__main__":
    main()
