"""`hexapla draft`: its options, and the command line that goes on."""

import argparse

from hexapla.cli.next_command import TREE, command_again, option_words
from hexapla.cli.options import add_tree_arguments, at_least_one, duration
from hexapla.cli.terminal import needing

JOBS, TIMEOUT = 4, 300.0
# The options that a command line to go on with repeats, where they are not the default.
REPEATED: dict[str, object] = {
    "root": None, "language": None, "model": None, "endpoint": None, "jobs": JOBS, "timeout": TIMEOUT, "limit": None,
    "budget": None, "stale": False, **TREE,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--language", metavar="CODE", required=True, help="the language to draft")
    parser.add_argument("--model", metavar="MODEL", required=True,
                        help="a folder with a model on this disk; with --endpoint, what the server calls the model")
    parser.add_argument("--endpoint", metavar="URL",
                        help="send the sections to this address of an OpenAI-compatible API; its key, if it needs "
                             "one, is taken from the environment's HEXAPLA_API_KEY")
    parser.add_argument("--jobs", type=at_least_one, default=JOBS, metavar="N",
                        help=f"requests to the endpoint at a time (default: {JOBS})")
    parser.add_argument("--timeout", type=duration, default=TIMEOUT, metavar="SECONDS",
                        help=f"how long the endpoint may take for one answer (default: {TIMEOUT:g})")
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="draft so many sections at most")
    parser.add_argument("--budget", type=at_least_one, metavar="TOKENS",
                        help="stop before the request that would exceed so many tokens, sent and received together")
    parser.add_argument("--stale", action="store_true",
                        help="draft again what was drafted from other English, terms or instructions than today's")
    parser.add_argument("--diff", action="store_true",
                        help="draft and show the difference, without writing a page; --write takes the answers over")
    parser.add_argument("--test", action="store_true",
                        help="draft again what is finished on these pages, and say how much a model changes of what is "
                             "right; nothing is written")
    parser.add_argument("--write", action="store_true",
                        help="draft, and put the drafts into the pages; without this, say what it would cost")
    add_tree_arguments(parser)


def draft(chosen: argparse.Namespace) -> int:
    """Run `hexapla draft`: an estimate, or what is missing or behind drafted by a model; 1 while some of that stays."""
    with needing("translate"):
        from hexapla.cli.drafting import run

    return run(chosen, command_again("draft", chosen.pages, option_words(chosen, REPEATED), "--write"))
