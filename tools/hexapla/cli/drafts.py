"""`hexapla draft`: its options, the model loaded or its address, and the drafts reported page by page."""

import argparse
from pathlib import Path

from hexapla.cli.options import add_tree_arguments, at_least_one, duration
from hexapla.cli.terminal import FOUND, needing, progress, say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.drafts import model
from hexapla.drafts.drafting import draft_pages, report_lines
from hexapla.drafts.endpoint import Endpoint
from hexapla.drafts.instructions import read_instructions
from hexapla.drafts.requests import Drafter
from hexapla.editor.section_judge import tree_judge
from hexapla.glossary import Term
from hexapla.translation.service import require_language
from hexapla.translation.translation_tree import TranslationTree

WRITTEN = "readers are told that these are machine drafts until `hexapla sync` says that somebody has read them"
NOT_WRITTEN = "nothing was written; put the drafts in place with --write"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `hexapla draft`, `--root` excepted."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--language", metavar="CODE", required=True, help="the language to draft")
    parser.add_argument("--model", metavar="MODEL", required=True,
                        help="a folder with a model on this disk; with --endpoint, what the server calls the model")
    parser.add_argument("--endpoint", metavar="URL",
                        help="send the sections to this address of an OpenAI-compatible API; its key, if it needs "
                             "one, is taken from the environment's HEXAPLA_API_KEY")
    parser.add_argument("--jobs", type=at_least_one, default=4, metavar="N",
                        help="requests to the endpoint at a time (default: 4)")
    parser.add_argument("--timeout", type=duration, default=300.0, metavar="SECONDS",
                        help="how long the endpoint may take for one answer (default: 300)")
    parser.add_argument("--write", action="store_true", help="put the drafts into the pages")
    add_tree_arguments(parser)


def draft(chosen: argparse.Namespace) -> int:
    """Run `hexapla draft`: what is missing or behind, drafted by a model; 1 while something of that stays."""
    tree, terms = translated_tree(chosen), find_terms(chosen.root)
    require_language(tree, chosen.language)  # a model takes long to load
    drafter = drafter_of(chosen, tree, terms)
    done = left = 0
    try:
        with progress("drafting") as step:
            drafts = draft_pages(
                tree, chosen.language, terms, drafter, tree_judge(tree, terms),
                given=chosen.pages, write=chosen.write, progress=step,
            )
            for drafted in drafts:
                say("\n".join(report_lines(drafted, chosen.write)))
                done += len(drafted.plan.records)
                left += drafted.wanted - len(drafted.plan.records)
    finally:
        tree.cache.close()
        if done:
            say(WRITTEN if chosen.write else NOT_WRITTEN)
        if isinstance(drafter, Endpoint):
            say(str(drafter.usage))
    return FOUND if left else 0


def drafter_of(chosen: argparse.Namespace, tree: TranslationTree, terms: tuple[Term, ...]) -> Drafter:
    """The model that the options name. Raises ConfigError."""
    source, target = tree.layout.source, chosen.language
    if chosen.endpoint:
        return Endpoint(
            chosen.endpoint, chosen.model, source, target, instructions=read_instructions(tree.layout.root, target),
            jobs=chosen.jobs, timeout=chosen.timeout,
        )
    with needing("snippets"):
        translate = model.load(Path(chosen.model), source, target)
    return model.LocalDrafter(translate, terms, target)
