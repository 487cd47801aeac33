"""`hexapla pull-request`: what the changes since a revision mean for each language, as a comment in Markdown."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.checks.finding import Finding, subtract_findings
from hexapla.cli.options import TREE, command_again, option_words, tree_options
from hexapla.cli.status import options_then
from hexapla.cli.translated_tree import translated_tree
from hexapla.reports.pull_request import Coverage, LanguageChange, SectionChange, make_comment
from hexapla.translation.history.infer_from_git import EarlierStatus, earlier_status, newly_behind
from hexapla.translation.sections.sections import translation_digest
from hexapla.translation.status.section_states import PageStatus, TranslationState
from hexapla.translation.status.status_text import change_text
from hexapla.translation.tracking import tree_status
from hexapla.translation.translation_tree import TranslationTree

TO_RECORD = {TranslationState.BEHIND, TranslationState.EDITED, TranslationState.UNRECORDED}
OPEN = {TranslationState.MISSING, TranslationState.BEHIND, TranslationState.DRAFT, TranslationState.REVIEW}


def pull_request(chosen: argparse.Namespace) -> int:
    """Print the comment: how far each language is, what is put behind and brought up to date, new findings."""
    tree = translated_tree(chosen)
    with options_then(tree, chosen) as then:
        before = earlier_status(translated_tree(then, tree.cache))
        known = find_problems(CheckOptions(tree_options(then), cached=False))
    found = find_problems(CheckOptions(tree_options(chosen)))
    changes = language_changes(tree, before, chosen)
    tree.cache.close()
    since = tree.repository.commit(chosen.since) or chosen.since
    sys.stdout.write(make_comment(changes, subtract_findings(found, known), subtract_findings(known, found), since))
    return 0


def find_problems(options: CheckOptions) -> list[Finding]:
    """What the checks find, without the notes on missing pages: how many pages a language has begun is counted."""
    return [each for each in check_tree(options).findings if (each.rule, each.severity) != ("page-missing", "note")]


def language_changes(
    tree: TranslationTree, before: EarlierStatus, chosen: argparse.Namespace
) -> list[LanguageChange]:
    """What changed for each language of a tree."""
    pages = tree_status(tree)
    behind = newly_behind(tree, before, pages)
    states = {(page.language, page.page, each.id): each.state for page in pages for each in page.sections}
    made = []
    for language in tree.languages:
        put = [(page, each) for page in behind if page.language == language for each in page.sections]
        counts = [each.words for _, each in put]
        names = unrecorded_sections(tree, before, pages, language)
        made.append(LanguageChange(
            language, tuple(SectionChange(page.source_path, each.id, change_text(each)) for page, each in put),
            None if None in counts else sum(filter(None, counts)),
            sum(count_updated(page, before) for page in pages if page.language == language), names,
            command_again("sync", names, option_words(chosen, TREE | {"root": Path()}), "--write"),
            measure_coverage(language, states), measure_coverage(language, before.states),
        ))
    return made


def measure_coverage(language: str, states: Mapping[tuple[str, str, str], TranslationState]) -> Coverage:
    """How far a language is, of what the source has."""
    here = [(page, state) for (code, page, _), state in states.items()
            if code == language and state is not TranslationState.EXTRA]
    return Coverage(
        len({page for page, state in here if state is not TranslationState.MISSING}), len({page for page, _ in here}),
        sum(state is TranslationState.CURRENT for _, state in here), len(here),
    )


def unrecorded_sections(
    tree: TranslationTree, before: EarlierStatus, pages: Sequence[PageStatus], language: str
) -> tuple[str, ...]:
    """The sections whose changed translation is not recorded, to be named to `sync`; none in a tree without records."""
    if not any(tree.records[code].of for code in tree.languages):
        return ()
    return tuple(
        f"{page.path}#{each.id}" for page in pages if page.language == language and page.path for each in page.sections
        if each.state in TO_RECORD and each.line
        and before.translations.get((language, page.page, each.id)) != translation_digest(
            tree.section_text(language, page.page, each.here))
    )


def count_updated(page: PageStatus, before: EarlierStatus) -> int:
    """How many sections of a page are current that were not, in a language that begins all that the source had."""
    was = {each.id: before.states.get((page.language, page.page, each.id)) for each in page.sections}
    return sum(
        each.state is TranslationState.CURRENT
        and (was[each.id] in OPEN or (was[each.id] is None and (page.page, each.id) in before.sections))
        for each in page.sections
    )
