"""Review a language of a tree: its habits are learned from all its sections, then each section is looked at."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median, quantiles
from typing import NamedTuple

from hexapla.review.absences import worst_absence
from hexapla.review.doubts import Languages, SectionDoubt, find_doubts
from hexapla.review.habits import LIMIT, Habits, learn_habits
from hexapla.review.said_pairs import SaidPair, SaidText, pair_texts, read_texts
from hexapla.translation.sections.segments import all_segments, by_section
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
FOLDS = 4      # parts of the sections, each looked at with the habits of the others
SAMPLE = 1000  # sections at most, or twice as many, whose evidence tells what is usual
PRIOR = 500    # sections' worth of trust in the limit that holds where nothing is known of a tree
LEAST = 6.5    # the lowest limit, where all is translated closely
OUTLIER = 2.0  # how many times farther from the middle than the upper twentieth


class ReviewedSection(NamedTuple):
    """A section with its texts of the source and of the translation, whose id there is `here`."""

    page: str
    section: str
    here: str
    path: str
    source: Sequence[SaidText]
    target: Sequence[SaidText]


def read_sections(tree: TranslationTree, language: str) -> Iterator[ReviewedSection]:
    """The sections of a language that are translated and not behind; one that says just what the source says is none.
    """
    for page in tree_status(tree, language=language):
        if not page.path or not page.source_path:
            continue
        theirs, ours = (by_section(all_segments(tree.text(path), tree.layout.closes_fence(path)))
                        for path in (page.source_path, page.path))
        for each in page.sections:
            if each.state not in NOT_COMPARED:
                source = read_texts(theirs[each.id], tree.layout.source)
                target = read_texts(ours[each.here], language)
                if [text.text for text in source] != [text.text for text in target]:
                    yield ReviewedSection(page.page, each.id, each.here, page.path, source, target)


def section_habits(sections: Iterable[ReviewedSection]) -> Habits:
    """The habits of a language, from those of its sections that have the source's shape."""
    return learn_habits(
        SaidPair(one, other) for section in sections
        if [text.kind for text in section.source] == [text.kind for text in section.target]
        for one, other in zip(section.source, section.target, strict=True)
    )


def held_out_habits(sections: Sequence[ReviewedSection]) -> list[Habits]:
    """The habits that the first, second ... of each FOLDS sections are looked at with: those of all the others.

    What is wrong in a section would else be taken for usual. What is doubted is what is unusual among the sections.
    """
    learned = [section_habits(each for number, each in enumerate(sections) if number % FOLDS != fold)
               for fold in range(FOLDS)]
    missing, added = list[float](), list[float]()
    for number, section in [*enumerate(sections)][:: len(sections) // SAMPLE + 1]:
        habits = learned[number % FOLDS]
        pairs = pair_texts(section.source, section.target, habits.affinity)
        missing += worst_absence(pairs, habits)
        added += worst_absence([SaidPair(*pair[::-1]) for pair in pairs], habits.turned())
    limits = outlier_limit(missing), outlier_limit(added)
    return [habits._replace(missing=limits[0], added=limits[1]) for habits in learned]


def outlier_limit(evidence: Sequence[float]) -> float:
    """The evidence above which a section of a tree is an outlier; the fewer sections there are, the nearer to LIMIT."""
    if len(evidence) < 2:
        return LIMIT
    upper = quantiles(evidence, n=20)[-1]
    middle = median(evidence)
    own = middle + OUTLIER * (upper - middle)
    return max((own * len(evidence) + LIMIT * PRIOR) / (len(evidence) + PRIOR), LEAST)


def review_section(section: ReviewedSection, habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts about one section."""
    return find_doubts(pair_texts(section.source, section.target, habits.affinity), habits, languages)


def certain_doubts(section: ReviewedSection, habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts about one section that need no model."""
    return [doubt for doubt in review_section(section, habits, languages) if doubt.kind != MEANING]


class Review(NamedTuple):
    """What is doubtful; what a model may be asked about; how much was looked at; doubts that somebody dismissed.

    `pages` are those that were looked at, with their languages.
    """

    doubts: Sequence[Doubt]
    unclear: Sequence[Doubt]
    sections: int
    dismissed: Sequence[Doubt]
    pages: Sequence[tuple[str, str]]


def review_tree(
    tree: TranslationTree, names: Sequence[str], codes: Sequence[str], judge: str = "",
    step: Progress | None = None,
) -> Review:
    """The doubts about pages in languages, all of them where none is named, but for those that somebody dismissed.

    What the `judge` has decided is not unclear to it, and where none is named what any has.
    """
    doubts, unclear, dismissed, looked = list[Doubt](), list[Doubt](), list[Doubt](), list[tuple[str, str]]()
    for code in codes:
        sections, languages = list(read_sections(tree, code)), Languages(tree.layout.source, code)
        wanted = [(section, number % FOLDS) for number, section in enumerate(sections)
                  if not names or section.page in names]
        habits = held_out_habits(sections) if wanted else []
        files = verdict_files(tree.layout.root, code)
        verdicts = {page: parse_verdicts(files.get(page))[0] for page in {section.page for section, _ in wanted}}
        standing = {page: open_doubts(known) for page, known in verdicts.items()}
        for number, (section, fold) in enumerate(wanted):
            if step and number % 50 == 0:
                step(number, len(wanted), code)
            known = verdicts[section.page]
            for doubt in found_doubts(section, code, review_section(section, habits[fold], languages)):
                if is_dismissed(known, doubt.key):
                    dismissed.append(doubt)
                elif doubt.kind != MEANING:
                    doubts.append(doubt)
                else:
                    doubts += map(doubt.decided, standing[section.page].get(doubt.key, ()))
                    judges = [each for key, each in known if key == doubt.key]
                    if judge not in judges and (judge or not judges):
                        unclear.append(doubt)
        looked += [(code, section.page) for section, _ in wanted]
    return Review(doubts, unclear, len(looked), dismissed, [*dict.fromkeys(looked)])


def found_doubts(section: ReviewedSection, language: str, found: Sequence[SectionDoubt]) -> Iterator[Doubt]:
    """The doubts of a section, as they are reported."""
    sides = [[text.text for text in side] for side in (section.source, section.target)] if found else []
    for kind, (source, target), message in found:
        line = target.line if target else section.target[0].line if section.target else 1
        texts = source.text if source else "", target.text if target else ""
        yield Doubt(language, section.page, section.section, section.path, line, source.line if source else 0, kind,
                    message, *texts, doubt_key(kind, texts, sides))
