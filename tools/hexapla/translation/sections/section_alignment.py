"""Which section of a translation stands for which section of the source: by id, else by place."""

from collections.abc import Callable, Sequence

from hexapla.translation.sections.sections import SectionSpan

Renamed = Callable[[str, str], bool]  # whether the source's section of an id had another id once


def align(
    source: Sequence[SectionSpan], translation: Sequence[SectionSpan], renamed: Renamed | None = None
) -> dict[str, SectionSpan]:
    """The translation's sections by the source's ids; what has no counterpart is left out.

    A section without an id of its own, or with one that the source's section had once, stands for the source's section
    of its level between the same neighbours.
    """
    own = {span.id: span for span in translation}
    found = {span.id: own[span.id] for span in source if span.id in own}
    if len(found) == len(source):
        return found
    taken = {span.id for span in found.values()}
    if all(span.id in taken for span in translation):
        return found
    if not any(span.pinned for span in translation if span.level) and levels(source) == levels(translation):
        return {ours.id: theirs for ours, theirs in zip(source, translation, strict=True)}
    for ours, theirs in find_gaps(source, translation, found):
        if len(ours) == len(theirs) and levels(ours) == levels(theirs):
            for one, other in zip(ours, theirs, strict=True):
                if not other.pinned or (renamed and renamed(one.id, other.id)):
                    found[one.id] = other
    return found


def levels(spans: Sequence[SectionSpan]) -> list[int]:
    """The levels of sections in order."""
    return [span.level for span in spans]


def find_gaps(
    source: Sequence[SectionSpan], translation: Sequence[SectionSpan], found: dict[str, SectionSpan]
) -> list[tuple[list[SectionSpan], list[SectionSpan]]]:
    """The runs of sections without counterpart, those of both sides that follow the same section."""
    after: dict[str | None, list[SectionSpan]] = {}
    before: str | None = None
    names = {span.id: ours for ours, span in found.items()}
    for span in translation:
        if span.id in names:
            before = names[span.id]
        else:
            after.setdefault(before, []).append(span)
    runs: dict[str | None, list[SectionSpan]] = {}
    before = None
    for span in source:
        if span.id in found:
            before = span.id
        else:
            runs.setdefault(before, []).append(span)
    return [(runs[key], after[key]) for key in runs if key in after]
