"""What a page of 700 KB and 300 sections costs the editor and Chromium: to open, to type, to scroll.

    python -m benchmarks.editor_large [--rounds 3]

The page is made of the guide's own sections, in three languages. CPU seconds of the server and of the browser's page:
a quiet machine takes little more on the clock. `pause` is the longest that the page was busy between two frames while
it was scrolled from its first section to its last.
"""

import argparse
import re
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.editor import ROOT, Server, serving
from benchmarks.staleness.speed import lay, run

SECTIONS, PAGE = 300, "large"
KEYS = 9
STEP = """y => new Promise((done) => {
  scrollTo({top: y, behavior: "instant"});
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


def large_page(code: str) -> str:
    """A page of 300 sections made of the guide's prose; its links lead to its own sections."""
    bodies = []
    for file in sorted((ROOT / "docs" / code).glob("*.md")):
        text = re.sub(r"^```.*?^```\n", "", file.read_text(encoding="utf-8"), flags=re.S | re.M)
        text = re.sub(r"\]\((?!http)[^)]*\)", "](#part0)", text)
        bodies += [re.sub(r"(?m)^#+ .*\n", "", body) for body in re.split(r"(?m)^(?=## )", text)[1:]]
    parts = (f"## Part {number} {{#part{number}}}\n\n" + "\n".join(
        bodies[(3 * number + more) % len(bodies)].strip() + "\n" for more in range(2)) for number in range(SECTIONS))
    return f"# Large {{#{PAGE}}}\n\n" + "\n".join(parts)


def busy(session: CDPSession) -> float:
    """CPU seconds of the page's main thread."""
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def measure(tab: Page, session: CDPSession, editor: Server) -> dict[str, tuple[float, float]]:
    """CPU seconds of the server and of the page for each thing that a translator does."""
    found: dict[str, tuple[float, float]] = {}

    def took(name: str, before: tuple[float, float]) -> None:
        found[name] = (editor.cpu() - before[0], busy(session) - before[1])

    before = editor.cpu(), busy(session)
    tab.goto(f"{editor.url}#{PAGE}")
    tab.wait_for_selector("#rows:not([aria-busy]) .row", timeout=120_000)
    took("open", before)
    tab.wait_for_timeout(3000)  # the other pages are counted meanwhile
    field = tab.locator(".row").nth(200).locator("textarea").first
    field.focus()
    tab.wait_for_timeout(2000)
    keys = []
    for _ in range(KEYS):
        before = editor.cpu(), busy(session)
        with tab.expect_response("**/api/check"):
            field.press("a")
        keys.append((editor.cpu() - before[0], busy(session) - before[1]))
    found["key"] = statistics.median(key[0] for key in keys), statistics.median(key[1] for key in keys)
    height, steps = int(tab.evaluate("document.documentElement.scrollHeight")), []
    for y in range(0, height, 900):
        at = busy(session)
        tab.evaluate(STEP, y)
        steps.append(busy(session) - at)
    found["pause"] = 0.0, max(steps)
    return found


def main() -> None:
    """Lay the tree, measure, print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        lay(ROOT, root, 3, ("zh", "ja"))
        for code in ("en", "zh", "ja"):
            (root / "docs" / code / f"{PAGE}.md").write_text(large_page(code), encoding="utf-8")
        run(root, "sync", "docs/en", "--write")
        size = (root / "docs" / "en" / f"{PAGE}.md").stat().st_size
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        print(f"$ python -m benchmarks.editor_large --rounds {given.rounds}")
        print(f"a page of {size // 1000} KB and {SECTIONS} sections, 2 translations; CPU of server and page")
        rounds = []
        for _ in range(given.rounds):
            shutil.rmtree(root / ".hexapla", ignore_errors=True)
            with serving(root) as editor:
                tab = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
                session = tab.context.new_cdp_session(tab)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})
                rounds.append(measure(tab, session, editor))
                tab.context.close()
        for name, reach in (("open", 1.0), ("key", 0.1), ("pause", 0.1)):
            server, page = (statistics.median(each[name][side] for each in rounds) for side in (0, 1))
            print(f"{name:15} {server:7.3f} s {page:7.3f} s   together to reach {reach} s")
        browser.close()


if __name__ == "__main__":
    main()
