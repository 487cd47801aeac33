"""`hexapla export` and `hexapla import`: messages to translators' own tools, and their translations back."""

import argparse
import sys

from hexapla.cli.terminal import FOUND
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.config.project import find_terms
from hexapla.section_judge import tree_judge
from hexapla.translation.exchange import exchange_files
from hexapla.translation.memory import tmx


def export(args: argparse.Namespace) -> int:
    """`hexapla export`: the pages' messages as PO or XLIFF files."""
    tree, texts = translated_tree(args), site_texts(args)
    sys.stdout.write(exchange_files.export_all(tree, args.pages, args.language, args.format, args.output, texts))
    return 0


def import_files(args: argparse.Namespace) -> int:
    """`hexapla import`: 1 where a translation was refused, as are those that bring what `check` calls an error."""
    tree = translated_tree(args)
    if args.folder.suffix == tmx.SUFFIX:
        sys.stdout.write(tmx.take_in(tree.layout, args.folder, args.write))
        return 0
    judge = tree_judge(tree, find_terms(args.root))
    found = exchange_files.import_files(tree, args.folder, judge, args.write, site_texts(args))
    print(*exchange_files.import_lines(found, args.write), sep="\n")
    return FOUND if found.refusals else 0
