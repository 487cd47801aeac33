"""`hexapla sync`: "read, still right", recorded."""

import argparse
import sys
from contextlib import closing

from hexapla.cli.terminal import FOUND, say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.section_judge import tree_judge
from hexapla.translation import tracking
from hexapla.translation.history.infer_from_git import lunaria_directive
from hexapla.translation.section_moves import follow_moves
from hexapla.translation.sections.section_problems import Judge, without_doubts


def sync(args: argparse.Namespace) -> int:
    """`hexapla sync`: the translation was read and is right for today's source; 1 where an error speaks against it."""
    tree = translated_tree(args)
    judge: Judge = tree_judge(tree, find_terms(args.root))
    judge = without_doubts(judge) if args.reviewed else judge
    wanted = tracking.Sync(
        args.pages, args.language, args.write, judge, args.reviewed,
        tracking.reviewer_name(tree.layout.root, args.reviewed_by), args.adopt,
    )
    with closing(tree.cache):
        done = follow_moves(tree, wanted) if args.moves else tracking.sync_tree(tree, wanted)
    sys.stdout.write(tracking.sync_text(done, wanted))
    if args.write and (directive := lunaria_directive(tree)):
        say(f"for Lunaria, write into the commit's message: {directive}")
    return FOUND if any(each.refused for each in done) else 0
