"""`hexapla translate`: the editor in the browser, until Ctrl+C."""

import argparse
from pathlib import Path

from hexapla.cache import Cache
from hexapla.cli.options import tree_options
from hexapla.cli.terminal import say
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.config.discovery import find_layout
from hexapla.config.project import find_terms
from hexapla.editor.app import make_application, serve_editor


def translate(args: argparse.Namespace) -> int:
    """`hexapla translate`: the pages side by side in a browser."""
    cache = Cache(find_layout(tree_options(args)).root)  # of all trees that are read: it asks git once for its folder
    make = make_application(lambda: translated_tree(args, cache), find_terms(args.root), site_texts(args))
    serve_editor(make, args.port, args.root or Path.cwd(), say)
    return 0
