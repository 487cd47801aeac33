"""`hexapla draft`: its options, what it would cost, and the drafts reported page by page."""

import argparse
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.cli.options import add_tree_arguments, at_least_one, duration
from hexapla.cli.terminal import FOUND, needing, progress, say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.editor.section_judge import tree_judge
from hexapla.glossary import Term
from hexapla.translation.service import require_language
from hexapla.translation.translation_tree import TranslationTree

if TYPE_CHECKING:  # what it needs of the extra `translate` is imported when a draft is made, and named if it is missing
    from hexapla.drafts.drafting import Drafting
    from hexapla.drafts.model import Translate
    from hexapla.drafts.requests import Drafter

WRITTEN = "readers are told that these are machine drafts until `hexapla sync` says that somebody has read them"
JOBS, TIMEOUT = 4, 300.0
# The options that a command line to go on with repeats, where they are not the default.
REPEATED: dict[str, object] = {
    "root": None, "language": None, "model": None, "endpoint": None, "jobs": JOBS, "timeout": TIMEOUT, "limit": None,
    "budget": None, "layout": None, "source_layout": None, "source": None, "languages": None, "anchors": None,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `hexapla draft`, `--root` excepted."""
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
    parser.add_argument("--write", action="store_true",
                        help="draft, and put the drafts into the pages; without this, say what it would cost")
    add_tree_arguments(parser)


def draft(chosen: argparse.Namespace) -> int:
    """Run `hexapla draft`: an estimate, or what is missing or behind drafted by a model; 1 while some of that stays."""
    with needing("translate"):
        from hexapla.drafts.drafting import drafting_of

    tree, terms = translated_tree(chosen), find_terms(chosen.root)
    require_language(tree, chosen.language)  # a model takes long to load
    drafter = drafter_of(chosen, tree, terms)
    drafting = drafting_of(tree, chosen.language, terms, drafter, tree_judge(tree, terms), given=chosen.pages,
                           limit=chosen.limit)
    try:
        if not drafting.wanted:
            say(f"{chosen.language}: there is nothing to draft")
            return 0
        return written(drafting, chosen) if chosen.write else estimated(drafting, chosen)
    finally:
        tree.cache.close()


def estimated(drafting: "Drafting", chosen: argparse.Namespace) -> int:
    """Say what drafting would cost."""
    from hexapla.drafts.estimate import estimate, estimate_lines

    say("\n".join(estimate_lines(estimate(drafting), chosen.language, chosen.budget)))
    if drafting.halted:
        say(f"  {drafting.halted}: {drafting.wanted - drafting.begun} more sections stay for later")
    say(f"nothing was sent or written; draft with:\n  {command_line(chosen)}")
    return FOUND


def written(drafting: "Drafting", chosen: argparse.Namespace) -> int:
    """Draft, and say what became of each page and what it cost."""
    from hexapla.drafts.drafting import report_lines

    done = 0
    try:
        with progress("drafting") as step:
            for drafted in drafting.drafts(step):
                say("\n".join(report_lines(drafted)))
                done += len(drafted.plan.records)
    finally:
        if done:
            say(WRITTEN)
        if drafting.halted:
            say(f"stopped by {drafting.halted}; {drafting.wanted - done} sections are left, go on with:\n"
                f"  {command_line(chosen)}")
        say(str(drafting.drafter.spending.usage))
    return FOUND if done < drafting.wanted else 0


def command_line(chosen: argparse.Namespace) -> str:
    """The command that drafts what the options name."""
    given: Sequence[str] = [
        part for name, default in REPEATED.items() if (value := getattr(chosen, name)) not in (None, default)
        for part in (f"--{name.replace('_', '-')}", f"{value:g}" if isinstance(value, float) else str(value))
    ]
    return shlex.join(["hexapla", "draft", *chosen.pages, *given, "--write"])


def drafter_of(chosen: argparse.Namespace, tree: TranslationTree, terms: tuple[Term, ...]) -> "Drafter":
    """The model that the options name; one on this disk is loaded to write. Raises ConfigError."""
    from hexapla.drafts import model
    from hexapla.drafts.endpoint import Endpoint
    from hexapla.drafts.instructions import read_instructions

    source, target = tree.layout.source, chosen.language
    if chosen.endpoint:
        return Endpoint(
            chosen.endpoint, chosen.model, source, target, instructions=read_instructions(tree.layout.root, target),
            jobs=chosen.jobs, timeout=chosen.timeout, budget=chosen.budget,
        )

    @cache
    def loaded() -> "Translate":
        with needing("snippets"):
            return model.load(Path(chosen.model), source, target)

    model.require_model(Path(chosen.model))
    if chosen.write:
        loaded()
    return model.LocalDrafter(lambda texts: loaded()(texts), terms, source, target, chosen.budget)
