"""Takes the README's picture of one section in four languages: `python -m benchmarks.plots.screens --site site`."""

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.search.box import launch, served

PICTURE = Path(__file__).parents[2] / "docs/assets/four-languages.png"
PREFIXES = ("", "zh/", "zh-Hant/", "ja/")
SECTION = "low_precision/#fp16"
SIZE = {"width": 1600, "height": 560}
STYLE = """<style>
    body { display: flex; gap: 8px; margin: 0; background: #c8ccd8 }
    iframe { flex: 1; min-width: 0; height: 727px; border: 0; zoom: 0.77 }
</style>"""


def main() -> None:
    """Reads the arguments, writes the picture."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plots.screens", description=__doc__)
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    site = parser.parse_args().site
    with served(site) as root, sync_playwright() as playwright:
        browser = launch(playwright)
        tab = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        tab.set_content(STYLE + "".join(f'<iframe src="{root}{prefix}{SECTION}"></iframe>' for prefix in PREFIXES))
        tab.wait_for_timeout(2000)  # the headers' titles have changed to the pages'
        tab.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
