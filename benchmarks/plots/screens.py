"""Takes pictures of the guide: `python -m benchmarks.plots.screens --site site`.

The README's shows one section in four languages. That of Hexapla's own front page shows two beside one another, the
translation behind: the site is served from a clone in which the source has changed.
"""

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.search.box import launch, served
from benchmarks.translating import ROOT, commit, git, save_picture
from benchmarks.volunteer import served as served_live

PICTURES = ROOT / "docs/assets"
PREFIXES = ("", "zh/", "zh-Hant/", "ja/")
SECTION = "low_precision/#fp16"
SIZE = {"width": 1600, "height": 560}
STYLE = """<style>
    body { display: flex; gap: 8px; margin: 0; background: #c8ccd8 }
    iframe { flex: 1; min-width: 0; height: 727px; border: 0; zoom: 0.77 }
</style>"""
COMPARED = {"width": 1100, "height": 440}
PAGE, BEHIND = "train_memory", "gradient-accumulation"
EDIT = ("when the batch size you need does not fit.", "when the batch you need does not fit into GPU memory.")
SCROLL = "heading => scrollTo(0, Math.round(heading.getBoundingClientRect().top - 145))"  # below what stays in sight


def main() -> None:
    """Reads the arguments, writes the pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plots.screens", description=__doc__)
    parser.add_argument("--site", type=Path, required=True, help="a built site")
    site = parser.parse_args().site
    with sync_playwright() as playwright:
        browser = launch(playwright)
        take_languages(browser, site)
        take_comparison(browser)
        browser.close()


def take_languages(browser: Browser, site: Path) -> None:
    """The README's picture, of a built site."""
    with served(site) as root:
        tab = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        tab.set_content(STYLE + "".join(f'<iframe src="{root}{prefix}{SECTION}"></iframe>' for prefix in PREFIXES))
        tab.wait_for_timeout(2000)  # the headers' titles have changed to the pages'
        tab.screenshot(path=PICTURES / "four-languages.png")


def take_comparison(browser: Browser) -> None:
    """The Chinese section beside the English one, which has changed, in light and dark."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "guide")
        git(ROOT, "clone", "-q", "--shared", ".", str(root))
        source = root / f"docs/en/{PAGE}.md"
        source.write_text(source.read_text("utf-8").replace(*EDIT), "utf-8")
        commit(root, "Say what it does not fit into")
        with served_live(root) as address:
            for scheme in ("light", "dark"):
                tab = browser.new_page(viewport=COMPARED, device_scale_factor=1.5, color_scheme=scheme,
                                       reduced_motion="reduce")
                tab.goto(f"{address}/zh/{PAGE}/?with=en", timeout=120_000)
                tab.locator(".hx-paired .hx-behind").first.wait_for()
                tab.locator(f"#{BEHIND}").first.evaluate(SCROLL)
                tab.wait_for_timeout(1000)
                top = int(tab.locator(".hx-names").first.evaluate("names => names.getBoundingClientRect().top"))
                # Without the head, which would look like a second one of the page that shows the picture.
                below_head = {"x": 0, "y": top, **COMPARED, "height": COMPARED["height"] - top}
                save_picture(tab.screenshot(clip=below_head), PICTURES / f"behind-{scheme}.png", 255)
                tab.close()


if __name__ == "__main__":
    main()
