"""How many typed characters 200 interrupted sessions of `hexapla translate` lose: 0 is to reach.

    python -m benchmarks.interruptions [--sessions 200] [--seed 1]

Each session types into a page of its own in a real Chromium, over the real server, and is interrupted at random: the
server or the browser is killed (SIGKILL), files change on disk, a second tab types the same section, the server can
write nothing. What is typed are numbered words. In the end all tabs are closed, everything is started again, and each
word has to be in the pages or in a text that the editor offers. A browser is killed a tenth of a second after the last
key: what is younger than that may be on its way.
"""

import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import BrowserContext, Error, Locator, Page, Playwright, sync_playwright

from benchmarks.translating import CONFIG

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
ENGLISH = "# Page {#page}\n\nIt begins.\n\n## First {#first}\n\nA word.\n\n## Second {#second}\n\nThe end.\n"
CHINESE = "# 页面 {#page}\n\n开始。\n\n## 第一 {#first}\n\n一个词。\n\n## 第二 {#second}\n\n结束。\n"
JAPANESE = "# ページ {#page}\n\n始まり。\n"
REST = 0.1  # seconds between the last key and the end of a browser
PATIENCE = 20_000  # milliseconds for an answer on a busy machine


class Workplace:
    """A tree with its server and its browser, each of which can be killed and started again."""

    def __init__(self, root: Path, profile: Path, playwright: Playwright) -> None:
        self.root, self.profile, self.playwright = root, profile, playwright
        self.start_server()
        self.start_browser()

    def start_server(self) -> None:
        """Start the editor; it is at the same port each time."""
        command = [sys.executable, "-m", "hexapla", "translate", "--root", str(self.root)]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.server.stdout
        said = re.search(r"http://127\.0\.0\.1:\d+/\S+/", self.server.stdout.readline())
        assert said
        self.url = said.group()

    def kill_server(self) -> None:
        """End the server as a crash does."""
        self.server.kill()
        self.server.wait()

    def start_browser(self) -> None:
        """Start Chromium with the profile of this workplace."""
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        self.context: BrowserContext = self.playwright.chromium.launch_persistent_context(
            str(self.profile), executable_path=path, args=FLAGS)
        self.context.set_default_timeout(PATIENCE)

    def kill_browser(self) -> None:
        """End all processes of this workplace's Chromium as a crash does."""
        time.sleep(REST)
        mine = str(self.profile).encode()
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and mine in (entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
        with suppress(Error):
            self.context.close()

    def fill_disk(self, full: bool) -> None:
        """Let the server write no byte, or all that it wants."""
        most = resource.RLIM_INFINITY
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (0 if full else most, most))

    def close(self) -> None:
        """End both."""
        with suppress(Error):
            self.context.close()
        self.kill_server()


