"""`hexapla review`: what a translation lacks, adds or says otherwise, as doubts that a person decides."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from hexapla.cli.options import TREE, command_again, option_words
from hexapla.cli.terminal import require_extra, say, show_progress
from hexapla.cli.translated_tree import translated_tree
from hexapla.errors import ConfigError
from hexapla.pages.invisible import visible
from hexapla.report_text import as_json, plural
from hexapla.review.calibration import calibrate_answers, calibrate_rules, model_questions
from hexapla.review.doubts import Languages
from hexapla.review.tree_review import Review, read_sections, review_tree
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.tracking import chosen_pages, reviewer_name, tree_status
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.verdicts import (
    DOUBTED,
    RULES,
    Doubt,
    Key,
    Verdict,
    make_dismissal,
    verdicts_path,
    write_verdicts,
)

if TYPE_CHECKING:
    from hexapla.drafts.meaning_judge import MeaningJudge

LanguageVerdicts = defaultdict[str, defaultdict[str, dict[Key, Verdict]]]
REPEATED: dict[str, object] = {"root": None, "language": None, **TREE}


def review(chosen: argparse.Namespace) -> int:
    """`hexapla review`: exit status 0 also where something is doubted: a doubt is no error."""
    if bool(chosen.dismiss) is not bool(reason_of([chosen.reason or ""])):
        raise ConfigError("--dismiss needs the doubt's id and --reason, which says why it is none: give both")
    if bool(chosen.endpoint) is not bool(chosen.model):
        raise ConfigError("a model is asked with --endpoint URL and --model NAME: give both")
    if chosen.calibrate and (chosen.pages or chosen.dismiss or chosen.format == "json"):
        raise ConfigError("--calibrate prints a table of whole languages: leave out PAGE, --dismiss and --format json")
    tree = translated_tree(chosen)
    try:
        names, languages = chosen_pages(tree, chosen.pages, chosen.language)
        if chosen.calibrate:
            say("\n".join(line for code in languages for line in calibration_lines(tree, chosen, code)))
            return 0
        judge = judge_of(tree, chosen, languages[0]).name if chosen.endpoint and languages else ""

        def look() -> Review:
            with show_progress("reviewing") as step:
                return review_tree(tree, names, languages, judge, step)

        found = look()
        if chosen.dismiss:
            say("\n".join(dismiss_doubts(tree, chosen, found)))
            return 0
        if chosen.write and chosen.endpoint:
            for line in ask_model(tree, chosen, found):
                print(line, file=sys.stderr)
            found = look()
        if chosen.write:
            record_doubts(tree, found)
        say(as_json(
            sections=found.sections, dismissed=len(found.dismissed), unclear=len(found.unclear),
            doubts=[doubt.as_data() for doubt in found.doubts],
        ) if chosen.format == "json" else text_report(tree, found, chosen))
        return 0
    finally:
        tree.cache.close()


def record_doubts(tree: TranslationTree, found: Review) -> None:
    """Record what rules doubt of the pages that were looked at, and what they do not doubt any more."""
    new = LanguageVerdicts(lambda: defaultdict(dict))
    for code, page in found.pages:
        new[code][page] = {}
    for doubt in (each for each in found.doubts if not each.judge):
        new[doubt.language][doubt.page][doubt.key] = Verdict(DOUBTED, RULES, doubt.message)
    for code, verdicts in new.items():
        write_verdicts(tree.layout.root, code, verdicts, reviewed=True)


def dismiss_doubts(tree: TranslationTree, chosen: argparse.Namespace, found: Review) -> Iterator[str]:
    """Record that doubts, found or recorded before, are none, or say what would be. Raises ConfigError."""
    pages = tree_status(tree, chosen.pages, language=chosen.language)
    shown = [doubt for page in pages for section in page.sections for doubt in section.doubts]
    known = {doubt.id: doubt for doubt in (*shown, *found.doubts, *found.unclear)}
    dismissed = {doubt.id: doubt for doubt in found.dismissed if doubt.id not in known}
    verdict = make_dismissal(reviewer_name(tree.layout.root, chosen.by), chosen.reason)
    if unknown := [each for each in chosen.dismiss if each not in {**known, **dismissed}]:
        raise ConfigError(f"--dismiss {unknown[0]}: is the id of no doubt; `hexapla review` lists them")
    new = LanguageVerdicts(lambda: defaultdict(dict))
    for doubt in (dismissed[each] for each in chosen.dismiss if each in dismissed):
        yield f"{place(doubt)}: {doubt.kind}: already dismissed in {verdicts_path(doubt.language, doubt.page)}"
    for doubt in (known[each] for each in chosen.dismiss if each in known):
        yield f"{place(doubt)}: {doubt.kind}: dismissed by {verdict.by}: {verdict.reason}"
        new[doubt.language][doubt.page][doubt.key] = verdict
    for code, verdicts in new.items() if chosen.write else ():
        write_verdicts(tree.layout.root, code, verdicts)
    if new:
        yield ("recorded until either text changes; commit translations/ with your work" if chosen.write
               else "nothing was written; record this with --write")


def ask_model(tree: TranslationTree, chosen: argparse.Namespace, found: Review) -> Iterator[str]:
    """Ask the model about what is unclear and record its answers; a line for each that is of no use."""
    for language, group in groupby(found.unclear, lambda doubt: doubt.language):
        judge = judge_of(tree, chosen, language)
        for answers in judge.decide_doubts(list(group)):
            if verdicts := {each.doubt.key: each.verdict for each in answers if each.verdict}:
                write_verdicts(tree.layout.root, language, {answers[0].doubt.page: verdicts})
            yield from (f"{place(each.doubt)}: not decided: {each.failure}; it is asked again next time"
                        for each in answers if each.verdict is None)


def calibration_lines(tree: TranslationTree, chosen: argparse.Namespace, language: str) -> Iterator[str]:
    """The table of what the rules, or the model that is named, find of seeded errors in a language."""
    sections, languages = list(read_sections(tree, language)), Languages(tree.layout.source, language)
    if not chosen.endpoint:
        with show_progress("reviewing"):
            found = calibrate_rules(sections, languages)
    else:
        judge, questions = judge_of(tree, chosen, language), model_questions(sections, languages)
        asked = [doubt for _, doubt in questions]
        if not chosen.write:
            yield (f"{language}: {plural(len(asked), 'text')} to ask {chosen.model} about, some "
                   f"{judge.estimate_tokens(asked).total} tokens; nothing was sent, ask with --write")
            return
        found = calibrate_answers(questions, {each.doubt: each.verdict for answers in judge.decide_doubts(asked)
                                              for each in answers if each.verdict})
    yield f"{language}: {'by ' + chosen.model if chosen.endpoint else 'without a model'}"
    yield from (f"  {kind:<20}{found.caught[kind]:>4} of {made:>3}{found.caught[kind] / made:>7.0%}"
                for kind, made in found.made.items())
    alarms = f"{found.alarms} of {plural(found.sound, 'text' if chosen.endpoint else 'section')}"
    yield f"  doubted as they are: {alarms}, {500 * found.alarms / max(found.sound, 1):.1f} in 500"


def judge_of(tree: TranslationTree, chosen: argparse.Namespace, language: str) -> "MeaningJudge":
    with require_extra("translate"):
        from hexapla.drafts.endpoint import Endpoint
        from hexapla.drafts.meaning_judge import MeaningJudge
    return MeaningJudge(
        Endpoint(chosen.endpoint, chosen.model, tree.layout.source, language, timeout=chosen.timeout))


def place(doubt: Doubt) -> str:
    return f"{doubt.path}:{doubt.line}"


def text_report(tree: TranslationTree, found: Review, chosen: argparse.Namespace) -> str:
    """The doubts, a line each with the id to dismiss it by, and what to do next."""
    lines = [visible(f"{place(doubt)}: {doubt}") for doubt in found.doubts]
    lines.append(f"{plural(len(found.doubts), 'doubt')} in {plural(found.sections, 'section')}, "
                 f"{len(found.dismissed)} dismissed")
    if found.doubts:
        lines.append("`hexapla status`, `next` and the editor show " + (
            "what was recorded; commit translations/ with your work" if chosen.write else "what --write records"))
    if found.unclear and chosen.endpoint:
        asked = [judge_of(tree, chosen, code).estimate_tokens(list(group))
                 for code, group in groupby(found.unclear, lambda doubt: doubt.language)]
        lines.append(f"{plural(len(found.unclear), 'text')} to ask {chosen.model} about, some "
                     f"{sum(each.total for each in asked)} tokens; nothing was sent, ask with --write")
    elif found.unclear:
        lines.append(f"{plural(len(found.unclear), 'text')} that only a model can tell: --endpoint URL --model NAME")
    if found.doubts:
        again = command_again("review", chosen.pages, option_words(chosen, REPEATED), "--dismiss", found.doubts[0].id,
                              "--reason", "WHY", "--write")
        lines.append(f"one that is none is dismissed by its id:\n  {again}")
    return "\n".join(lines)
