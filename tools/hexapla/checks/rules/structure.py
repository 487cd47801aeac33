"""Headings, lists and call-outs: whether a translation has as many, of the same shape, as its source."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.memo import memoized
from hexapla.pages import Admonition, Heading, Listing, Page
from hexapla.pages.lines import PROSE, Closes, indentation, read

ANY = "alert"
BETWEEN = re.compile(r"[ ]*(?P<marks>/{3,}|:{3,})[ ]*(?P<word>\w)?(?(word).*|$)")
CALLOUT = re.compile(r"(?P<indent> *)(?:!!!|\?\?\?\+?) ?\w")


def heading_level(context: RuleContext) -> Iterator[Violation]:
    """A heading one level up or down from its source's."""
    for source, target in alignment.headings(context.original.headings, context.page.headings):
        if source is not None and target is not None and source.level != target.level:
            yield Violation(
                "heading-level", source.text, f"found {'#' * target.level}, the source has {'#' * source.level}",
                f"write it with {'#' * source.level}", target.line, target.column, source.line,
            )


def heading_count(context: RuleContext) -> Iterator[Violation]:
    """Headings that stand on one side alone; neighbours are one finding."""
    pairs = alignment.headings(context.original.headings, context.page.headings)
    counts = f"found {len(context.page.headings)} headings, the source has {len(context.original.headings)}"
    source_last, open_run, above = None, "", None
    for source, target in pairs:
        above = target or above
        if source is not None and target is not None:
            source_last, open_run = source.line, ""
        elif target is None and source is not None and open_run != "missing":
            open_run = "missing"
            yield Violation("heading-count", absent(source.text), f"{counts}; none stands for {source.text!r}",
                            "translate that section, or bring its heading back",
                            missing_place(context, source, above), 1, source.line)
        elif source is None and target is not None and open_run != "added":
            open_run = "added"
            yield Violation("heading-count", target.text, f"{counts}; the source has none for {target.text!r}",
                            "take it out, or make it a paragraph", target.line, target.column, source_last)


def missing_place(context: RuleContext, heading: Heading, above: Heading | None) -> int:
    """Where a heading's section would start: behind the last block that the section above it still explains."""
    start = above.line if above else 1
    section = context.original.section(heading.line) - 1
    size = len(alignment.blocks_by_section(context.original).get(section, ()))
    lines = sorted_lines(context.page)
    first = bisect_left(lines, start)
    return lines[min(first + size, len(lines) - 1)] if first < len(lines) else start


@memoized
def sorted_lines(page: Page) -> list[int]:
    """The lines that a page's blocks start on."""
    return sorted(block.line for block in page.blocks)


def list_count(context: RuleContext) -> Iterator[Violation]:
    """Lists with other numbers of items than the source's; how items are spread over lists is left open."""
    pages = context.original, context.page
    for section, source, target in alignment.section_pairs(*pages, pages[0].lists, pages[1].lists):
        items, found = sum(one.items for one in source), sum(one.items for one in target)
        if items == found:
            continue
        one, other = first_other(source, target)
        heading = pages[1].headings[section] if section >= 0 else None
        yield Violation(
            "list-count", (heading.id or heading.text) if heading else "",
            f"found {found} list items in this section, the source has {items}",
            "give the list the source's items",
            other.line if other else alignment.find_landing(context.original, context.page, one.line if one else 1),
            other.column if other else 1, one.line if one else None,
        )


def first_other(source: list[Listing], target: list[Listing]) -> tuple[Listing | None, Listing | None]:
    """The first list with another number of items, and the one it should be like."""
    for one, other in zip(source, target, strict=False):
        if (one.items, one.depth) != (other.items, other.depth):
            return one, other
    longer = min(len(source), len(target))
    return (source[longer] if len(source) > longer else None), (target[longer] if len(target) > longer else None)


