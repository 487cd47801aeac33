"""The pages of a tree, read when they are asked for and forgotten when others are."""

import re
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.cache import Cache, digest
from hexapla.checks.engine.context import Document
from hexapla.checks.engine.site_index import Ids, partial
from hexapla.pages.dialects import LateDialect

if TYPE_CHECKING:
    from hexapla.pages import Page

# What may give an id to a place of an included file: headings, HTML, attribute lists, further includes.
NAMING = re.compile(r"^ {0,3}(?:#|=+[ \t]*$|-+[ \t]*$)|\b(?:id|name)=|\{[^{}\n]*#|8<", re.M)
KEPT = 500  # parsed pages at a time, some 100 KB each


class Documents:
    """Pages by their path relative to the root. `included` gives the text of an included file."""

    def __init__(
        self, root: Path, dialect: LateDialect, cache: Cache, version: str, included: Callable[[str], str] | None = None
    ) -> None:
        self.root, self.dialect, self.cache, self.version, self.included = root, dialect, cache, version, included
        self.digests: dict[str, str] = {}
        self.unsaved: dict[str, bytes] = {}  # pages that are to be read as they are here, not as they are on disk
        self.pages: OrderedDict[str, Page] = OrderedDict()

    def digest(self, path: str) -> str:
        """A digest of a page's bytes, "" for a file that cannot be read."""
        if path not in self.digests:
            try:
                self.digests[path] = digest(self.data(path))
            except OSError:
                self.digests[path] = ""
        return self.digests[path]

    def text(self, path: str) -> str:
        """A page's text with its own line endings. Raises OSError and UnicodeDecodeError."""
        return self.data(path).decode("utf-8-sig")

    def data(self, path: str) -> bytes:
        """A page's bytes. Raises OSError."""
        return self.unsaved[path] if path in self.unsaved else (self.root / path).read_bytes()

    def take(self, path: str, text: str) -> None:
        """From now on, read a page as `text`."""
        self.unsaved[path] = text.encode()
        self.digests.pop(path, None)
        self.pages.pop(path, None)

    def page(self, path: str) -> "Page":
        """A page. Raises OSError and UnicodeDecodeError."""
        if path in self.pages:
            self.pages.move_to_end(path)
            return self.pages[path]
        made = self.pages[path] = self.kept(path) or self.made(path)
        if len(self.pages) > KEPT:
            self.pages.popitem(last=False)
        return made

    def kept(self, path: str) -> "Page | None":
        """A page as a run before has read it, None where that would be read otherwise today."""
        stamp, fields = self.cache.get(digest("page", path)) or ("", {})
        if stamp != self.key(path):
            return None
        from hexapla.pages.serialization import revived

        return revived(self.text(path), fields)

    def made(self, path: str) -> "Page":
        """A page read anew, its reading and its ids kept for the runs to come; of each page there is one reading."""
        from hexapla.pages.serialization import plain

        page = self.read(self.text(path))
        self.cache.put(digest("page", path), [self.key(path), fields] if (fields := plain(page)) else None)
        found = ids_of(page, path)
        self.cache.put(self.key(path), [list(found.headings), sorted(found.names), found.open, list(found.included)])
        return page

    def read(self, text: str) -> "Page":
        """The page of a text, as this tree's pages are read."""
        from hexapla.pages.reader import read  # with all that renders: for the first page that has changed

        return read(text, self.dialect, self.cache.parsed)

    def document(self, name: str, language: str, path: str) -> Document:
        """A page with its place in the tree. Raises OSError and UnicodeDecodeError."""
        return Document(name, language, path, self.page(path))

    def key(self, path: str) -> str:
        """A digest of all that a page's reading depends on; its ids are kept under it."""
        return digest("ids", self.version, self.dialect.key, path, self.digest(path))

    def ids(self, path: str) -> Ids:
        """The ids of the page at a path; a page that cannot be read may have any."""
        if path not in self.pages and (kept := self.cache.get(self.key(path))):
            return self.completed(Ids(tuple(kept[0]), frozenset(kept[1]), kept[2], tuple(kept[3])))
        try:
            return self.completed(ids_of(self.page(path), path))
        except (OSError, UnicodeDecodeError):
            return Ids((), frozenset(), True)

    def completed(self, found: Ids) -> Ids:
        """Ids of a page that are open where a file that it shows may have some."""
        return found._replace(open=found.open or any(map(self.may_name, found.included)))

    def may_name(self, path: str) -> bool:
        """Whether an included file may hold an id; one that cannot be read may."""
        try:
            return self.included is None or NAMING.search(self.included(path)) is not None
        except (OSError, ValueError):
            return True


def ids_of(page: "Page", path: str) -> Ids:
    """The ids that links into a page can name; one below a folder `_includes` is part of others."""
    headings = tuple(heading.anchor for heading in page.headings if heading.anchor)
    code = [range(fence.line, (fence.end_line or fence.line) + 1) for fence in page.fences]
    shown = dict.fromkeys(item.path for item in page.includes if not any(item.line in lines for lines in code))
    names = frozenset(anchor.id for anchor in page.anchors).union(headings)
    return Ids(headings, names, page.open_ids or partial(path), tuple(shown))
