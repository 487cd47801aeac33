"""How soon a page of 700 KB in 300 sections can be worked on in `hexapla translate`, in a real Chromium.

    python -m benchmarks.editor_long_page [--rounds 5]

The page is the guide's own sections under new ids, one after another, beside their Chinese translations. CPU seconds,
so that what else runs on the machine does not count: of the server's process, and of the main thread of the page's
tab, which is what a person waits for. `open` is until all rows are there and drawn. `focus` is the first section that
is entered, and `key` a character typed there, each until what the checks find is known. `scroll` is one screen further,
of the steps from the top to the bottom and back: what 99 of 100 take at most, and the slowest, which holds a garbage
collection of the engine now and then.
"""

import argparse
import re
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from hexapla.translation.sections.sections import cut_sections
from playwright.sync_api import Browser, ElementHandle, sync_playwright

from benchmarks.editor import ROOT, Server, serving
from benchmarks.interruptions import FLAGS, write
from benchmarks.staleness.speed import record
from benchmarks.translating import CONFIG

SECTIONS, BYTES = 300, 700_000
TARGETS = {"open": 1.0, "focus": 0.1, "key": 0.1, "scroll": 0.05}
Pair = tuple[str, str]


def guide_sections() -> Iterator[Pair]:
    """Sections of the guide in English and Chinese, longer than a few lines, links and includes left out."""
    for path in sorted((ROOT / "docs/en").glob("*.md")):
        ours, theirs = (file.read_text(encoding="utf-8") for file in (path, ROOT / "docs/zh" / path.name))
        there = {span.id: theirs[span.start : span.end] for span in cut_sections(theirs)}
        for span in cut_sections(ours):
            text = ours[span.start : span.end]
            if span.level == 2 and len(text) > 600 and span.id in there:
                yield plain(text), plain(there[span.id])


def plain(text: str) -> str:
    """A section below its heading, complete in itself."""
    below = text.partition("\n")[2]
    below = re.sub(r"^ *--8<--.*\n", "x = 1\n", below, flags=re.M)
    below = re.sub(r"^(#+ .*?)\s*\{#.*\}$", r"**\1**", below, flags=re.M)
    return re.sub(r"!?\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", below)


def long_page(root: Path) -> int:
    """Write the page in both languages; returns the English one's bytes."""
    ours, theirs = "# Page {#page}\n\nIt begins.\n", "# 页面 {#page}\n\n开始。\n"
    known = list(guide_sections())
    for number, (one, other) in zip(range(1, SECTIONS), cycle(known), strict=False):
        more = known[number % len(known)] if len(ours.encode()) < BYTES * number / SECTIONS else ("", "")
        ours += f"\n## Section {number} {{#s{number}}}\n{one.rstrip()}\n\n{more[0].strip()}\n"
        theirs += f"\n## 第 {number} 节 {{#s{number}}}\n{other.rstrip()}\n\n{more[1].strip()}\n"
    write(root / "docs/en/long.md", ours)
    write(root / "docs/zh/long.md", theirs)
    write(root / "mkdocs.yml", CONFIG)
    return len(ours.encode())


class Tab:
    """A new tab of the editor whose CPU is counted."""

    def __init__(self, browser: Browser, editor: Server) -> None:
        self.page, self.editor = browser.new_page(viewport={"width": 1400, "height": 900}), editor
        self.tools: Any = self.page.context.new_cdp_session(self.page)
        self.tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu(self) -> float:
        """CPU seconds of the tab's main thread."""
        found = self.tools.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))

    def timed(self, action: Callable[[], object]) -> tuple[float, float]:
        """CPU seconds of the server, and of the tab."""
        server, tab = self.editor.cpu(), self.cpu()
        action()
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self.editor.cpu() - server, self.cpu() - tab

    def open(self) -> None:
        """The page, until its rows are there."""
        self.page.goto(self.editor.url)
        self.page.wait_for_selector("#rows:not([aria-busy]) .row")

    def focus(self, field: ElementHandle) -> None:
        """Enter a section, until what the checks find in it is known."""
        with self.page.expect_response(lambda answer: answer.url.endswith("/api/check")):
            field.focus()

    def key(self, typed: str) -> None:
        """Type, until what the checks find in that is known."""
        with self.page.expect_response(lambda answer: typed in (answer.request.post_data or "")):
            self.page.keyboard.type(typed)

    def scrolled(self) -> Iterator[tuple[float, float]]:
        """Each screen from the top to the bottom and back."""
        step = "down => { const before = scrollY; scrollBy({top: down * innerHeight, behavior: 'instant'}); " \
               "return scrollY !== before; }"
        for down in (1, -1):
            moved = True
            while moved:
                found: list[bool] = []
                yield self.timed(lambda down=down, found=found: found.append(self.page.evaluate(step, down)))
                moved = found[0]


def measure(root: Path, browser: Browser, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """The CPU seconds of each thing that a translator does, by its name; the server is started for each round."""
    seconds: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        with serving(root) as editor:
            tab = Tab(browser, editor)
            seconds.setdefault("open", []).append(tab.timed(tab.open))
            tab.page.wait_for_load_state("networkidle")
            field = tab.page.locator(f"[data-section=s{20 + 50 * number}] textarea").first.element_handle()
            field.evaluate("field => { field.scrollIntoView({behavior: 'instant', block: 'center'}); }")
            tab.page.wait_for_timeout(500)
            seconds.setdefault("focus", []).append(tab.timed(partial(tab.focus, field)))
            for typed in "丂丄丅丆":
                seconds.setdefault("key", []).append(tab.timed(partial(tab.key, typed)))
            tab.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
            steps = sorted(tab.scrolled(), key=lambda pair: pair[1])
            seconds.setdefault("scroll", []).append(steps[len(steps) * 99 // 100])
            seconds.setdefault("scroll, slowest", []).append(steps[-1])
            tab.page.close()
    return seconds


def main() -> None:
    """Lay the tree, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        size = long_page(root)
        record(root)
        print(f"$ python -m benchmarks.editor_long_page --rounds {given.rounds}")
        print(f"a page of {size} bytes in {SECTIONS} sections, and its translation")
        with playwright.chromium.launch(executable_path=chromium, args=FLAGS) as browser:
            for name, pairs in measure(root, browser, given.rounds).items():
                server, tab = (statistics.median(values) for values in zip(*pairs, strict=True))
                reach = f"   to reach {TARGETS[name]} s" if name in TARGETS else ""
                print(f"{name:15} {server:6.3f} s server {tab:6.3f} s tab {server + tab:6.3f} s both{reach}")


if __name__ == "__main__":
    main()
