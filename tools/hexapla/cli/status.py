"""`hexapla status`: what is current, behind and missing."""

import argparse
import sys
from functools import partial
from pathlib import Path

from hexapla.cli.options import add_tree_arguments
from hexapla.cli.terminal import coloured
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.errors import ConfigError
from hexapla.git import worktree_at
from hexapla.site import strings
from hexapla.site.site_texts import untranslated_texts
from hexapla.translation import service
from hexapla.translation.earlier_status import EarlierStatus, earlier_status, newly_behind
from hexapla.translation.translation_tree import TranslationTree


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `hexapla status`, `--root` excepted."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--format", choices=service.FORMATS, default="text", help="how to report (default: text)")
    parser.add_argument("--views", type=Path, metavar="CSV", help="page views, to put what readers miss most first")
    parser.add_argument("--since", metavar="REV", help="only what has fallen behind since this revision")
    add_tree_arguments(parser)


def status(args: argparse.Namespace) -> int:
    """`hexapla status`: exit status 0 also where pages are behind."""
    tree, say = translated_tree(args), partial(strings.say, "en")
    if args.pages or args.since or args.views:
        pages = service.tree_status(tree, args.pages, args.views)
        if args.since:
            pages = newly_behind(tree, status_then(tree, args), pages)
        report = service.status_report(tree, pages, args.format, say, coloured())
    else:
        texts = site_texts(args) if args.format in {"text", "json"} else None
        beside = untranslated_texts(texts) if texts else {}
        report = service.whole_report(tree, args.format, say, coloured(), beside)
    tree.cache.close()
    sys.stdout.write(report)
    return 0


def status_then(tree: TranslationTree, args: argparse.Namespace) -> EarlierStatus:
    """The tree as it was at the revision of `--since`. Raises ConfigError for an unknown one."""
    root = tree.layout.root
    languages = args.languages if args.layout else None  # some may have been added since
    try:
        with worktree_at(root, args.since) as folder:
            then = argparse.Namespace(**{**vars(args), "root": folder, "languages": languages})
            return earlier_status(translated_tree(then, tree.cache))
    except LookupError as error:
        message = f"--since {args.since}: git has no such revision of {root}; fetch it, or name another one"
        raise ConfigError(message) from error
