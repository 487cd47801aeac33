"""What a page costs its reader: compressed bytes without pictures, when its largest part is seen, how much it moves.

`python -m benchmarks.pages --site site`: every page's weight; for the heaviest ones and the front page, in Chromium on
a phone's connection, the largest contentful paint and the layout shift at three widths: computer, tablet and phone.
"""

import argparse
import gzip
import re
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import BinaryIO
from urllib.parse import urljoin

from playwright.sync_api import Browser, sync_playwright

from benchmarks.search.box import QuietHandler, launch, served

WIDTHS = (1280, 768, 390)
HEAVIEST = 4
OPENED = 5  # times, each with an empty cache
LINKED = re.compile(r'(?:<link rel="stylesheet" href=|<script src=|"search": *)"([^"]+)"')
SEEN = """window.shift = 0; window.painted = 0
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({type: "layout-shift", buffered: true})
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.painted = entry.startTime;
}).observe({type: "largest-contentful-paint", buffered: true})"""
# What Lighthouse calls a slow 4G connection: 1.6 Mbit/s down, 0.75 up, 150 ms.
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}


class CompressingHandler(QuietHandler):
    """Sends text as hosts of static sites do: compressed by gzip."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file() or file.suffix not in {".html", ".css", ".js", ".json", ".svg"}:
            return super().send_head()
        body = gzip.compress(file.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)


def weight(site: Path, page: str) -> int:
    """The bytes of a page and of the styles and scripts that come with it, each compressed by gzip."""
    html = (site / page).read_text("utf-8")
    named = {urljoin(page, address.partition("?")[0]) for address in LINKED.findall(html)}
    return sum(len(gzip.compress((site / file).read_bytes(), 6)) for file in {page, *named})


def weights(site: Path) -> dict[str, int]:
    """The weight of every page with the theme's head, the heaviest first."""
    pages = (file.relative_to(site).as_posix() for file in site.rglob("index.html"))
    found = {page: weight(site, page) for page in pages if not page.startswith("translations/")}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def open_slowly(browser: Browser, url: str, width: int, slowdown: int = 1) -> tuple[float, float]:
    """When the largest part of a page is seen, in seconds, and how much it moves while it is then scrolled once.

    `slowdown` is by how much the browser's processor is slowed.
    """
    tab = browser.new_page(viewport={"width": width, "height": 900})
    try:
        tab.add_init_script(SEEN)
        session = tab.context.new_cdp_session(tab)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        tab.goto(url, wait_until="load", timeout=120_000)
        tab.wait_for_function("window.painted > 0")
        painted = float(tab.evaluate("window.painted")) / 1000
        for top in range(0, 6000, 600):
            tab.evaluate("top => scrollTo(0, top)", top)
            tab.wait_for_timeout(100)
        return painted, float(tab.evaluate("window.shift"))
    finally:
        tab.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path("site"))
    site = parser.parse_args().site
    found = weights(site)
    print(f"{len(found)} pages; without pictures, compressed, the heaviest {next(iter(found.values())) / 1000:.1f} kB "
          f"and the median {sorted(found.values())[len(found) // 2] / 1000:.1f} kB (budget 120)")
    print(f"\n{'width':50}{'kB':>8}" + "".join(f"{width:>18}" for width in WIDTHS))
    print(f"{'largest paint, median (1.5 s), layout shift (0)':58}" + f"{'s':>10}{'shift':>8}" * len(WIDTHS))
    with served(site, CompressingHandler) as root, sync_playwright() as playwright:
        browser = launch(playwright)
        for page in ["index.html", *[*found][:HEAVIEST]]:
            print(f"{page:50}{found[page] / 1000:>8.1f}", end="", flush=True)
            for width in WIDTHS:
                opened = [open_slowly(browser, root + page.removesuffix("index.html"), width) for _ in range(OPENED)]
                painted, moved = median(each[0] for each in opened), max(each[1] for each in opened)
                print(f"{painted:>10.2f}{moved:>8.4f}", end="", flush=True)
            print()
        browser.close()


if __name__ == "__main__":
    main()