def admonition_differs(context: RuleContext) -> Iterator[Violation]:
    """Call-outs that are missing, added, or of another kind; those that are empty or never closed."""
    source, target = context.original.admonitions, context.page.admonitions
    if [one.kind for one in source] != [one.kind for one in target]:
        matching = alignment.matched_sections(context.original, context.page)
        theirs = {one.line: matching.get(context.original.section(one.line)) for one in source}
        ours = {other.line: context.page.section(other.line) for other in target}

        def score(one: Admonition, other: Admonition) -> float:
            return (1 if are_of_one_kind(one, other) else -1) + (theirs[one.line] == ours[other.line])

        pairs = alignment.align(source, target, score, 0.4)
        for changed, run in groupby(pairs, key=lambda pair: not are_of_one_kind(*pair)):
            if changed:
                yield from odd_ones(context, list(run))
    yield from find_misshapen(context)


def are_of_one_kind(one: Admonition | None, other: Admonition | None) -> bool:
    """Whether two call-outs are of one kind; Hugo's `alert` says none, so that it is any."""
    return one is not None and other is not None and (one.kind == other.kind or ANY in (one.kind, other.kind))


def odd_ones(context: RuleContext, pairs: list[alignment.Pair[Admonition]]) -> Iterator[Violation]:
    """One finding for the call-outs that are missing in a row, or added; one for each of another kind."""
    for _, run in groupby(pairs, key=lambda pair: pair if all(pair) else pair[0] is None):
        sides = tuple(zip(*run, strict=True))
        theirs, ours = (" and ".join(each.kind for each in side if each) or "none" for side in sides)
        one, other = sides[0][0], sides[1][0]
        yield Violation(
            "admonition-differs", f"{theirs} / {ours}", f"found {ours}, the source has {theirs} here",
            "write the call-out as in the source; its title alone is translated",
            other.line if other else alignment.line_beside(context.original, context.page, one.line if one else 1),
            other.column if other else 1, one.line if one else None,
        )


def find_misshapen(context: RuleContext) -> Iterator[Violation]:
    """Call-outs whose text stands below them, and those that take in what follows, where the source has none such."""
    closes = context.tree.layout.closes_fence(context.document.path)
    if not emptied_callouts(context.original, closes):
        for number in emptied_callouts(context.page, closes):
            yield Violation("admonition-differs", context.page.lines[number - 1].strip(),
                            "the call-out is empty: what follows is not indented", "indent its text by four spaces",
                            number)
    if not unclosed_callouts(context.original, closes):
        for number in unclosed_callouts(context.page, closes):
            yield Violation("admonition-differs", context.page.lines[number - 1].strip(),
                            "the call-out is never closed and takes in what follows",
                            "close it with the marks that open it", number)


def emptied_callouts(page: Page, closes: Closes) -> list[int]:
    """The lines that open a call-out by `!!!` or `???` and have nothing indented below."""
    if not page.admonitions or ("!!!" not in page.text and "???" not in page.text):
        return []
    lines = [(number, line) for number, line in enumerate(page.lines, 1) if line.strip()]
    found = {
        number for (number, line), (_, after) in zip(lines, [*lines[1:], (0, "")], strict=True)
        if (match := CALLOUT.match(line)) and indentation(after) < match.end("indent") + 4
    }
    lines_read = read(page.text, closes) if found else ()
    return [line.number for line in lines_read if line.number in found and line.kind is PROSE]


def unclosed_callouts(page: Page, closes: Closes) -> list[int]:
    """The lines that open a call-out by `///` or `:::` that no line of the same marks closes."""
    if not page.admonitions or ("///" not in page.text and ":::" not in page.text):
        return []
    found, waiting = [], list[tuple[str, int]]()
    for line in read(page.text, closes):
        match = BETWEEN.match(line.text.rstrip()) if line.kind is PROSE else None
        if match and match["word"]:
            found += [number for marks, number in waiting if marks == match["marks"]]
            waiting = [item for item in waiting if item[0] != match["marks"]] + [(match["marks"], line.number)]
        elif match:
            waiting = [item for item in waiting if item[0] != match["marks"]]
    return sorted(found + [number for _, number in waiting])
