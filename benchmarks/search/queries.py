"""Built pages in, queries out that a search must answer, and the pages that hold them.

The pages are read by the browser's own parser, not by the code that makes the index: what the index lost shows.
"""

import random
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page as Tab

_CJK = r"[\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_INSIDE_CJK = re.compile(rf"(?<={_CJK})(?={_CJK}{{2}})")
_WORD_START = re.compile(r"\b(?=[^\W\d_]{3})")
_SPACE_BESIDE_CJK = re.compile(rf"\s+(?={_CJK})|(?<={_CJK})\s+")

# Blocks of the article in the order they are read. Furniture (permalinks, asides, navigation) is no text of the page.
_READ = """urls => Promise.all(urls.map(async url => {
  const BLOCK = 'h1,h2,h3,h4,h5,h6,p,li,td,th,dt,dd,summary,figcaption,pre,div,blockquote,details,label,article'
  const FURNITURE = '.headerlink,script,style,svg,aside,nav,[data-search-exclude]'
  const html = await (await fetch(url)).text()
  const article = new DOMParser().parseFromString(html, 'text/html').querySelector('article')
  if (!article) return []
  article.querySelectorAll(FURNITURE).forEach(element => element.remove())
  article.querySelectorAll('br').forEach(element => element.replaceWith('\\u2028'))
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT)
  const blocks = []
  let last
  while (texts.nextNode()) {
    const text = texts.currentNode, element = text.parentElement.closest(BLOCK)
    if (element !== last)
      blocks.push({tag: element.tagName.toLowerCase(), text: ''})
    blocks[blocks.length - 1].text += text.data
    last = element
  }
  return blocks
}))"""


@dataclass(frozen=True)
class Block:
    """A paragraph, a heading, a cell, a line of code: white space collapsed, never empty."""

    tag: str
    text: str


@dataclass(frozen=True)
class BuiltPage:
    """A page as a reader sees it; `path` is its address from the site's root."""

    path: str
    blocks: tuple[Block, ...]

    def holds(self, query: str) -> bool:
        """Whether the query stands in one block, whatever its width, case and spaces beside CJK characters."""
        wanted = _fold(query)
        return any(wanted in _fold(block.text) for block in self.blocks)


@dataclass(frozen=True)
class Query:
    """What is typed, and the page it was cut from."""

    text: str
    page: BuiltPage


def page_paths(site: Path, prefix: str, prefixes: Sequence[str]) -> list[str]:
    """Addresses of the pages of one language, whose folder is `prefix` ("" for the root), sorted."""
    others = tuple(other for other in prefixes if other and other != prefix)
    found = (path.relative_to(site).as_posix() for path in (site / prefix).rglob("*.html"))
    own = (path for path in found if not path.startswith(others) and not path.endswith("404.html"))
    return sorted(path.removesuffix("index.html") for path in own)


def read_pages(tab: Tab, site_url: str, paths: Sequence[str]) -> list[BuiltPage]:
    """The pages at these addresses as the browser's parser reads them; the tab must show a page of that site."""
    pages = tab.evaluate(_READ, [site_url + path for path in paths])
    return [BuiltPage(path, tuple(_blocks(raw))) for path, raw in zip(paths, pages, strict=True)]


def queries(pages: Sequence[BuiltPage], cjk: bool, count: int, seed: int) -> list[Query]:
    """`count` different queries, every second from a heading, each from a page drawn by the seed.

    In a language written without spaces a query begins between any two characters, so in the middle of words; in the
    others at the start of a word. It ends anywhere.
    """
    draw = random.Random(seed)
    starts, shortest, longest = (_INSIDE_CJK, 3, 9) if cjk else (_WORD_START, 5, 20)
    found: dict[str, Query] = {}
    for attempt in range(count * 200):
        page = draw.choice(pages)
        of_headings = attempt % 2 == 0
        blocks = [b for b in page.blocks if b.tag != "pre" and (b.tag in {"h1", "h2", "h3", "h4"}) == of_headings]
        places = [(block, match.start()) for block in blocks for match in starts.finditer(block.text)]
        if not places:
            continue
        block, start = draw.choice(places)
        text = block.text[start : start + draw.randint(shortest, longest)].strip()
        if len(text) >= shortest:
            found.setdefault(text, Query(text, page))
        if len(found) == count:
            return list(found.values())
    raise ValueError(f"only {len(found)} of {count} queries could be cut from {len(pages)} pages: give more pages")


def _blocks(raw: Sequence[dict[str, str]]) -> list[Block]:
    separator = {"pre": r"[\n\u2028]"}
    lines = ((b["tag"], line) for b in raw for line in re.split(separator.get(b["tag"], "\u2028"), b["text"]))
    return [Block(tag, " ".join(line.split())) for tag, line in lines if line.strip()]


def _fold(text: str) -> str:
    return _SPACE_BESIDE_CJK.sub("", unicodedata.normalize("NFKC", text).casefold())
