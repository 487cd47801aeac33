"""Record the addresses of a tree in its ledger, `addresses.txt`, and compare a release with today."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine.page_store import PageStore
from hexapla.checks.rules.address_ledger import (
    FILE,
    Address,
    Ledger,
    Redirects,
    add_to_ledger,
    foreign_ledger,
    language_and_name,
    published,
    read_ledger,
)
from hexapla.checks.rules.id_redirects import redirects_of
from hexapla.checks.site_index import SiteIndex
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.errors import ConfigError
from hexapla.files import lock_folder, replace_if_unchanged
from hexapla.pages.dialects import make_dialect


@contextmanager
def open_site_index(options: TreeOptions) -> Iterator[tuple[SiteIndex, PageStore]]:
    """The index of a tree and its pages. Raises ConfigError."""
    layout = find_layout(options)
    cache = Cache(layout.root)
    store = PageStore(layout, make_dialect(layout.anchors, layout.extensions, layout.mdx), cache)
    try:
        yield SiteIndex(layout, store.ids), store
    finally:
        cache.close()


def new_addresses(options: TreeOptions) -> list[Address]:
    """The addresses of a tree that its ledger lacks. Raises ConfigError."""
    with open_site_index(options) as (tree, store):
        titles = {path: page_titles(store, path) for path in tree.owners}
        ledger = sound_ledger(tree.layout.root)
        if problem := foreign_ledger(ledger, Redirects(tree)):
            raise ConfigError(f"{FILE}:{problem.line}: {problem.message}; {problem.hint}")
        known = {each.written for each in ledger.addresses}
        return [each for each in published(tree, titles) if each.written not in known]


def compare_release(options: TreeOptions, release: str) -> Iterator[tuple[Address, str]]:
    """The addresses of a release that lead elsewhere today, and where to, "" for nowhere. Raises ConfigError."""
    with open_site_index(options) as (tree, _):
        ledger, redirects = sound_ledger(tree.layout.root), Redirects(tree)
        if release not in ledger.releases:
            there = ", ".join(dict.fromkeys(ledger.releases)) or "none"
            raise ConfigError(f"--since {release}: {FILE} has no such release; there are {there}")
        last = len(ledger.releases) - ledger.releases[::-1].index(release)
        for address in ledger.addresses[:last]:  # a release has what those before it had
            now = address._replace(path=redirects.page_now(address))  # `a.md` and `a/index.md` have one address
            moved = language_and_name(tree, now.path)[0] != language_and_name(tree, address.path)[0]
            if (place := redirects.place_of(address)) != (address if moved else now).written:
                yield address, place


def page_titles(store: PageStore, path: str) -> dict[str, str]:
    """A page's title at "", the titles of its sections by id, and the ids of those that it says have moved."""
    try:
        page = store.page(path)
    except (OSError, UnicodeDecodeError):
        return {"": ""}
    first = page.headings[0].text if page.headings else ""
    found = [("", str(page.meta.get("title") or first))]
    found += [(heading.anchor, heading.text) for heading in page.headings if heading.anchor]
    found += [(each.old, "") for each in redirects_of(page, path)]
    return {section: " ".join(title.split()) for section, title in found}


def sound_ledger(root: Path) -> Ledger:
    """The ledger of the tree at `root`. Raises ConfigError for one with a line that cannot be read."""
    ledger = read_ledger(root)
    if ledger.problem:
        raise ConfigError(f"{FILE}:{ledger.problem.line}: {ledger.problem.message}; {ledger.problem.hint}")
    return ledger


def record_addresses(options: TreeOptions, release: str, new: Iterable[Address]) -> str:
    """Add addresses to the ledger, those that stand there by now left out; a sentence of what was written."""
    if not release.strip() or set(release) & set("[]\n\t"):
        raise ConfigError(f"--release {release!r}: is no name of a release; give a version or a date")
    layout = find_layout(options)
    file = layout.root / FILE
    with lock_folder(layout.root):
        known = {each.written for each in sound_ledger(layout.root).addresses}
        rows = [each for each in new if each.written not in known]
        before = file.read_bytes() if file.is_file() else None
        text = add_to_ledger(before.decode() if before else "", release, rows)
        replace_if_unchanged(file, before, text.encode())
    pages = sum(1 for _ in groupby(rows, key=attrgetter("path")))
    return f"{FILE}: {len(rows)} addresses of {pages} page{'s' * (pages != 1)} recorded as of {release}"
