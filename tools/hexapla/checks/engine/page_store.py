"""The pages of a tree, read when they are needed, from the cache where their text was read before."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hexapla.cache import Cache, digest, key_of
from hexapla.checks.engine.suppressions import Suppression, suppressions
from hexapla.checks.engine.time_limit import SECONDS, TimeLimit, TimeLimitError
from hexapla.checks.site_index import Ids, is_partial
from hexapla.config.layout import Layout
from hexapla.file_digests import FileDigests
from hexapla.files import read_file
from hexapla.pages import Page, parse
from hexapla.pages.dialects import Dialect, make_dialect
from hexapla.pages.lines import mdx_of
from hexapla.pages.serialization import page_data, page_from_data
from hexapla.pages.slugs import is_loose, loose_id, other_ids

# What may give an id to a place of an included file: headings, HTML, attribute lists; and what includes another.
MAY_NAME = re.compile(r"^ {0,3}(?:#|=+[ \t]*$|-+[ \t]*$)|\b(?:id|name)=|\{[^{}\n]*#", re.M)
INCLUDES = re.compile(r"8<(?!-*[ \t]*\[(?:start|end):)")
KEPT = 64  # pages in memory, some 100 KB each


class PageStore:
    """Pages by their path relative to the root. `snippet` returns the text of an included file."""

    def __init__(
        self, layout: Layout, dialect: Dialect, cache: Cache, snippet: Callable[[str], str] | None = None
    ) -> None:
        self.layout, self.root, self.dialect, self.cache, self.snippet = layout, layout.root, dialect, cache, snippet
        # Pages beside those of MDX that are Markdown, by their endings.
        self.plain = tuple(each for each in layout.endings if layout.mdx and each not in layout.framework.mdx)
        self.lenient = layout.mdx and layout.lenient
        self.plain_dialect = make_dialect(layout.anchors, layout.extensions) if self.plain or self.lenient else dialect
        self.files = FileDigests(cache)
        self.unwritten: Mapping[str, bytes] = {}  # files as they would be, which are read instead of those on disk
        self.dialect_key = key_of("page", dialect.key, self.plain, self.lenient)
        self.digests: dict[str, str] = {}
        self.pages: OrderedDict[str, Page] = OrderedDict()
        self.known_ids: Mapping[str, Any] = {}  # as the cache has them, of pages that were read elsewhere

    def digest(self, path: str) -> str:
        """A digest of a page's bytes, "" for a file that cannot be read."""
        if path not in self.digests:
            unwritten = path in self.unwritten
            self.digests[path] = digest(self.unwritten[path]) if unwritten else self.files.digest(self.root, path)
        return self.digests[path]

    def has_read(self, path: str, data: bytes) -> bool:
        """Whether a page had these bytes when it was read first."""
        return self.digest(path) == digest(data)

    def text(self, path: str) -> str:
        """A page's text with its own line endings. Raises OSError and UnicodeDecodeError."""
        return self.data(path).decode("utf-8-sig")

    def ending(self, path: str) -> str:
        """What says how a page is read, where its ending does."""
        return path.rpartition(".")[2] if self.plain else ""

    def data(self, path: str) -> bytes:
        """A page's bytes. Raises OSError."""
        return self.unwritten[path] if path in self.unwritten else read_file(self.root, path)

    def is_utf8(self, path: str) -> bool:
        """Whether a page's bytes are UTF-8. Raises OSError."""
        try:
            self.text(path)
        except UnicodeDecodeError:
            return False
        return True

    def page(self, path: str) -> Page:
        """A page. Raises OSError and UnicodeDecodeError."""
        if path in self.pages:
            self.pages.move_to_end(path)
            return self.pages[path]
        text, key = self.text(path), digest(self.dialect_key, self.digest(path), self.ending(path))
        if (fields := self.cache.get(key)) is not None:
            page = page_from_data(text, fields)
        else:
            page = self.read(text, path)
            if (fields := page_data(page)) is not None:
                self.cache.put(key, fields)
        self.pages[path] = page
        if len(self.pages) > KEPT:
            self.pages.popitem(last=False)
        return page

    def read(self, text: str, path: str = "") -> Page:
        """The page of a text, rendered as this tree's pages are, or those that end as a path does."""
        from hexapla.pages.reader import add_problem, read

        plain = path.endswith(self.plain) or (self.lenient and mdx_of(text).error)
        dialect = self.plain_dialect if plain else self.dialect
        try:
            with TimeLimit():
                return read(text, dialect)
        except TimeLimitError:
            message = f"reading this page takes more than {SECONDS:.0f} seconds, so its links and ids are not checked"
            page = parse(text, dialect.closes_fence)
            return add_problem(page, message, "simplify what is nested, or cut the page into several")

    def ids(self, path: str) -> Ids:
        """The ids of a page; one that cannot be read may have any."""
        key = digest(self.dialect_key, "ids", self.digest(path), self.ending(path))
        kept = None if path in self.pages else self.known_ids.get(path) or self.cache.get(key)
        try:
            if kept is not None:
                found = Ids(tuple(kept[0]), frozenset(kept[1]), kept[2], tuple(kept[3]))
            else:
                found = ids_of(self.page(path), self.layout.anchors)
                self.cache.put(key, [found.headings, sorted(found.names), found.open, found.included])
        except (OSError, UnicodeDecodeError):
            return Ids((), frozenset(), True)
        # More are there in the files that it shows, and possible where it is part of other pages.
        shown = [self.included_ids(each) for each in found.included]
        return replace(found, names=found.names.union(*(names for names, _ in shown)),
                       open=found.open or is_partial(self.layout, path) or any(may for _, may in shown))

    def suppressions(self, path: str) -> list[Suppression]:
        """What the comments of a page suppress. Raises OSError and UnicodeDecodeError."""
        return [*suppressions(self.text(path), self.layout.closes_fence(path))]

    def included_ids(self, path: str) -> tuple[frozenset[str], bool]:
        """The ids of an included file, and whether there may be more: it includes others, or cannot be read."""
        try:
            text = self.snippet(path) if self.snippet else None
        except (OSError, ValueError):
            text = None
        if text is None or INCLUDES.search(text):
            return frozenset(), True
        if not MAY_NAME.search(text):
            return frozenset(), False
        key = digest(self.dialect_key, "included ids", text)
        names, may = self.cache.get(key) or (None, False)
        if names is None:
            found = ids_of(self.read(text), self.layout.anchors)
            names, may = sorted(found.names), found.open
            self.cache.put(key, [names, may])
        return frozenset(names), may


def ids_of(page: Page, anchors: str) -> Ids:
    """The ids of a page that links can name, by who makes them, and the files that it shows as text.

    A page that no renderer takes may have any, and so may one that shows nothing, which leads to another.
    """
    headings = tuple(heading.anchor for heading in page.headings if heading.anchor)
    code = {line for fence in page.fences for line in range(fence.line, (fence.end_line or fence.line) + 1)}
    shown = dict.fromkeys(item.path for item in page.includes if item.line not in code)
    others = other_ids((heading.text for heading in page.headings if not heading.id), anchors)
    written = (loose_id(anchor.id) if is_loose(anchors) else anchor.id for anchor in page.anchors)
    names = frozenset(written).union(headings, others)
    unread = any(problem.rule == "page-unreadable" for problem in page.problems)
    shows = bool(page.blocks or page.fences or page.codes or page.links)
    return Ids(headings, names, page.open_ids or unread or not shows, tuple(shown))
