"""Options that several commands share: the tree of pages, numbers and durations."""

import argparse

from hexapla.config.discovery import TreeOptions
from hexapla.pages.lines import DIALECTS


def at_least_one(given: str) -> int:
    """How many at a time. Raises ArgumentTypeError."""
    if not given.isdecimal() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"{given!r} is not 1 or more")
    return int(given)


def duration(given: str) -> float:
    """Seconds, more than none. Raises ArgumentTypeError."""
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{given!r} is no duration; give seconds, more than 0")
    return seconds


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command takes that reads a tree of pages."""
    tree = parser.add_argument_group("a tree without a configuration of ours")
    tree.add_argument("--layout", metavar="PATTERN", help="where translations lie: 'docs/{lang}/docs/{page}.md'")
    tree.add_argument("--source-layout", metavar="PATTERN", help="where the source lies, if elsewhere")
    tree.add_argument("--source", metavar="CODE", help="the language translated from (default: en)")
    tree.add_argument("--source-repo", metavar="DIR@REV", help="read the source from another clone, at a revision")
    tree.add_argument("--languages", metavar="CODES", help="the translations to check: zh,ja (default: all found)")
    tree.add_argument("--framework", metavar="NAME", help="what makes the site: starlight, vitepress, hugo, ... "
                      "(default: as its files tell)")
    tree.add_argument("--anchors", choices=DIALECTS, help="how the tree makes heading ids (default: a good guess)")


def tree_options(args: argparse.Namespace) -> TreeOptions:
    """The tree that a command's options name."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    return TreeOptions(
        args.root, args.layout or "", args.source_layout or "", args.source or "", codes, args.anchors or "",
        args.framework or "", args.source_repo or "",
    )
