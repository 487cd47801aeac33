"""Redirects of ids: `redirects` in a page's front matter says where its sections went, so that old addresses work.

    redirects:
      gradient-checkpointing: train_memory.md#gradient-checkpointing   # the id it had here: its page and id now

It stands on the source's page and holds for every language, since ids are the same in all of them.
"""

import re
from collections.abc import Callable, Container, Iterator
from posixpath import dirname, join, normpath
from typing import NamedTuple

from hexapla.checks.context import RuleContext, Violation
from hexapla.pages import Page

KEY = "redirects"
TARGET = re.compile(r"(?P<path>[^#\s]+\.md)#(?P<id>[^#\s]+)")
IdsOf = Callable[[str], Container[str] | None]  # by a page's path below its language's folder; None where there is none


class Redirect(NamedTuple):
    """A section that moved: the id that it had, and the page (its path below the language's folder) and id of now."""

    old: str
    path: str
    id: str


def redirects_of(page: Page, path: str) -> Iterator[Redirect]:
    """The redirects of the page at this path below its language's folder; rows of another form are left out."""
    table = page.meta.get(KEY)
    for old, target in table.items() if isinstance(table, dict) else ():
        if match := TARGET.fullmatch(str(target)):
            yield Redirect(str(old), normpath(join(dirname(path), match["path"])), match["id"])


def anchor_redirect(context: RuleContext) -> Iterator[Violation]:
    """`anchor-redirect` of a page."""
    document, tree = context.document, context.tree

    def ids_of(path: str) -> Container[str] | None:
        found = tree.page_at(tree.roots[document.language] + path, document.language)
        ids = tree.ids(found) if found else None
        return EveryId() if ids and ids.open else ids

    if KEY not in context.page.meta:
        return
    if context.source is not None:
        hint = "take them out: those of the source's page hold for every language"
        message = "a translation has redirects of its own"
        yield Violation("anchor-redirect", KEY, message, hint, line_of(context.page, KEY))
        return
    own = tree.ids(document.path)
    yield from bad_redirects(context.page, document.name + ".md", () if own is None else own, ids_of)


def bad_redirects(page: Page, path: str, own: Container[str], ids_of: IdsOf) -> Iterator[Violation]:
    """The rows that lead nowhere, or away from an id that the page still has."""
    table = page.meta.get(KEY, {})
    if not isinstance(table, dict):
        hint = "write one line a section below it: `old-id: page.md#id`"
        yield Violation("anchor-redirect", KEY, f"{KEY} is no table", hint, line_of(page, KEY))
        return
    good = {each.old: each for each in redirects_of(page, path)}
    for old, target in table.items():
        row = good.get(str(old))
        if row is None:
            message, hint = f"{target!r} is no page and id", "write `old-id: page.md#id`"
        elif row.old in own:
            message, hint = f"the page still has the id {row.old!r}", "take the row out, or give the section another id"
        elif (ids := ids_of(row.path)) is None:
            message, hint = f"there is no page {row.path!r}", "correct the path"
        elif row.id not in ids:
            message, hint = f"{row.path} has no id {row.id!r}", "name an id it has"
        else:
            continue
        yield Violation("anchor-redirect", str(old), f"redirect of #{old}: {message}", hint, line_of(page, str(old)))


class EveryId(Container[str]):
    """The ids of a page that may have any."""

    def __contains__(self, item: object) -> bool:
        return True


def line_of(page: Page, key: str) -> int:
    """The line of the front matter that a key begins."""
    starts = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*:")
    return next((number for number, line in enumerate(page.lines, 1) if starts.match(line)), 1)
