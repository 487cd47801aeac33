"""Draft the missing sections of a tree, page by page, and report what became of each page."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hexapla.drafts.drafting import Draft, Translate, draft, write_draft
from hexapla.glossary import Term
from hexapla.translation.exchange.imports import Judge
from hexapla.translation.service import require_readable, tree_status
from hexapla.translation.status import TranslationState
from hexapla.translation.translation_tree import TranslationTree

Progress = Callable[[int, int], None]


class DraftOptions(NamedTuple):
    """The language to draft, the pages or folders (none for all), and whether the drafts are put into the pages."""

    language: str
    pages: tuple[str, ...] = ()
    write: bool = False


def draft_pages(
    tree: TranslationTree, options: DraftOptions, terms: Sequence[Term], translate: Translate, judge: Judge,
    progress: Progress | None = None,
) -> Iterator[Draft]:
    """Draft each page that lacks sections; with `write` each is written before the next is begun.

    Raises ConfigError, also for a page that cannot be read, since it would be overwritten.
    """
    pages = tree_status(tree, list(options.pages), None, options.language)
    require_readable(tree, pages)
    lacking = [page for page in pages if any(each.state is TranslationState.MISSING for each in page.sections)]
    for number, page in enumerate(lacking):
        drafted = draft(tree, page, terms, translate, judge)
        if options.write:
            write_draft(tree, drafted.plan)
            tree.__dict__.pop("records", None)  # the next page's are written over these
        if progress:
            progress(number + 1, len(lacking))
        yield drafted


def report_lines(drafted: Draft, written: bool) -> Iterator[str]:
    """The lines of the report on one page."""
    yield from map(str, drafted.refusals)
    done, path = len(drafted.plan.records), drafted.plan.path
    yield f"{path}: {done} of {drafted.missing} missing sections {'drafted' if written else 'can be drafted'}"
    if done and not written:
        yield "nothing was written; put the drafts in place with --write"
    if done and written:
        yield "readers are told that these are machine drafts until `hexapla sync` says that somebody has read them"
