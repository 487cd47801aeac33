"""`hexapla draft`: its options, and what it says of what the model did."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hexapla.drafts.drafting import Draft, Translate, draft, put
from hexapla.glossary import Term
from hexapla.translation.exchange.imports import Judge
from hexapla.translation.service import all_readable, survey
from hexapla.translation.status import State
from hexapla.translation.translation_tree import Tree

Progress = Callable[[int, int], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla draft` takes beyond the options of a tree."""
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="pages or folders (default: all)")
    parser.add_argument("--language", metavar="CODE", required=True, help="the language to draft")
    parser.add_argument("--model", type=Path, metavar="DIR", required=True, help="a model on this disk")
    parser.add_argument("--write", action="store_true", help="put the drafts into the pages")


def drafts(
    tree: Tree, chosen: argparse.Namespace, terms: Sequence[Term], translate: Translate, judge: Judge,
    progress: Progress | None = None,
) -> Iterator[Draft]:
    """The drafts of each page that lacks sections; with `--write` each is put in place before the next is begun.

    Raises ConfigError, for a page that cannot be read too: it would be written over.
    """
    pages = survey(tree, chosen.pages, None, chosen.language)
    all_readable(tree, pages)
    lacking = [page for page in pages if any(each.state is State.MISSING for each in page.sections)]
    for number, page in enumerate(lacking):
        made = draft(tree, page, terms, translate, judge)
        if chosen.write:
            put(tree, made.plan)
            tree.__dict__.pop("records", None)  # the next page's are written over these
        if progress:
            progress(number + 1, len(lacking))
        yield made


def told(made: Draft, written: bool) -> Iterator[str]:
    """What became of one page, line by line."""
    yield from map(str, made.refusals)
    done = len(made.plan.records)
    yield f"{made.plan.path}: {done} of {made.missing} missing sections {'drafted' if written else 'can be drafted'}"
    if done and not written:
        yield "nothing was written; put the drafts in place with --write"
    if done and written:
        yield "readers are told that these are machine drafts until `hexapla sync` says that somebody has read them"
