"""`hexapla translate`: the editor in the browser, until Ctrl+C."""

import argparse
from pathlib import Path

from hexapla.cache import Cache
from hexapla.cli.options import add_tree_arguments, tree_options
from hexapla.cli.terminal import needing, say
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.config.discovery import find_layout
from hexapla.config.project import find_terms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    where = "where to listen (default: the same one every time, or a free one)"
    parser.add_argument("--port", type=port_number, metavar="PORT", help=where)
    add_tree_arguments(parser)


def port_number(given: str) -> int:
    """A TCP port. Raises ArgumentTypeError."""
    if not given.isdecimal() or int(given) > 65535:
        raise argparse.ArgumentTypeError(f"{given!r} is no port; give a number up to 65535")
    return int(given)


def translate(args: argparse.Namespace) -> int:
    """`hexapla translate`: the pages side by side in a browser."""
    with needing("translate"):
        from hexapla.editor.editor_server import make_application, serve

    cache = Cache(find_layout(tree_options(args)).root)  # of all trees that are read: it asks git once for its folder
    make = make_application(lambda: translated_tree(args, cache), find_terms(args.root), site_texts(args))
    serve(make, args.port, args.root or Path.cwd(), say)
    return 0
