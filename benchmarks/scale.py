"""`hexapla check` and `status`, and a build, of one tree at several sizes: whether cost grows as pages do.

    python -m benchmarks.scale [--pages 5000 10000 20000] [--commands check status build]

A size counts the pages of all languages: 20,000 are 2,000 in each of ten, one of them derived. Trees come out of
benchmarks.live.tree, committed to Git, every translation recorded as current; a page's navigation lists its own section
(`navigation.prune`), since one that lists all pages makes a site that grows with their square. CPU seconds and the
clock are those of all processes of a command, memory is the largest sum of their proportional set sizes. A build is one
into a clean folder; it is not among the commands by default.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hexapla.examples.process_tree import CHILD_SUBREAPER, set_process_option

from benchmarks.live.tree import FEATURES, write
from benchmarks.speed.__main__ import timed

LANGUAGES = 10
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0")
HEXAPLA = (sys.executable, "-m", "hexapla")


def make_tree(root: Path, pages: int) -> None:
    """A tree of as many pages in all languages, committed, its translations recorded."""
    write(root, pages // LANGUAGES, LANGUAGES, features=(*FEATURES, "navigation.prune"))
    (root / ".gitignore").write_text(".hexapla\nsite\n.site*\n", encoding="utf-8")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "First")):
        subprocess.run([*GIT, *command], cwd=root, check=True)
    record = [*HEXAPLA, "sync", "--root", str(root), "docs/en", "--write", "--reviewed"]
    subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*GIT, "add", "-A"], cwd=root, check=True)
    subprocess.run([*GIT, "commit", "-qm", "Recorded"], cwd=root, check=True)
    shutil.rmtree(root / ".hexapla", ignore_errors=True)


def report(name: str, pages: int, command: Sequence[str]) -> None:
    """Run a command once, and print its line."""
    run = timed(command)
    print(f"{pages:7,}  {name:26} {run.cpu:8.1f} {1000 * run.cpu / pages:8.2f} {run.clock:8.1f} {run.memory:8.0f}",
          flush=True)


def measure(root: Path, pages: int, name: str) -> None:
    """`check` or `status`, without a cache, with one, and with one page changed."""
    page = root / "docs/en/page1.md"
    command = [*HEXAPLA, name, "--root", str(root)]
    shutil.rmtree(root / ".hexapla", ignore_errors=True)
    report(f"{name}, cold", pages, command)
    report(f"{name}, unchanged", pages, command)
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")
    report(f"{name}, one page changed", pages, command)
    subprocess.run([*GIT, "checkout", "-q", "."], cwd=root, check=True)


def measure_build(root: Path, pages: int) -> None:
    """A build into a clean folder."""
    for folder in (".hexapla", "site"):
        shutil.rmtree(root / folder, ignore_errors=True)
    config = str(root / "mkdocs.yml")
    report("build", pages, [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", config])


def main() -> None:
    """Print a line for each command at each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="*", default=[5000, 10_000, 20_000])
    parser.add_argument("--commands", nargs="*", default=["check", "status"], choices=["check", "status", "build"])
    chosen = parser.parse_args()
    set_process_option(CHILD_SUBREAPER, 1)
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    print(f"{'pages':>7}  {'':26} {'CPU s':>8} {'ms/page':>8} {'clock s':>8} {'MiB':>8}")
    for pages in chosen.pages:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            make_tree(root, pages)
            for name in chosen.commands:
                if name == "build":
                    measure_build(root, pages)
                else:
                    measure(root, pages, name)


if __name__ == "__main__":
    main()
