"""A check of a tree's pages: where they lie, how they are read, which of them are meant."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine import fixes
from hexapla.checks.engine.checker import Checker, Outcome, Progress
from hexapla.checks.engine.context import Garbled, OwnTerms, Settings, Term
from hexapla.config.discovery import find_layout, find_root, snippet_reader
from hexapla.config.layout import Layout
from hexapla.errors import ConfigError
from hexapla.git import History
from hexapla.pages.dialects import LateDialect


def check_tree(
    args: argparse.Namespace,
    own_terms: OwnTerms,
    garbled: Garbled | None,
    traditional: Callable[[str], str] | None,
    progress: Progress | None,
) -> Outcome:
    """What is found in the tree that the options name, after --fix where that is asked for. Raises ConfigError."""
    cache = Cache(None if args.no_cache else find_root(args))
    try:
        place, terms = find_layout(args, cache.parsed), tuple(own_terms(args.root, cache.parsed))
        history = History(place.root)
        asked = checker(place, terms, garbled, traditional, cache, history)
        paths = chosen(args.paths, place, asked)
        outcome = asked.run(paths, progress)
        if args.fix and fixes.mend(place.root, outcome.findings):
            asked = checker(place, terms, garbled, traditional, cache, history)
            outcome = asked.run(paths, progress)
        if args.external:
            from hexapla.checks.external_links import external

            outcome = outcome._replace(findings=outcome.findings + tuple(external(asked.links(paths))))
    finally:
        cache.close()
    return outcome


def checker(
    place: Layout,
    terms: tuple[Term, ...],
    garbled: Garbled | None,
    traditional: Callable[[str], str] | None,
    cache: Cache,
    history: History | None = None,
) -> Checker:
    """What checks the tree of a layout; without a history it does not tell findings of which the source has moved."""
    settings = Settings(terms, snippet_reader(place), garbled, traditional, pin(place))
    return Checker(place, dialect(place), settings, cache, history)


def dialect(place: Layout) -> LateDialect:
    """How a tree's pages are rendered."""
    return LateDialect(place.anchors, place.extensions)


def pin(place: Layout) -> tuple[str, str]:
    """How the tree writes an id on a heading."""
    return (" [[", "]]") if place.anchors == "doc-builder" else (" {#", "}")


def chosen(paths: list[Path], place: Layout, asked: Checker) -> list[str] | None:
    """The pages that PATH arguments name, None for all; other files are no pages and are passed over."""
    if not paths:
        return None
    found: set[str] = set()
    for given in paths:
        path = given if given.is_absolute() or given.exists() else place.root / given
        if not path.exists():
            raise ConfigError(f"{given}: no such file; name a page or a folder of {place.root}")
        for form in (path.absolute(), path.resolve()):  # the way to a page may be a link, in the tree or to it
            relative = Path(os.path.relpath(form, place.root)).as_posix()
            folder = "" if relative == "." else f"{relative}/"
            if path.is_dir():
                found |= {page for page in asked.tree.owners if page.startswith(folder)}
            elif relative in asked.tree.owners:
                found.add(relative)
    return sorted(found)
