"""The doubts that a review has recorded and nobody has dismissed, at sections that say what they said then."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hexapla.translation.sections.section_problems import Note
from hexapla.translation.sections.segments import Segment, by_section
from hexapla.translation.status.section_states import PageStatus, SectionStatus
from hexapla.translation.translation_tree import REVIEW, TranslationTree, record_files
from hexapla.translation.verdicts import (
    Doubt,
    Key,
    Verdict,
    later_version,
    open_doubts,
    parse_verdicts,
    text_hashes,
    verdicts_path,
)


def with_doubts(tree: TranslationTree, pages: Iterable[PageStatus]) -> list[PageStatus]:
    """The pages' status with the doubts about their sections, none from a later version's file. Raises ConfigError."""
    found, files = [], {code: record_files(tree.layout.root, f"{REVIEW}/{code}") for code in tree.languages}
    for page in pages:
        data = files[page.language].get(page.page, b"")
        known = {} if later_version(data) else open_doubts(parse_verdicts(data)[0])
        found.append(doubted_page(tree, page, known) if known and page.path and page.source_path else page)
    return found


def later_verdicts(tree: TranslationTree) -> Iterator[tuple[str, Note]]:
    """The files of verdicts that a later version has written, whose doubts are not shown. Raises ConfigError."""
    for code in tree.languages:
        for page, data in record_files(tree.layout.root, f"{REVIEW}/{code}").items():
            if later := later_version(data):
                yield verdicts_path(code, page), Note(1, later)


def doubted_page(tree: TranslationTree, page: PageStatus, known: Mapping[Key, Sequence[Verdict]]) -> PageStatus:
    """A page with the doubts about its sections; `known` is what is doubted of any."""
    theirs, ours = (by_section(tree.segments(path)) for path in (page.source_path, page.path))

    def doubt_section(status: SectionStatus) -> SectionStatus:
        found = section_doubts(page, status, theirs[status.id], ours[status.here], known) if status.line else ()
        return status._replace(doubts=tuple(sorted(found, key=lambda doubt: (doubt.line, doubt.kind))))

    return replace(page, sections=tuple(map(doubt_section, page.sections)))


def section_doubts(
    page: PageStatus, status: SectionStatus, source: Sequence[Segment], target: Sequence[Segment],
    known: Mapping[Key, Sequence[Verdict]],
) -> Iterator[Doubt]:
    """The doubts about a section both of whose texts are there as they were; one that is lacking stands at its head.

    In sections of one shape the texts have to stand in one place too: what was in another's place and is put right is
    doubted no more.
    """
    alike = [segment.kind for segment in source] == [segment.kind for segment in target]
    texts = [[segment.said for segment in side] for side in (source, target)]
    there, here = map(text_hashes, texts)
    for key, verdicts in known.items():
        for first, second in text_places(there.get(key[0]), here.get(key[1]), alike):
            line = status.line if second is None else target[second].line
            source_line = 0 if first is None else source[first].line
            doubt = Doubt(page.language, page.page, status.id, page.path, line, source_line, key[2], "",
                          "" if first is None else texts[0][first], "" if second is None else texts[1][second], key)
            yield from map(doubt.decided, verdicts)


def text_places(
    source: Sequence[int] | None, target: Sequence[int] | None, alike: bool
) -> list[tuple[int | None, int | None]]:
    """The first places of two texts that a review would pair, None for a text that is lacking; [] where none are.

    >>> text_places([1, 4], [4], alike=True), text_places([1], [4], alike=True), text_places([1], [4], alike=False)
    ([(4, 4)], [], [(1, 4)])
    """
    if source is None or target is None:
        return []
    if alike and source and target:
        return [(place, place) for place in sorted({*source} & {*target})[:1]]
    return [(source[0] if source else None, target[0] if target else None)]
