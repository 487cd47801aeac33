"""Review a language of a tree: its habits are learned from all its sections, then each section is looked at."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hexapla.review.doubts import MEANING, Languages, SectionDoubt, find_doubts
from hexapla.review.habits import Habits, learn_habits
from hexapla.review.said_pairs import SaidPair, SaidText, pair_texts, read_texts
from hexapla.translation.review.verdicts import DISMISSED, SOUND, Doubt, read_verdicts
from hexapla.translation.sections.segments import Segment, all_segments
from hexapla.translation.status.section_states import TranslationState
from hexapla.translation.tracking import tree_status
from hexapla.translation.translation_tree import TranslationTree

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
    """The sections of a language that are translated and not behind; one that says just what the source says is none.
    """
    for page in tree_status(tree, language=language):
        if not page.path or not page.source_path:
            continue
        theirs, ours = (by_section(all_segments(tree.text(path), tree.layout.closes_fence))
                        for path in (page.source_path, page.path))
        for each in page.sections:
            if each.state not in NOT_COMPARED:
                source = read_texts(theirs[each.id], tree.layout.source)
                target = read_texts(ours[each.here], language)
                if [text.text for text in source] != [text.text for text in target]:
                    yield ReviewedSection(page.page, each.id, each.here, page.path, source, target)


def by_section(segments: Iterable[Segment]) -> defaultdict[str, list[Segment]]:
    found: defaultdict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        found[segment.section].append(segment)
    return found


def section_habits(sections: Iterable[ReviewedSection]) -> Habits:
    """The habits of a language, from those of its sections that have the source's shape."""
    return learn_habits(
        SaidPair(one, other) for section in sections
        if [text.kind for text in section.source] == [text.kind for text in section.target]
        for one, other in zip(section.source, section.target, strict=True)
    )


def review_section(section: ReviewedSection, habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts about one section."""
    return find_doubts(pair_texts(section.source, section.target, habits.affinity), habits, languages)


class Review(NamedTuple):
    """What is doubtful; what a model may be asked about; sections looked at; doubts that somebody dismissed."""

    doubts: Sequence[Doubt] = ()
    unclear: Sequence[Doubt] = ()
    sections: int = 0
    dismissed: int = 0


def review_tree(
    tree: TranslationTree, names: Sequence[str], codes: Sequence[str], step: Progress | None = None
) -> Review:
    """The doubts about pages in languages, all of them where none is named, but for those that somebody dismissed."""
    doubts, unclear, looked, dismissed = list[Doubt](), list[Doubt](), 0, 0
    for code in codes:
        sections, languages = list(read_sections(tree, code)), Languages(tree.layout.source, code)
        habits = section_habits(sections)
        wanted = [section for section in sections if not names or section.page in names]
        verdicts = {page: read_verdicts(tree.layout.root, code, page) for page in {section.page for section in wanted}}
        for number, section in enumerate(wanted):
            if step and number % 50 == 0:
                step(number, len(wanted), code)
            known = verdicts[section.page]
            for doubt in found_doubts(section, code, review_section(section, habits, languages)):
                verdict = known.get(doubt.key)
                if doubt.kind == MEANING:
                    if verdict is None:
                        unclear.append(doubt)
                        continue
                    if verdict.decision == SOUND:
                        continue
                    if verdict.decision != DISMISSED:
                        doubt = doubt._replace(kind=verdict.decision, message=verdict.reason)
                        verdict = known.get(doubt.key)
                if verdict and verdict.decision == DISMISSED:
                    dismissed += 1
                else:
                    doubts.append(doubt)
        looked += len(wanted)
    return Review(doubts, unclear, looked, dismissed)


def found_doubts(section: ReviewedSection, language: str, found: Sequence[SectionDoubt]) -> Iterator[Doubt]:
    """The doubts of a section, as they are reported."""
    for kind, (source, target), message in found:
        line = target.line if target else section.target[0].line if section.target else 1
        yield Doubt(language, section.page, section.section, section.path, line, source.line if source else 0, kind,
                    message, source.text if source else "", target.text if target else "")
