"""`hexapla export` and `hexapla import`: messages to translators' own tools, and their translations back."""

import argparse
import sys
from pathlib import Path

from hexapla.cli.options import add_tree_arguments
from hexapla.cli.terminal import FOUND, needing
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.config.project import find_terms
from hexapla.section_judge import tree_judge
from hexapla.translation.memory import tmx


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--format", choices=("po", "xliff"), required=True, help="PO, or XLIFF 2.0")
    parser.add_argument("--language", metavar="CODE", help="this language alone (default: all)")
    parser.add_argument("--output", type=Path, metavar="DIR", required=True, help="where to write the files")
    add_tree_arguments(parser)


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that was exported, or one file; or TMX")
    parser.add_argument("--write", action="store_true", help="put them into the pages; without this, say what would be")
    add_tree_arguments(parser)


def export(args: argparse.Namespace) -> int:
    """`hexapla export`: the pages' messages as PO or XLIFF files."""
    with needing("translate"):
        from hexapla.translation.exchange import exchange_files

    tree, texts = translated_tree(args), site_texts(args)
    sys.stdout.write(exchange_files.export_all(tree, args.pages, args.language, args.format, args.output, texts))
    return 0


def import_files(args: argparse.Namespace) -> int:
    """`hexapla import`: 1 where a translation was refused, as are those that bring what `check` calls an error."""
    with needing("translate"):
        from hexapla.translation.exchange import exchange_files

    tree = translated_tree(args)
    if args.folder.suffix == tmx.SUFFIX:
        sys.stdout.write(tmx.take_in(tree.layout, args.folder, args.write))
        return 0
    judge = tree_judge(tree, find_terms(args.root))
    found = exchange_files.import_files(tree, args.folder, judge, args.write, site_texts(args))
    print(*exchange_files.import_lines(found, args.write), sep="\n")
    return FOUND if found.refusals else 0
