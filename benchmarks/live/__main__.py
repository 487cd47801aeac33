"""Builds and `mkdocs serve`, beside plain mkdocs-static-i18n on the same pages.

    python -m benchmarks.live [--pages 25 100] [--rounds 3] [--languages 4] [--alone]

Trees come out of benchmarks.live.tree. Both sides are measured in one run: CPU seconds of all processes, wall time, and
the largest memory of all processes together (PSS). `--alone` leaves the plain side out.
"""

import argparse
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.live.tree import write

QUIET = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


class Cost(NamedTuple):
    """What a command took."""

    cpu: float
    wall: float
    memory: float  # MB


def proportional_memory(group: int) -> int:
    """The memory of a process group in bytes, shared pages counted once."""
    lines = [line for text in read_processes(group, "smaps_rollup") for line in text.splitlines()]
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def cpu_seconds(group: int) -> float:
    """The CPU seconds that the processes of a group have taken, with those of their children that have ended."""
    times = (text.rpartition(")")[2].split()[11:15] for text in read_processes(group, "stat"))
    return sum(int(each) for found in times for each in found) / os.sysconf("SC_CLK_TCK")


def read_processes(group: int, name: str) -> Iterator[str]:
    """What the system tells in a file of each process of a group."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(folder.name)) == group:
                yield (folder / name).read_text()
        except (OSError, ValueError):
            continue


def build(root: Path) -> Cost:
    """One `mkdocs build`."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=root, env=QUIET, stderr=subprocess.PIPE,
        start_new_session=True,
    )
    largest = 0

    def sample() -> None:
        nonlocal largest
        while process.returncode is None:
            largest = max(largest, proportional_memory(process.pid))
            time.sleep(1.0)

    watching = threading.Thread(target=sample, daemon=True)
    watching.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    watching.join()
    if status:
        sys.exit(f"the build in {root} failed: {process.stderr.read().decode() if process.stderr else ''}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - start, largest / 1e6)


class Server:
    """A `mkdocs serve`, how long its first page took, and how many CPU seconds until it answered and until then."""

    def __init__(self, root: Path, first: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        start = time.monotonic()
        command = [sys.executable, "-m", "mkdocs", "serve", "--quiet", "--dev-addr", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, cwd=root, env=QUIET, stderr=subprocess.DEVNULL, start_new_session=True)
        while True:
            try:
                self.get(first)
                break
            except (urllib.error.URLError, ConnectionError):
                self.cpu_standing = cpu_seconds(self.process.pid)
                time.sleep(0.02)
        self.first, self.cpu = time.monotonic() - start, cpu_seconds(self.process.pid)

    def get(self, path: str) -> str:
        """The page at an address."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=600) as answer:
            return str(answer.read().decode())

    def saved(self, file: Path, text: str, page: str, shown: str) -> float:
        """Seconds from saving a file until a page shows it."""
        file.write_text(text, encoding="utf-8")
        start = time.monotonic()
        while shown not in self.get(page):
            time.sleep(0.01)
        return time.monotonic() - start

    def end(self) -> None:
        """Stop it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def measure_builds(root: Path, plain: Path | None, rounds: int) -> None:
    """Clean builds of both sides in turn, then builds with nothing and with one page changed."""
    ours, theirs = [], []
    for _ in range(rounds):
        if plain:
            theirs.append(build(plain))
        shutil.rmtree(root / ".hexapla", ignore_errors=True)
        ours.append(build(root))
    table = {"clean build": ours}
    build(root)
    table["nothing changed"] = [build(root) for _ in range(rounds)]
    page = root / "docs/en/page1.md"
    text = page.read_text(encoding="utf-8")
    table["one page changed"] = []
    for number in range(rounds):
        page.write_text(f"{text}\nChanged {number}.\n", encoding="utf-8")
        table["one page changed"].append(build(root))
    base = medians(theirs) if theirs else None
    if base:
        print(f"  {'plain static-i18n':28} {base.cpu:8.1f} {base.wall:8.1f} {base.memory:8.0f}")
    for name, costs in table.items():
        cost = medians(costs)
        ratios = f"{cost.cpu / base.cpu:8.3f} {cost.wall / base.wall:8.3f}" if base else ""
        print(f"  {name:28} {cost.cpu:8.1f} {cost.wall:8.1f} {cost.memory:8.0f} {ratios}", flush=True)


def medians(costs: list[Cost]) -> Cost:
    """The median of each column."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def measure_serving(root: Path, rounds: int) -> None:
    """First pages, and saves while a page is open."""
    shutil.rmtree(root / ".hexapla", ignore_errors=True)
    server = Server(root, "zh/page1/")
    print_first("first page, cold", server)
    server.get("search/index.json")  # all pages are rendered then
    server.end()
    server = Server(root, "zh/page1/")
    print_first("first page, with cache", server)
    server.get("search/index.json")
    page, snippet, glossary = root / "docs/zh/page1.md", root / "snippets/demo/snippet1.py", root / "docs/glossary.yml"
    text, code = page.read_text(encoding="utf-8"), snippet.read_text(encoding="utf-8")
    for name, file, made in (
        ("text of a page", page, lambda n: (f"{text}\n保存{n}次。\n", "zh/page1/", f"保存{n}次")),
        ("the same, derived", page, lambda n: (f"{text}\n傳{n}次。\n", "zh-Hant/page1/", f"傳{n}次")),
        ("title of a page", page, lambda n: (text.replace("# ", f"# 标题{n} ", 1), "zh/page2/", f"标题{n}")),
        ("a snippet", snippet, lambda n: (code.replace("return", f"return {n} +"), "zh/page1/", f">{n}</span>")),
        ("a glossary term", glossary,
         lambda n: (f"- term: batch\n  treatment: translate\n  zh: 批次\n  zh-Hant: 批{n}次\n", "zh-Hant/page1/",
                    f"批{n}次")),
    ):
        seconds = []
        for number in range(1, rounds + 1):
            seconds.append(server.saved(file, *made(1000 + number)))
            time.sleep(0.5)
        print(f"  {name:28} {statistics.median(seconds):8.2f}", flush=True)
    print(f"  {'memory, MB':28} {proportional_memory(server.process.pid) / 1e6:8.0f}")
    server.end()


def print_first(name: str, server: Server) -> None:
    """Print how long the first page of a server took, and the CPU seconds until the site stood and until the page."""
    print(f"  {name:28} {server.first:8.2f}, CPU {server.cpu_standing:.2f} until the site stood, {server.cpu:.2f}",
          flush=True)


def main() -> None:
    """Print a table for each number of pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[25, 100])
    parser.add_argument("--languages", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    chosen = parser.parse_args()
    for pages in chosen.pages:
        with tempfile.TemporaryDirectory() as folder:
            root, plain = Path(folder, "ours"), Path(folder, "plain")
            write(root, pages, chosen.languages)
            print(f"{pages} pages in {chosen.languages} languages: seconds")
            measure_serving(root, chosen.rounds)
            print(f"  {'':28} {'CPU':>8} {'wall':>8} {'MB':>8} {'CPU/pl.':>8} {'wall/pl.':>8}")
            if not chosen.alone:
                write(plain, pages, chosen.languages, plain=True)
            measure_builds(root, None if chosen.alone else plain, chosen.rounds)


if __name__ == "__main__":
    main()
