"""Whether a model leaves alone what is right: finished sections drafted again from the source that they stand for.

Each of their paragraphs goes to the model with its translation, as when the instructions have changed. What it changes
there was no improvement that anybody asked for, and would be read again by people for nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from hexapla.drafts.draft_run import Draft, Drafter, Drafting
from hexapla.errors import ConfigError
from hexapla.report_text import plural
from hexapla.translation.records.draft_inputs import DraftChanges, DraftMaterial
from hexapla.translation.sections.section_problems import Judge
from hexapla.translation.sections.segments import by_section, find_units
from hexapla.translation.status.section_states import PageStatus, TranslationState
from hexapla.translation.tracking import require_readable, tree_status
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.word_diff import WORD, changed_words

MOST = 0.03  # of the words may be others
AGAIN = DraftChanges((), lost=False, instructions=True)


class PageStability(NamedTuple):
    """A page's finished sections that were drafted again, their words, those that changed, and refused sections."""

    path: str
    sections: int
    words: int
    changed: int
    refused: int


def testing_of(
    tree: TranslationTree, language: str, material: DraftMaterial, drafter: Drafter, judge: Judge,
    given: Sequence[str], limit: int | None,
) -> Drafting:
    """The drafting of what is finished on the pages that are given; it writes nothing. Raises ConfigError."""
    pages = [
        replace(page, sections=tuple(
            each._replace(touched=AGAIN) if each.state is TranslationState.CURRENT and each.line else each
            for each in page.sections))
        for page in tree_status(tree, given, None, language)
    ]
    require_readable(tree, pages)
    finished = [page for page in pages if any(each.touched is AGAIN for each in page.sections)]
    if not finished:
        raise ConfigError(f"--test: no section in {language} is finished on these pages; name others")
    made = Drafting(tree, language, material, drafter, judge, finished,
                    lambda page, each: each.touched is AGAIN, limit, write=False)
    made.memory = replace(made.memory, displaced=True)  # it has these translations, and nobody would be asked for them
    return made


def measure_page(tree: TranslationTree, page: PageStatus, drafted: Draft) -> PageStability:
    """How much of a page's finished sections is another after they were drafted again."""
    before = tree.text(page.path)
    after = before if drafted.plan.text is None else drafted.plan.text
    closes = tree.layout.closes_fence(page.path)
    old, new = ({name: [word.rstrip() for unit in units for word in WORD.findall(unit.text)]
                 for name, units in by_section(find_units(text, closes)).items()} for text in (before, after))
    made = [each.here for each in page.sections if each.id in drafted.answered]
    return PageStability(
        page.path, len(made), sum(len(old.get(name, [])) for name in made),
        sum(changed_words(old.get(name, []), new.get(name, [])) for name in made), len(drafted.refusals))


def stability_lines(language: str, pages: Sequence[PageStability]) -> Iterator[str]:
    """The table of what was found, a line a page, and whether that is little enough."""
    for each in pages:
        refused = f", {each.refused} refused" if each.refused else ""
        yield (f"{each.path}  {plural(each.sections, 'section')}, {each.changed} of {plural(each.words, 'word')} "
               f"changed ({share_of([each]):.1%}){refused}")
    yield f"{language}: {share_of(pages):.1%} of the words changed; more than {MOST:.0%} is too much"


def share_of(pages: Sequence[PageStability]) -> float:
    """The share of words that changed."""
    return sum(each.changed for each in pages) / max(sum(each.words for each in pages), 1)


def is_stable(pages: Sequence[PageStability]) -> bool:
    """Whether the model left alone what is right."""
    tested = any(each.words for each in pages)
    return tested and share_of(pages) <= MOST and not any(each.refused for each in pages)
