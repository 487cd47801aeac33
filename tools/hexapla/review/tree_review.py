"""Review a language of a tree: its habits are learned from all its sections, then each section is looked at."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hexapla.review.doubts import Languages, SectionDoubt, find_doubts
from hexapla.review.habits import Habits, learn_habits
from hexapla.review.said_pairs import SaidPair, SaidText, pair_texts, read_texts
from hexapla.translation.sections.segments import by_section
from hexapla.translation.status.section_states import TranslationState
from hexapla.translation.tracking import tree_status
from hexapla.translation.translation_tree import TranslationTree
from hexapla.translation.verdicts import (
    MEANING,
    Doubt,
    doubt_key,
    is_dismissed,
    open_doubts,
    parse_verdicts,
    verdict_files,
)

Progress = Callable[[int, int, str], None]  # sections done, all of them, the language
# States of sections whose translation is not meant to say what the source says today, or is not there.
NOT_COMPARED = {TranslationState.BEHIND, TranslationState.EXTRA, TranslationState.MISSING}


class ReviewedSection(NamedTuple):
    """A section with its texts of the source and of the translation, whose id there is `here`."""

    page: str
    section: str
    here: str
    path: str
    source: Sequence[SaidText]
    target: Sequence[SaidText]


def read_sections(tree: TranslationTree, language: str) -> Iterator[ReviewedSection]:
    """The sections of a language that are translated and not behind, but for those that are just the source's."""
    for page in tree_status(tree, language=language):
        theirs, ours = (by_section(tree.segments(path)) for path in (page.source_path, page.path))
        for each in page.sections:
            if page.path and page.source_path and each.state not in NOT_COMPARED:
                source = read_texts(theirs[each.id], tree.layout.source)
                target = read_texts(ours[each.here], language)
                if [text.text for text in source] != [text.text for text in target]:
                    yield ReviewedSection(page.page, each.id, each.here, page.path, source, target)


def shaped_pairs(section: ReviewedSection) -> list[SaidPair]:
    """The texts of a section that habits are learned from: those of one that has the source's shape."""
    if [text.kind for text in section.source] != [text.kind for text in section.target]:
        return []
    return [SaidPair(one, other) for one, other in zip(section.source, section.target, strict=True)]


def section_habits(sections: Iterable[ReviewedSection]) -> Habits:
    """The habits of a language."""
    return learn_habits(pair for section in sections for pair in shaped_pairs(section))


def habits_without(habits: Habits, section: ReviewedSection) -> Habits:
    """The habits of all other sections, to look at one with: its errors would else be taken for usual."""
    return habits.without(shaped_pairs(section))


def review_section(section: ReviewedSection, habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts about one section."""
    return find_doubts(pair_texts(section.source, section.target, habits.affinity), habits, languages)


def certain_doubts(section: ReviewedSection, habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts about one section that need no model."""
    return [doubt for doubt in review_section(section, habits, languages) if doubt.kind != MEANING]


class Review(NamedTuple):
    """What is doubtful in pages, what a model may be asked about, how much was looked at, what somebody dismissed."""

    doubts: Sequence[Doubt]
    unclear: Sequence[Doubt]
    sections: int
    dismissed: Sequence[Doubt]
    pages: Sequence[tuple[str, str]]


def review_tree(
    tree: TranslationTree, names: Sequence[str], codes: Sequence[str], judge: str = "",
    step: Progress | None = None,
) -> Review:
    """The doubts about pages in languages, all where none is named, but for dismissed ones.

    What the `judge` has decided is not unclear to it, and where none is named what any has.
    """
    doubts, unclear, dismissed, looked = list[Doubt](), list[Doubt](), list[Doubt](), list[tuple[str, str]]()
    for code in codes:
        sections, languages = list(read_sections(tree, code)), Languages(tree.layout.source, code)
        wanted = [section for section in sections if not names or section.page in names]
        habits = section_habits(sections) if wanted else Habits()
        files = verdict_files(tree.layout.root, code)
        verdicts = {page: parse_verdicts(files.get(page))[0] for page in {section.page for section in wanted}}
        standing = {page: open_doubts(known) for page, known in verdicts.items()}
        for number, section in enumerate(wanted):
            if step and number % 50 == 0:
                step(number, len(wanted), code)
            known = verdicts[section.page]
            found = review_section(section, habits_without(habits, section), languages)
            for doubt in found_doubts(section, code, found):
                if is_dismissed(known, doubt.key):
                    dismissed.append(doubt)
                elif doubt.kind != MEANING:
                    doubts.append(doubt)
                else:
                    doubts += map(doubt.decided, standing[section.page].get(doubt.key, ()))
                    judges = [each for key, each in known if key == doubt.key]
                    if judge not in judges and (judge or not judges):
                        unclear.append(doubt)
        looked += [(code, section.page) for section in wanted]
    return Review(doubts, unclear, len(looked), dismissed, [*dict.fromkeys(looked)])


def found_doubts(section: ReviewedSection, language: str, found: Sequence[SectionDoubt]) -> Iterator[Doubt]:
    """The doubts of a section, as they are reported."""
    sides = [[text.text for text in side] for side in (section.source, section.target)] if found else []
    for kind, (source, target), message in found:
        line = target.line if target else section.target[0].line if section.target else 1
        texts = source.text if source else "", target.text if target else ""
        yield Doubt(language, section.page, section.section, section.path, line, source.line if source else 0, kind,
                    message, *texts, doubt_key(kind, texts, sides))
