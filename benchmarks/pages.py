"""What a page costs its reader: compressed bytes without pictures, and how much it moves while it loads.

`python -m benchmarks.pages --site site`: every page's weight, and the layout shift of the heaviest ones in Chromium on
a slow connection, at the widths of a computer, a tablet and a phone.
"""

import argparse
import gzip
import re
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, sync_playwright

from benchmarks.search.box import launch, served

WIDTHS = (1280, 768, 390)
HEAVIEST = 4
LINKED = re.compile(r'(?:<link rel="stylesheet" href=|<script src=|"search": *)"([^"]+)"')
SHIFT = """window.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({type: "layout-shift", buffered: true})"""
SLOW = {"offline": False, "latency": 60, "downloadThroughput": 400_000, "uploadThroughput": 100_000}


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


def layout_shift(browser: Browser, url: str, width: int) -> float:
    """How much a page moves while it loads slowly and is scrolled through once."""
    tab = browser.new_page(viewport={"width": width, "height": 900})
    try:
        tab.add_init_script(SHIFT)
        session = tab.context.new_cdp_session(tab)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW)
        tab.goto(url, wait_until="load", timeout=120_000)
        for top in range(0, 6000, 600):
            tab.evaluate("top => scrollTo(0, top)", top)
            tab.wait_for_timeout(100)
        return float(tab.evaluate("window.shift"))
    finally:
        tab.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, default=Path("site"))
    site = parser.parse_args().site
    found = weights(site)
    print(f"{len(found)} pages; without pictures, compressed, the heaviest {next(iter(found.values())) / 1000:.1f} kB "
          f"and the median {sorted(found.values())[len(found) // 2] / 1000:.1f} kB (budget 130)")
    print(f"\n{'layout shift (budget 0.05)':50}{'kB':>8}" + "".join(f"{width:>9}" for width in WIDTHS))
    with served(site) as root, sync_playwright() as playwright:
        browser = launch(playwright)
        for page in [*found][:HEAVIEST]:
            moved = [layout_shift(browser, root + page.removesuffix("index.html"), width) for width in WIDTHS]
            print(f"{page:50}{found[page] / 1000:>8.1f}" + "".join(f"{each:>9.4f}" for each in moved))
        browser.close()


if __name__ == "__main__":
    main()
