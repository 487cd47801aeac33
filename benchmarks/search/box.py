"""The theme's search box, used as a reader uses it: type, wait for the answer, read the links."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Playwright
from playwright.sync_api import Page as Tab

_ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

# Material shows an answer without saying which question it belongs to; counting the worker's answers tells.
COUNT_ANSWERS = """
const RESULT = 3
window.searchAnswers = 0
window.Worker = class extends Worker {
  constructor(...args) {
    super(...args)
    this.addEventListener('message', ({data}) => {
      if (data.type !== RESULT) return
      window.searchPages = data.data.items.map(([{location}]) => location.split('#')[0])
      window.searchSections = data.data.items.map(item =>
        item.filter(({score}) => score > 0).sort((a, b) => b.score - a.score).map(({location}) => location))
      window.searchAnswers += 1
    })
  }
}"""

# Zensical's box sends all sections to its worker, which answers by their numbers.
COUNT_NUMBERED_ANSWERS = """
const SETUP = 0, RESULT = 3
window.searchAnswers = 0
window.Worker = class extends Worker {
  constructor(...args) {
    super(...args)
    this.addEventListener('message', ({data}) => {
      if (data.type !== RESULT) return
      const found = data.data.items.map(({id}) => this.sent[id].location.slice(location.origin.length + 1))
      const pages = Map.groupBy(found, each => each.split('#')[0])
      window.searchPages = [...pages.keys()]
      window.searchSections = [...pages.values()]
      window.searchAnswers += 1
    })
  }
  postMessage(message) {
    if (message.type === SETUP) this.sent = message.data.items
    super.postMessage(message)
  }
}"""

# Ten results are shown at once, the others as the list is scrolled.
_SHOW_ALL = """async () => {
  const list = document.querySelector('.md-search-result__list')
  const pane = document.querySelector('.md-search__scrollwrap')
  for (let idle = 0, shown = -1; list.children.length < window.searchPages.length && idle < 100;) {
    pane.scrollTop = 0
    await new Promise(requestAnimationFrame)
    pane.scrollTop = pane.scrollHeight
    await new Promise(requestAnimationFrame)
    idle = list.children.length === shown ? idle + 1 : 0
    shown = list.children.length
  }
  return [...list.children].map(item => item.querySelector('a').href)
}"""


def chromium() -> str | None:
    """The browser to drive: `$CHROMIUM`, or the system's; None where there is none."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def launch(playwright: Playwright) -> Browser:
    """A headless browser that asks nothing of other hosts."""
    return playwright.chromium.launch(executable_path=chromium(), args=_ARGS)


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(site: Path, handler: type[SimpleHTTPRequestHandler] = QuietHandler) -> Iterator[str]:
    """The site on a free port of this machine; gives its address, which ends in a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def open_box(browser: Browser, url: str) -> Tab:
    """A tab at this address with its search box open and ready."""
    tab = browser.new_page()
    tab.add_init_script(COUNT_ANSWERS)
    tab.goto(url)
    tab.wait_for_function("window.searchAnswers === 1")  # the empty query, asked as soon as the worker is ready
    tab.locator(".md-search__input").focus()
    return tab


def ask(tab: Tab, query: str, field: str = ".md-search__input") -> list[str]:
    """Types the query; gives the addresses (from the site's root) of the pages handed to the box, best first."""
    before = tab.evaluate("window.searchAnswers")
    tab.locator(field).fill(query)
    tab.keyboard.press("End")  # the box listens to keys, not to its value
    tab.wait_for_function("before => window.searchAnswers > before", arg=before)
    return [address(location) for location in tab.evaluate("window.searchPages")]


def sections(tab: Tab) -> list[list[str]]:
    """For each page of the last answer its sections, best first: addresses from the site's root, with their anchors."""
    found: list[list[str]] = tab.evaluate("window.searchSections")
    return found


def shown(tab: Tab) -> list[str]:
    """Addresses of the pages that the box shows now, scrolled to the end of its list."""
    return [address(href) for href in tab.evaluate(_SHOW_ALL)]


def address(href: str) -> str:
    """The path of a link from the site's root, decoded, without its anchor."""
    return unquote(urlsplit(href).path).lstrip("/").removesuffix("index.html")
