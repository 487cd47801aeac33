"""Headings, lists and call-outs: whether a translation has as many, of the same shape, as its source."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from hexapla.checks import align
from hexapla.checks.align import Placed
from hexapla.checks.context import Case, Found
from hexapla.pages import Heading, Listing


def heading_level(case: Case) -> Iterator[Found]:
    """A heading one level up or down from its source's."""
    for source, target in align.headings(case.original.headings, case.page.headings):
        if source is not None and target is not None and source.level != target.level:
            yield Found(
                "heading-level", f"found {'#' * target.level}, the source has {'#' * source.level}",
                f"write it with {'#' * source.level}", target.line, target.column, source.line, key=source.text,
            )


def heading_count(case: Case) -> Iterator[Found]:
    """Headings that stand on one side alone; neighbours are one finding."""
    pairs = align.headings(case.original.headings, case.page.headings)
    counts = f"found {len(case.page.headings)} headings, the source has {len(case.original.headings)}"
    source_last, open_run = None, ""
    for source, target in pairs:
        if source is not None and target is not None:
            source_last, open_run = source.line, ""
        elif target is None and source is not None and open_run != "missing":
            open_run = "missing"
            yield Found("heading-count", f"{counts}; none stands for {source.text!r}",
                        "translate that section, or bring its heading back", missing_place(case, source, pairs), 1,
                        source.line)
        elif source is None and target is not None and open_run != "added":
            open_run = "added"
            yield Found("heading-count", f"{counts}; the source has none for {target.text!r}",
                        "take it out, or make it a paragraph", target.line, target.column, source_last)


def missing_place(case: Case, heading: Heading, pairs: Sequence[align.Pair[Heading]]) -> int:
    """Where a heading's section would start: behind the last block that the section above it still explains."""
    above = next((b for a, b in reversed(pairs[: pairs.index((heading, None))]) if b is not None), None)
    start = above.line if above else 1
    section = case.original.section(heading.line) - 1
    size = sum(1 for block in case.original.blocks if case.original.section(block.line) == section)
    here = [block.line for block in case.page.blocks if block.line >= start]
    return here[min(size, len(here) - 1)] if here else start


def list_count(case: Case) -> Iterator[Found]:
    """Lists with other numbers of items than the source's; how items are spread over lists is left open."""
    for _, source, target in align.section_pairs(case.original, case.page, case.original.lists, case.page.lists):
        items, found = sum(one.items for one in source), sum(one.items for one in target)
        if items == found:
            continue
        one, other = first_other(source, target)
        yield Found(
            "list-count", f"found {found} list items in this section, the source has {items}",
            "give the list the source's items", place(case, one, other), other.column if other else 1,
            one.line if one else None,
        )


def first_other(source: list[Listing], target: list[Listing]) -> tuple[Listing | None, Listing | None]:
    """The first list with another number of items, and the one it should be like."""
    for one, other in zip(source, target, strict=False):
        if (one.items, one.depth) != (other.items, other.depth):
            return one, other
    longer = min(len(source), len(target))
    return (source[longer] if len(source) > longer else None), (target[longer] if len(target) > longer else None)


def place(case: Case, source: Placed | None, target: Placed | None) -> int:
    """The line of what the translation has, or else where it would stand."""
    if target is not None:
        return target.line
    return align.landing(case.original, case.page, source.line) if source is not None else 1


def admonition_differs(case: Case) -> Iterator[Found]:
    """Call-outs that are missing, added, or of another kind."""
    source, target = case.original.admonitions, case.page.admonitions
    kinds, found = [one.kind for one in source], [one.kind for one in target]
    if kinds == found:
        return
    for what, a, b, c, d in SequenceMatcher(None, kinds, found, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        one, other = (source[a] if a < b else None), (target[c] if c < d else None)
        names = " and ".join(kinds[a:b]) or "none"
        yield Found(
            "admonition-differs", f"found {' and '.join(found[c:d]) or 'none'}, the source has {names} here",
            "write the call-out as in the source; its title alone is translated",
            place(case, one, other), other.column if other else 1, one.line if one else None,
        )
