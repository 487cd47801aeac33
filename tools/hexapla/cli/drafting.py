"""`hexapla draft`: an estimate, or drafts reported page by page, and the command to go on with."""

import argparse
from functools import cache
from pathlib import Path

from hexapla.cli.options import TREE, command_again, option_words
from hexapla.cli.terminal import FOUND, require_extra, say, show_progress
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.project import find_terms
from hexapla.drafts import local_model
from hexapla.drafts.draft_run import Drafter, Drafting, drafting_of
from hexapla.drafts.endpoint import Endpoint
from hexapla.drafts.estimate import estimate_drafting, estimate_lines
from hexapla.drafts.stability import is_stable, measure_page, stability_lines, testing_of
from hexapla.errors import ConfigError
from hexapla.report_text import plural
from hexapla.section_judge import tree_judge
from hexapla.translation.records.draft_inputs import DraftMaterial, read_material
from hexapla.translation.status.status_text import describe_section
from hexapla.translation.status.touched_drafts import unread_drafts
from hexapla.translation.tracking import require_language
from hexapla.translation.translation_tree import TranslationTree

# The options that a command line to go on with repeats, where they are not the default.
REPEATED: dict[str, object] = {
    "root": None, "language": None, "model": None, "endpoint": None, "jobs": 4, "timeout": 300, "limit": None,
    "budget": None, "stale": False, **TREE,
}
WRITTEN = "readers are told that these are machine drafts until `hexapla sync` says that somebody has read them"


def draft(chosen: argparse.Namespace) -> int:
    """Run `hexapla draft`: an estimate, or what is missing or behind drafted by a model; 1 while some of that stays."""
    command = command_again("draft", chosen.pages, option_words(chosen, REPEATED), "--write")
    tree, terms = translated_tree(chosen), find_terms(chosen.root)
    require_language(tree, chosen.language)  # a model takes long to load
    material = read_material(tree.layout.root, chosen.language)
    drafter = drafter_of(chosen, tree, material)
    if chosen.test:
        return run_test(chosen, tree, drafter, material)
    codes = () if chosen.stale else (chosen.language,)  # a draft that is made again is none more to read
    limits = [each.room for each in unread_drafts(tree, codes)] + [chosen.limit] * bool(chosen.limit)
    drafting = drafting_of(tree, chosen.language, material, drafter, tree_judge(tree, terms), given=chosen.pages,
                           limit=min(limits, default=None), stale=chosen.stale, write=chosen.write)
    try:
        if not drafting.wanted:
            say(f"{chosen.language}: there is nothing to draft{' again' if chosen.stale else ''}")
            return 0
        status = FOUND
        if drafting.limit != 0:
            status = (run_drafts if chosen.write or chosen.diff else print_estimate)(drafting, chosen, command)
        for each in unread_drafts(translated_tree(chosen, tree.cache), codes):
            if not each.room:
                say(str(each))
        return status
    finally:
        tree.cache.close()


def print_estimate(drafting: Drafting, chosen: argparse.Namespace, command: str) -> int:
    """Say what drafting would cost, and what makes it draft again."""
    for page in drafting.pages if chosen.stale else ():
        for each in page.sections:
            if drafting.wants(page, each):
                say(f"{page.path}:{each.line}: {each.id or '(top)'}: {describe_section(each)}")
    say("\n".join(estimate_lines(estimate_drafting(drafting), chosen.language, chosen.budget)))
    if drafting.halted:
        say(f"  {drafting.halted}: {plural(drafting.wanted - drafting.begun, 'section')} more for later")
    say(f"nothing was sent or written; draft with:\n  {command}")
    return FOUND


def run_drafts(drafting: Drafting, chosen: argparse.Namespace, command: str) -> int:
    """Draft, and say what became of each page and what it cost."""
    shows, done = chosen.stale or chosen.diff, 0
    try:
        with show_progress("drafting") as step:
            for drafted in drafting.make_drafts(step):
                plan, shown = drafted.plan, drafted.difference if shows else ()
                say("\n".join([*shown, *map(str, (*drafted.refusals, *plan.doubts)),
                               f"{plan.path}: {len(plan.records)} of {drafted.wanted} sections drafted"]))
                done += len(plan.records)
    finally:
        if done and drafting.write:
            say(WRITTEN)
        elif done:
            say(f"no page was written; put the drafts in place with:\n  {command}")
        if drafting.halted:
            say(f"stopped by {drafting.halted}; {plural(drafting.wanted - done, 'section')} left, go on with:\n"
                f"  {command}")
        say(str(drafting.drafter.spending.usage))
    return FOUND if done < drafting.wanted else 0


def run_test(chosen: argparse.Namespace, tree: TranslationTree, drafter: Drafter, material: DraftMaterial) -> int:
    """Draft again what is finished, and say how much changed; 1 where that is too much, refused or not reached."""
    if chosen.write or chosen.stale or not chosen.pages:
        raise ConfigError("--test drafts again what is finished on the pages that you name, and writes nothing; name "
                          "pages, and leave --write and --stale out")
    judge, found = tree_judge(tree, find_terms(chosen.root)), []
    drafting = testing_of(tree, chosen.language, material, drafter, judge, chosen.pages, chosen.limit)
    try:
        pages = {page.path: page for page in drafting.pages}
        with show_progress("drafting") as step:
            for drafted in drafting.make_drafts(step):
                for line in (*(drafted.difference if chosen.diff else ()), *map(str, drafted.refusals)):
                    say(line)
                found.append(measure_page(tree, pages[drafted.plan.path], drafted))
    finally:
        tree.cache.close()
    say("\n".join(stability_lines(chosen.language, found)))
    if left := drafting.wanted - drafting.done:
        say(f"stopped by {drafting.halted}; {plural(left, 'section')} left")
    say(str(drafter.spending.usage))
    return 0 if is_stable(found) and not left else FOUND


def drafter_of(chosen: argparse.Namespace, tree: TranslationTree, material: DraftMaterial) -> Drafter:
    """The model that the options name; one on this disk is loaded to write. Raises ConfigError."""
    source, target = tree.layout.source, chosen.language
    if chosen.endpoint:
        return Endpoint(
            chosen.endpoint, chosen.model, source, target, instructions=material.instructions,
            jobs=chosen.jobs, timeout=chosen.timeout, budget=chosen.budget,
        )

    @cache
    def load_once() -> local_model.Translate:
        with require_extra("snippets"):
            return local_model.load_model(Path(chosen.model), source, target)

    local_model.require_model(Path(chosen.model))
    if chosen.write or chosen.diff or chosen.test:
        load_once()
    return local_model.LocalDrafter(
        lambda texts: load_once()(texts), material.terms, source, target, chosen.budget,
        Path(chosen.model).resolve().name)
