"""How soon `hexapla translate` answers on 500 pages in three languages: opening, a keystroke's check, saving.

    python -m benchmarks.editor [--pages 500] [--rounds 15]

The tree is the guide's own pages under many names, in a folder of its own. What the browser asks for is asked over
HTTP, from a server that is a process of its own; `first` is a server that has just started, on a tree that no command
has read before; `counting` is a key while that server counts. `open` is until a page of 300 lines is there to type
in, `count` is what is left to do on all pages, which the browser asks for afterwards. Medians of seconds on the clock
and of the server's CPU seconds.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.staleness.speed import lay, record

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("zh", "ja", "ko")
LONG, LINES = "long", 300
TARGETS = {"open, first": 1.0, "open, again": 1.0, "check": 0.1, "check, counting": 0.1}
TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """A running editor: its address, and the CPU that its process has used."""

    def __init__(self, process: int, url: str) -> None:
        self.process, self.url = process, url

    def cpu(self) -> float:
        """CPU seconds of the process and of those it has waited for."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICK

    def ask(self, path: str, body: dict[str, str] | None = None) -> dict[str, object]:
        """An answer, whole."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"} if data else {})
        with urllib.request.urlopen(request, timeout=120) as answer:
            found: dict[str, object] = json.loads(answer.read())
            return found


@contextmanager
def serving(root: Path) -> Iterator[Server]:
    """The editor over a tree until the block ends."""
    command = [sys.executable, "-m", "hexapla", "translate", "--root", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            said = re.search(r"http://127\.0\.0\.1:\d+/\S+/", process.stdout.readline())
            assert said
            yield Server(process.pid, said.group())
        finally:
            process.terminate()


def long_page(root: Path) -> None:
    """The page that is typed in: the first 300 lines of the guide's longest, whose links lead to pages of the tree."""
    for code in ("en", *LANGUAGES):
        own = "zh" if code == "ko" else code
        lines = (ROOT / "docs" / own / "perf_train_gpu_one.md").read_text(encoding="utf-8").split("\n")[:LINES]
        made = re.sub(r"\]\((?!http)[^)#]+\.md(#[^)]*)?\)", "](part1/page1.md)", "\n".join(lines))
        (root / "docs" / code / f"{LONG}.md").write_text(made + "\n", encoding="utf-8")


def opened(editor: Server) -> None:
    """What the browser asks for when the editor is opened."""
    editor.ask("api/contents")
    editor.ask(f"api/page/{LONG}")


def section(editor: Server) -> dict[str, str]:
    """The section that is typed in, as its text box has it: the last one of the page."""
    rows = editor.ask(f"api/page/{LONG}")["rows"]
    assert isinstance(rows, list)
    row = next(row for row in reversed(rows) if row["id"] and len(row["cells"]) > 1 and row["cells"][1]["text"])
    cell = row["cells"][1]
    return {"page": LONG, "language": cell["language"], "section": row["id"], "text": cell["text"],
            "version": cell["version"]}


def timed(editor: Server, action: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and the server's CPU seconds."""
    cpu, clock = editor.cpu(), time.perf_counter()
    action()
    return time.perf_counter() - clock, editor.cpu() - cpu


def measure(root: Path, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """The seconds of each thing that a translator does, by its name."""
    seconds: dict[str, list[tuple[float, float]]] = {}
    for _ in range(3):
        for file in root.glob(".hexapla/cache/*"):
            file.unlink()
        with serving(root) as editor:
            seconds.setdefault("open, first", []).append(timed(editor, lambda: opened(editor)))
            typed = section(editor)
            with ThreadPoolExecutor() as others:
                counting = others.submit(timed, editor, lambda: editor.ask("api/overview"))
                for number in range(3):
                    body = {**typed, "text": f"{typed['text']} {number}"}
                    check = timed(editor, partial(editor.ask, "api/check", body))
                    seconds.setdefault("check, counting", []).append(check)
                    assert not counting.done()
                seconds.setdefault("count, first", []).append(counting.result())
    with serving(root) as editor:
        for _ in range(rounds):
            seconds.setdefault("open, again", []).append(timed(editor, lambda: opened(editor)))
            seconds.setdefault("count, again", []).append(timed(editor, lambda: editor.ask("api/overview")))
        typed = section(editor)
        for number in range(rounds):
            body = {**typed, "text": f"{typed['text']} {number}"}
            seconds.setdefault("check", []).append(timed(editor, partial(editor.ask, "api/check", body)))
        for number in range(rounds):
            body = {**section(editor), "text": f"{typed['text']}\n\n字{number}。", "meant": "yes"}
            seconds.setdefault("save", []).append(timed(editor, partial(editor.ask, "api/save", body)))
    return seconds


def main() -> None:
    """Lay the tree, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pages", type=int, default=500)
    arguments.add_argument("--rounds", type=int, default=15)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay(ROOT, root, given.pages - 1, LANGUAGES)
        long_page(root)
        record(root)
        print(f"$ python -m benchmarks.editor --pages {given.pages} --rounds {given.rounds}")
        print(f"{given.pages} pages x {len(LANGUAGES)} languages; a page of {LINES} lines is typed in")
        for name, pairs in measure(root, given.rounds).items():
            clock, cpu = (statistics.median(values) for values in zip(*pairs, strict=True))
            reach = f"   to reach {TARGETS[name]} s" if name in TARGETS else ""
            print(f"{name:15} {clock:7.3f} s {cpu:7.3f} CPU s{reach}")


if __name__ == "__main__":
    main()