class Session:
    """One person's work on a page, interrupted."""

    def __init__(self, place: Workplace, number: int, seed: int) -> None:
        self.place, self.page, self.random = place, f"page{number}", random.Random(f"{seed} {number}")
        for code, text in (("en", ENGLISH), ("zh", CHINESE), ("ja", JAPANESE)):
            write(self.file(code), text)
        self.number, self.typed, self.done = number, [], Counter[str]()
        self.tabs: list[Page] = []
        self.open_tab()

    def file(self, code: str) -> Path:
        """The page's file in a language."""
        return self.place.root / "docs" / code / f"{self.page}.md"

    def word(self) -> str:
        """A word that nobody has typed before."""
        return f"词{self.number}次{len(self.typed)}。"

    def open_tab(self) -> None:
        """One more tab on the page."""
        tab = self.place.context.new_page()
        tab.goto(f"{self.place.url}#{self.page}")
        tab.wait_for_selector("#rows:not([aria-busy])")
        self.tabs.append(tab)

    def box(self, tab: Page) -> Locator:
        """A text box of the page."""
        boxes = tab.locator(".translation textarea")
        return boxes.nth(self.random.randrange(boxes.count()))

    def type(self) -> None:
        """Type a word at the end of a section."""
        field = self.box(self.random.choice(self.tabs))
        field.focus()
        field.press("Control+End")
        name = field.get_attribute("aria-label") or ""
        begun = "" if field.input_value() else f"## 新 {{#{name.partition(',')[0].lower()}}}\n\n"
        field.press_sequentially(begun + (word := self.word()))
        self.typed.append(word)

    def save(self) -> None:
        """Save what was typed last in a tab; in a conflict put both texts together."""
        tab = self.random.choice(self.tabs)
        tab.keyboard.press("Control+s")
        time.sleep(self.random.choice((0, 0.02, 0.3)))
        for mine in tab.get_by_role("button", name="Go on with mine").all()[:1]:
            cell = tab.locator(".cell.translation", has=mine)
            field = cell.locator("textarea").element_handle()
            there = self.file(cell.get_attribute("data-language") or "").read_text(encoding="utf-8")
            missing = [word for word in self.typed if word in there and word not in field.input_value()]
            mine.click()
            field.press("Control+End")
            tab.keyboard.type("".join(missing))
            field.press("Control+s")
            time.sleep(0.1)

    def server_killed(self) -> None:
        """Save, kill the server at some moment of that, type on, start it again."""
        tab = self.random.choice(self.tabs)
        tab.keyboard.press("Control+s")
        time.sleep(self.random.uniform(0, 0.15))
        self.place.kill_server()
        self.type()
        self.place.start_server()
        if self.random.random() < 0.5:
            self.reload()

    def browser_killed(self) -> None:
        """Kill the browser, start it, and put back what is offered."""
        self.place.kill_browser()
        self.place.start_browser()
        self.tabs = []
        self.open_tab()
        self.put_back()

    def reload(self) -> None:
        """Close the tabs, open one at today's address, and put back what is offered."""
        for tab in self.tabs:
            tab.close(run_before_unload=False)
        self.tabs = []
        self.open_tab()
        self.put_back()

    def put_back(self) -> None:
        """Put back some of what is offered."""
        time.sleep(0.2)
        for _ in range(self.random.randrange(3)):
            offers = self.tabs[-1].get_by_role("button", name="Put it back")
            if offers.count():
                offers.nth(self.random.randrange(offers.count())).click()

    def changed_on_disk(self) -> None:
        """Another program puts a word into the page, or takes a section out of the source."""
        code = self.random.choice(("zh", "ja"))
        text = self.file(code).read_text(encoding="utf-8")
        place = self.random.choice([match.start() for match in re.finditer(r"。\n", text)])
        write(self.file(code), f"{text[:place + 1]}{(word := self.word())}{text[place + 1:]}")
        self.typed.append(word)
        if self.random.random() < 0.2:
            source = self.file("en").read_text(encoding="utf-8")
            write(self.file("en"), source.replace("{#second}", "{#another}"))

    def disk_full(self) -> None:
        """Type and save while nothing can be written."""
        self.place.fill_disk(True)
        self.type()
        self.save()
        self.place.fill_disk(False)

    def run(self) -> list[str]:
        """Work and be interrupted; returns the words that are lost."""
        actions: list[Callable[[], None]] = [
            self.type, self.type, self.type, self.save, self.save, self.server_killed, self.browser_killed,
            self.changed_on_disk, self.disk_full, self.open_tab, self.reload,
        ]
        self.type()
        for action in self.random.choices(actions, k=self.random.randint(4, 8)):
            self.done[action.__name__] += 1
            action()
        time.sleep(REST)
        for tab in self.tabs:
            tab.close(run_before_unload=False)
        self.tabs = []
        self.open_tab()
        tab, lacking = self.tabs[0], self.typed
        end = time.monotonic() + PATIENCE / 1000
        while lacking and time.monotonic() < end:  # what is kept is offered a moment after the page is there
            found = "".join(self.file(code).read_text(encoding="utf-8") for code in ("zh", "ja"))
            found += "".join(tab.locator(".offer .theirs").all_text_contents())
            lacking = [word for word in self.typed if word not in found]
            time.sleep(0.1)
        tab.close()
        return lacking


def write(file: Path, text: str) -> None:
    """Replace a file at once, as editors do."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def lost(sessions: range, seed: int, say: Callable[[str], None]) -> tuple[int, int, Counter[str]]:
    """Characters typed, characters lost, and how often each thing was done."""
    typed = gone = 0
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        write(Path(folder, "tree/mkdocs.yml"), CONFIG)
        place = Workplace(Path(folder, "tree"), Path(folder, "profile"), playwright)
        try:
            for number in sessions:
                session = Session(place, number, seed)
                words = session.run()
                typed += sum(map(len, session.typed))
                gone += sum(map(len, words))
                done += session.done
                if words:
                    say(f"session {number} lost {', '.join(words)} in {dict(session.done)}")
        finally:
            place.close()
    return typed, gone, done


def main() -> None:
    """Run the sessions and print what they lost."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sessions", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    print(f"$ python -m benchmarks.interruptions --sessions {given.sessions} --seed {given.seed}")
    typed, gone, done = lost(range(given.sessions), given.seed, print)
    print(f"{given.sessions} sessions, {sum(done.values())} actions: "
          + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in done.most_common()))
    print(f"{typed} characters typed, {gone} lost   to reach 0")


if __name__ == "__main__":
    main()
