"""`hexapla draft`: its options, the model loaded, and the drafts reported page by page."""

import argparse
from pathlib import Path

from hexapla.cli.options import add_tree_arguments
from hexapla.cli.terminal import FOUND, needing, progress, say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.drafts import model
from hexapla.drafts.drafting import draft_pages, report_lines
from hexapla.editor.section_judge import tree_judge
from hexapla.translation.service import require_language


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `hexapla draft`, `--root` excepted."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--language", metavar="CODE", required=True, help="the language to draft")
    parser.add_argument("--model", type=Path, metavar="DIR", required=True, help="a model on this disk")
    parser.add_argument("--write", action="store_true", help="put the drafts into the pages")
    add_tree_arguments(parser)


def draft(chosen: argparse.Namespace) -> int:
    """Run `hexapla draft`: missing sections drafted by a model on this disk; 1 while some stay missing."""
    tree, terms = translated_tree(chosen), find_terms(chosen.root)
    require_language(tree, chosen.language)  # a model takes long to load
    with needing("snippets"):
        translate = model.load(chosen.model, tree.layout.source, chosen.language)
    left = 0
    with progress("drafting") as step:
        drafts = draft_pages(
            tree, chosen.language, terms, translate, tree_judge(tree, terms),
            given=chosen.pages, write=chosen.write, progress=step,
        )
        for drafted in drafts:
            say("\n".join(report_lines(drafted, chosen.write)))
            left += drafted.missing - len(drafted.plan.records)
    return FOUND if left else 0
