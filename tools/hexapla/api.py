"""What other programs may import: pages, checks, repairs and translations' states, as functions and frozen records.

Nothing here prints, exits, or changes a page. The page "Python API" of the guide says what is stable.
"""

import os
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla import mojibake
from hexapla.cache import Cache
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.engine import tree_check
from hexapla.checks.engine.checker import Outcome
from hexapla.checks.engine.other_packages import load_rules
from hexapla.checks.engine.tree_check import CheckOptions, run_check, tree_of
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import Rule
from hexapla.checks.rules.selection import of_options
from hexapla.checks.site_index import SiteIndex
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.project import find_terms
from hexapla.errors import ConfigError
from hexapla.files import OutsideError, resolve_inside
from hexapla.opened_tree import open_tree
from hexapla.pages import Page
from hexapla.pages.dialects import make_dialect
from hexapla.pages.lines import DIALECTS
from hexapla.pages.reader import read
from hexapla.translation.status.section_states import PageStatus
from hexapla.translation.tracking import tree_status

if TYPE_CHECKING:  # a page that is clean, as nearly every page is, needs none of it
    from hexapla.mojibake import Repair

__all__ = [
    "ConfigError", "Finding", "Outcome", "Page", "PageStatus", "Rule", "RuleContext", "SiteIndex", "Violation",
    "check_text", "check_tree", "parse_page", "repair", "status",
]

Place = str | PathLike[str]


def parse_page(text: str, dialect: str = "python-markdown") -> Page:
    """A page's headings, links, anchors, code, lists and tables, each with its line and column.

    `dialect` says who renders the page: "python-markdown", "pymdownx", "github" or "doc-builder". What is wrong with
    the text is in `problems`. Raises ValueError for an unknown dialect and for what is no text.

    >>> page = parse_page("# Memory {#memory}\\n\\nSee [Adam](optimizers.md#adam).\\n")
    >>> [(heading.level, heading.anchor) for heading in page.headings]
    [(1, 'memory')]
    >>> [(link.target, link.line, link.column) for link in page.links]
    [('optimizers.md#adam', 3, 12)]
    """
    if dialect not in DIALECTS:
        raise ValueError(f"{dialect!r} is no dialect; use one of {', '.join(DIALECTS)}")
    return read(require_text(text), make_dialect(dialect, None))


def check_tree(
    root: Place, paths: Iterable[Place] = (), *, layout: str = "", source: str = "", languages: Sequence[str] = (),
    select: Sequence[str] = (), ignore: Sequence[str] = (), rules_from: Sequence[str] = (), cached: bool = True,
) -> Outcome:
    """What `hexapla check` finds in the tree at `root`, or in the pages and folders at `paths`.

    `layout` is a path such as "docs/{lang}/{page}.md", `source` the language that is translated, both found by
    themselves where they are not given. `select` and `ignore` are ids of rules; the rules of the installed packages in
    `rules_from` run too. Answers are kept in `root/.hexapla`
    unless `cached` is False. Raises ConfigError, for a path outside of the tree too.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as root:
    ...     for language, text in (("en", "See [b](b.md)."), ("ja", "[b](c.md)を参照。")):
    ...         folder = Path(root, "docs", language)
    ...         folder.mkdir(parents=True)
    ...         for name, said in (("a.md", text), ("b.md", "# B {#b}")):
    ...             _ = (folder / name).write_text(said, encoding="utf-8")
    ...     found = check_tree(root, select=["link-target-missing"], cached=False)
    >>> [(each.path, each.line, each.rule) for each in found.findings]
    [('docs/ja/a.md', 1, 'link-target-missing')]
    """
    others = load_rules(rules_from)
    options = CheckOptions(
        TreeOptions(Path(root), layout, "", source, tuple(languages)),
        tuple(resolve_path(root, each) for each in paths),
        cached=cached, rules=of_options(select, ignore, (), others.known), others=others,
    )
    return tree_check.check_tree(options)


def check_text(root: Place, path: Place, text: str) -> tuple[Finding, ...]:
    """What `check_tree` would find in one page of the tree at `root` if `text` were saved at `path`; nothing is kept.

    Raises ConfigError for a path that is no page of the tree, and ValueError for what is no text.
    """
    data, file = require_text(text).encode("utf-8", "surrogatepass"), resolve_path(root, path)
    place = file.relative_to(Path(root).resolve()).as_posix()
    options = CheckOptions(TreeOptions(Path(root)), (file,), jobs=1)
    found = find_layout(options.tree)
    outcome, checker, _ = run_check(tree_of(found, find_terms(found.root)), Cache(None), options, None, {place: data})
    if place not in checker.index.owners:
        raise ConfigError(f"{path}: is no page of {root}; save it there first, or name one that is")
    return outcome.findings


def repair(text: str, corpus: Iterable[str] = (), *, threshold: float = 0.99) -> "Repair":
    """A garbled text repaired, with what was wrong and what stays uncertain; a clean one is as it was.

    `corpus` are clean texts in the language, `threshold` the confidence under which a character is shown as 〓.
    Raises ValueError for what is no text, and ImportError without the extra `repair` where bytes were lost.

    >>> repair("æµ‹è¯•æ–‡æ¡£").text
    '测试文档'
    """
    return mojibake.repair(require_text(text), corpus, threshold=threshold)


def status(root: Place, pages: Sequence[str] = (), language: str | None = None) -> tuple[PageStatus, ...]:
    """What `hexapla status` says of each page, or of those named, the most missed ones first. Raises ConfigError."""
    tree = open_tree(TreeOptions(Path(root)))
    try:
        return tuple(tree_status(tree, pages, None, language))
    finally:
        tree.cache.close()


def require_text(text: object) -> str:
    """The text. Raises ValueError for bytes and whatever else is none."""
    if not isinstance(text, str):
        raise ValueError(f"this is {type(text).__name__}, not text; decode bytes first, as UTF-8")
    return text


def resolve_path(root: Place, path: Place) -> Path:
    """The file at `path`, relative to `root` or absolute. Raises ConfigError where that is outside of `root`."""
    base = Path(root).resolve()
    try:
        return Path(resolve_inside(base, os.fspath(path)))
    except (OutsideError, ValueError) as error:
        raise ConfigError(f"{path}: lies outside of {base}; name a file or a folder inside it") from error
