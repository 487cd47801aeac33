"""A volunteer's first evening, from a fresh clone to the comment on the pull request, played in a real Chromium.

    python -m benchmarks.volunteer [--pictures DIR]

Korean is started, and the first section of the longest page is translated by keyboard alone. A wrong number is told,
the server and the browser are killed in the middle, the text is put back and saved, the served site has it in place
with the English around it, and `hexapla pull-request` says what was done. Each step is printed once it has held; one
that does not ends the run. axe looks at the editor, light and dark.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.interruptions import PATIENCE, Workplace

ROOT = Path(__file__).resolve().parents[1]
IDENTITY = ("-c", "user.name=Volunteer", "-c", "user.email=volunteer@hexapla.example")
TITLE = "GPU 한 개에서 효율적으로 학습하는 방법과 도구"
TEXT = """\
# {title} {{#efficient-training-on-one-gpu}}

GPU 한 개로 하는 학습에는 두 가지 한계가 있습니다.
메모리에 얼마나 들어가는지, 그리고 초당 샘플을 얼마나 처리하는지입니다.
이 페이지의 방법은 그중 하나를 늘리고, 일부는 둘 다 늘리며, 대부분은 함께 쓸 수 있습니다.
[여러 GPU](perf_train_gpu_many.md)를 쓸 때도 유용하며, 여기에 병렬 학습이 더해집니다.

먼저 모델이 가장 잘 학습되는 배치 크기를 정하고, 그다음에 하드웨어를 생각하세요.
그 배치가 이미 들어간다면 메모리를 아끼는 방법은 쓰지 마세요. 그중 몇 가지는 시간이 더 걸립니다.
더 키울 수 있다고 해서 배치를 키울 필요는 없습니다. 배치 크기는 하이퍼파라미터이므로 모델의 품질로 정하세요."""
WRONG = " 보통 37배 빠릅니다."


def command(root: Path, *arguments: str) -> str:
    """What a command prints. Raises CalledProcessError."""
    return subprocess.run(arguments, cwd=root, check=True, capture_output=True, text=True).stdout


def hexapla(root: Path, *arguments: str) -> str:
    """What a `hexapla` command prints."""
    return command(root, sys.executable, "-m", "hexapla", *arguments)


def said(step: str) -> None:
    """Tell that a step has held."""
    print(f"- {step}", flush=True)


def focused(tab: Page) -> str:
    """What the focus is on: a text box's name, or a button's words."""
    return str(tab.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent"))


def opened(place: Workplace, page: str) -> Page:
    """The editor on a page."""
    tab = place.context.new_page()
    tab.set_viewport_size({"width": 1600, "height": 1000})
    tab.goto(f"{place.url}#{page}")
    tab.wait_for_selector("#rows:not([aria-busy])")
    return tab


def to_the_section(tab: Page) -> None:
    """Go to the first Korean section to do, by keyboard; what stands above the first heading is passed over."""
    for _ in range(20):
        tab.keyboard.press("Alt+b")
        if (name := focused(tab)).endswith(", ko") and not name.startswith("Above"):
            return
    raise AssertionError(f"Alt+B leads to {focused(tab)!r}")


def look(tab: Page, pictures: Path | None, name: str) -> None:
    """Let axe look at the editor in light and in dark, and take pictures."""
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        found = Axe().run(tab).response["violations"]
        serious = [each["id"] for each in found if each["impact"] in {"serious", "critical"}]
        assert not serious, f"{scheme}: {serious}"
        if pictures:
            tab.screenshot(path=pictures / f"{name}-{scheme}.png")


def translate(place: Workplace, page: str, pictures: Path | None) -> None:
    """Translate the first section, interrupted."""
    text = TEXT.format(title=TITLE)
    tab = opened(place, page)
    to_the_section(tab)
    tab.keyboard.insert_text(text + WRONG)
    cell = tab.locator(".cell.translation", has=tab.locator("textarea:focus"))
    expect(cell.locator(".findings")).to_contain_text("37")
    look(tab, pictures, "wrong-number")
    said(f"the editor tells of the wrong number: {cell.locator('.findings').inner_text().splitlines()[0]}")
    place.kill_server()
    place.kill_browser()
    place.start_server()
    place.start_browser()
    tab = opened(place, page)
    expect(tab.locator(".offer .theirs")).to_contain_text("37배")
    look(tab, pictures, "offered")
    to_the_section(tab)
    for _ in range(40):
        if focused(tab) == "Put it back":
            break
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert focused(tab).endswith(", ko")
    said("server and browser killed: the text was offered, and put back by keyboard")
    for _ in WRONG:
        tab.keyboard.press("Backspace")
    tab.keyboard.press("Control+s")
    expect(tab.locator("#said")).to_have_text("Saved.")
    cell = tab.locator(".cell.translation", has=tab.locator("textarea:focus"))
    expect(cell.locator(".state")).to_have_text("current")
    assert (place.root / f"docs/ko/{page}.md").read_text(encoding="utf-8") == f"{text}\n"
    look(tab, pictures, "saved")
    said(f"corrected and saved: docs/ko/{page}.md, the section is current; axe finds nothing serious, light and dark")


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The site by `mkdocs serve`, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with subprocess.Popen(arguments, cwd=root, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(600):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/"):
                        break
                except OSError:
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def read_on_the_site(place: Workplace, page: str, pictures: Path | None) -> None:
    """Read the page on the served site: the section in Korean, the next one in English and marked."""
    with served(place.root) as address:
        tab = place.context.new_page()
        tab.goto(f"{address}/ko/{page}/", timeout=120_000)
        expect(tab.locator("article h1")).to_contain_text(TITLE)
        original = tab.locator("article .hx-original").first
        expect(original.locator("h2")).to_contain_text("Choose a method")
        assert original.get_attribute("lang") == "en"
        if pictures:
            tab.screenshot(path=pictures / "site.png")
        said(f"the served site has it in place, and {tab.locator('article .hx-original').count()} sections in English")


def main() -> None:
    """Play it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--pictures", type=Path, metavar="DIR")
    given = arguments.parse_args()
    print("$ python -m benchmarks.volunteer")
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        root = Path(folder, "tree")
        command(ROOT, "git", "clone", "-q", "--shared", ".", str(root))
        hexapla(root, "add-language", "ko", "--write")
        page = max((root / "docs/en").glob("*.md"), key=lambda file: file.stat().st_size).stem
        said(f"Korean is started; the longest page is {page}")
        place = Workplace(root, Path(folder, "profile"), playwright)
        try:
            translate(place, page, given.pictures)
            read_on_the_site(place, page, given.pictures)
        finally:
            place.close()
        command(root, "git", "add", "-A")
        command(root, "git", *IDENTITY, "commit", "-qm", "The first section in Korean")
        comment = hexapla(root, "pull-request", "--since", "HEAD~1")
        assert re.search(r"^\| `ko` \|.*\| 1 \|", comment, re.M), comment
        said("the comment on the pull request:\n")
        print(comment)


if __name__ == "__main__":
    main()
