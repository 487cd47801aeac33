"""Draft the missing sections of a tree, page by page: each message by the model, each section whole or not at all."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hexapla.drafts.placeholders import UntrustedAnswer, protect, restore
from hexapla.glossary import Term
from hexapla.translation.exchange.catalog import Catalog, Message
from hexapla.translation.exchange.imports import Plan, Refusal, plan
from hexapla.translation.exchange.segments import Segment, units
from hexapla.translation.judgement import Judge
from hexapla.translation.records import replaced
from hexapla.translation.service import require_readable, tree_status
from hexapla.translation.status import PageStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree, write_page, write_records

Translate = Callable[[Sequence[str]], Sequence[str]]  # messages -> their translations, as many
Progress = Callable[[int, int], None]


class Draft(NamedTuple):
    """The draft of one page: its plan, how many sections were missing, and the answers that were refused."""

    plan: Plan
    missing: int
    refusals: tuple[Refusal, ...]


def draft(tree: TranslationTree, page: PageStatus, terms: Sequence[Term], translate: Translate, judge: Judge) -> Draft:
    """Draft the missing sections of a page; a section with a refused answer stays missing."""
    lacking = {section.id for section in page.sections if section.state is TranslationState.MISSING}
    wanted = [unit for unit in units(tree.text(page.source_path)) if unit.section in lacking]
    refusals: list[Refusal] = []
    messages = tuple(translated_messages(wanted, terms, translate, page, refusals))
    catalog = Catalog(page.page, page.language, tree.layout.source, page.source_path, "", messages)
    made = plan(tree, page, catalog, page.source_path, judge)
    records = {key: record._replace(draft=True, review="") for key, record in made.records.items()}
    return Draft(made._replace(records=records), len(lacking), (*refusals, *made.refusals))


def translated_messages(
    wanted: Sequence[Segment], terms: Sequence[Term], translate: Translate, page: PageStatus, refusals: list[Refusal]
) -> Iterator[Message]:
    """Translate messages; yields those with a usable answer and adds a refusal for each of the others."""
    protected = [protect(unit.text, terms, page.language) for unit in wanted]
    answers = translate([each.text for each in protected])
    for unit, hidden, answer in zip(wanted, protected, answers, strict=True):
        try:
            target = restore(hidden, answer)
        except UntrustedAnswer as error:
            refusals.append(Refusal(page.source_path, unit.line, str(error)))
        else:
            yield Message(unit.section, unit.text, unit.number, target, unit.line)


def write_draft(tree: TranslationTree, made: Plan) -> None:
    """Write a page and the records of its drafts."""
    if made.text is None:
        return
    write_page(tree.layout.root, made.path, made.text)
    write_records(tree.layout.root, made.language, replaced(tree.records[made.language], made.records))


def draft_pages(
    tree: TranslationTree, language: str, terms: Sequence[Term], translate: Translate, judge: Judge, *,
    given: Sequence[str] = (), write: bool = False, progress: Progress | None = None,
) -> Iterator[Draft]:
    """Draft each page that lacks sections in a language; with `write` each is written before the next is begun.

    `given` are pages or folders, none for all.

    Raises ConfigError, also for a page that cannot be read, since it would be overwritten.
    """
    pages = tree_status(tree, given, None, language)
    require_readable(tree, pages)
    lacking = [page for page in pages if any(each.state is TranslationState.MISSING for each in page.sections)]
    for number, page in enumerate(lacking):
        drafted = draft(tree, page, terms, translate, judge)
        if write:
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
