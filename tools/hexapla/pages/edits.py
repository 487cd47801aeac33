"""The door for edits of pages: an edit changes the thing that it names, and nothing else that a reader sees."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hexapla.pages.lines import split_lines
from hexapla.pages.model import Page

HEADING_ID, LINK_TARGET, CODE_BLOCK, SECTION = "heading id", "link target", "code block", "section"
READABLE = ("heading id", "heading", "link target", "image target", "link", "code", "fence", "include", "inline code",
            "text", "anchor", "list", "table", "call-out", "markup", "front matter")
# What of a page each kind of edit may change, on the lines that it covers.
CHANGES = {
    HEADING_ID: frozenset({"heading id"}),
    LINK_TARGET: frozenset({"link target"}),
    CODE_BLOCK: frozenset({"code", "include"}),
    SECTION: frozenset(READABLE) - {"front matter"},
}
Read = Callable[[str], Page]


class PageEdit(NamedTuple):
    """Put `text` in place of the characters `start` to `end` of a page; `kind` names what that changes."""

    kind: str
    start: int
    end: int
    text: str


class Edited(NamedTuple):
    """A page's text with the edits that were made in it, and those that were left out, each with the reason."""

    text: str
    made: tuple[PageEdit, ...]
    left: tuple[tuple[PageEdit, str], ...]


class Item(NamedTuple):
    """One thing that a reader sees, or that a link can reach, on a line of the page as it was."""

    part: str
    line: int
    value: object


class Extent(NamedTuple):
    """The lines that an edit covers, as they are counted before it and after all edits."""

    edit: PageEdit
    first: int
    last: int
    first_after: int
    last_after: int


def apply_edits(text: str, edits: Iterable[PageEdit], read: Read) -> Edited:
    """The text with all edits that change what they name alone; the others are left out.

    All are tried together; where that changes anything else, one after the other.
    """
    before = read(text)
    fitting, left = without_overlaps(text, edits)
    if not before.rendered:
        return Edited(text, (), (*((edit, "the page cannot be read") for edit in fitting), *left))
    if not fitting or changed_beside(before, text, fitting, read) is None:
        return Edited(replace_extents(text, fitting), tuple(fitting), tuple(left))
    made: list[PageEdit] = []
    for edit in fitting:
        if reason := changed_beside(before, text, [*made, edit], read):
            left.append((edit, reason))
        else:
            made.append(edit)
    return Edited(replace_extents(text, made), tuple(made), tuple(left))


def without_overlaps(text: str, edits: Iterable[PageEdit]) -> tuple[list[PageEdit], list[tuple[PageEdit, str]]]:
    """The edits in the order of the text, and those that meet one before them or lie outside of the text."""
    kept: list[PageEdit] = []
    left: list[tuple[PageEdit, str]] = []
    end = -1
    for edit in sorted(dict.fromkeys(edits), key=lambda item: (item.start, item.end)):
        if not 0 <= edit.start <= edit.end <= len(text):
            left.append((edit, "it lies outside of the page"))
        elif edit.start < end:
            left.append((edit, "it meets another edit"))
        else:
            kept.append(edit)
            end = max(edit.end, edit.start + 1)
    return kept, left


def replace_extents(text: str, edits: Sequence[PageEdit]) -> str:
    """The text with edits that do not overlap; new lines end as the text's do."""
    after = text
    for edit in sorted(edits, key=lambda item: item.start, reverse=True):
        after = after[: edit.start] + put_in(edit, text) + after[edit.end :]
    return after


def put_in(edit: PageEdit, text: str) -> str:
    """What an edit writes, its lines ending as the text's do."""
    return edit.text.replace("\r\n", "\n").replace("\n", "\r\n" if "\r\n" in text else "\n")


def moved_back(edit: PageEdit, text: str, made: Iterable[PageEdit]) -> PageEdit | None:
    r"""An edit of what `made` edits make of a text, as an edit of the text itself; None where it meets one of them.

    >>> moved_back(PageEdit(LINK_TARGET, 10, 11, "y"), "# A\n[](x)", [PageEdit(HEADING_ID, 3, 3, " ##")])
    PageEdit(kind='link target', start=7, end=8, text='y')
    """
    shift = 0
    for each in sorted(made, key=lambda item: item.start):
        start = each.start + shift
        end = start + len(put_in(each, text))
        if edit.end <= start:
            break
        if edit.start < end:
            return None
        shift += end - start - (each.end - each.start)
    return edit._replace(start=edit.start - shift, end=edit.end - shift)


def changed_beside(before: Page, text: str, edits: Sequence[PageEdit], read: Read) -> str | None:
    """What a reader sees otherwise beside what the edits name, as a reason to leave them out; None for nothing."""
    after = read(replace_extents(text, edits))
    if not after.rendered:
        return "the page could not be read with it"
    lost = Counter(problem.rule for problem in after.problems) - Counter(problem.rule for problem in before.problems)
    if lost:
        return f"the page would have another problem: {next(iter(lost))}"
    extents = list(extents_of(text, edits))
    was, now = ([Item(*each) for each in readable_items(page)] for page in (before, after))
    kept = [item for item in was if not any(may_change(extent, item, extent.first, extent.last) for extent in extents)]
    stays = [
        item._replace(line=line_before(item.line, extents)) for item in now
        if not any(may_change(extent, item, extent.first_after, extent.last_after) for extent in extents)
    ]
    if kept != stays:
        other = (Counter(kept) - Counter(stays)) or (Counter(stays) - Counter(kept)) or kept
        item = min(other, key=lambda each: each.line)
        return f"it would change another thing: the {item.part} on line {item.line}"
    return next((reason for extent in extents if (reason := miss_reason(extent, extents, was, now))), None)


def may_change(extent: Extent, item: Item, first: int, last: int) -> bool:
    """Whether an edit may change an item."""
    return first <= item.line <= last and item.part in CHANGES[extent.edit.kind]


def miss_reason(extent: Extent, extents: Sequence[Extent], was: Sequence[Item], now: Sequence[Item]) -> str | None:
    """Why an edit does not change exactly what it names: one thing, which then is what the edit says."""
    edit = extent.edit
    if edit.kind == SECTION:
        return None
    if extent.last - extent.first != extent.last_after - extent.first_after:
        return "it would change the number of lines"
    old = [item for item in was if may_change(extent, item, extent.first, extent.last)]
    new = [item for item in now if may_change(extent, item, extent.first_after, extent.last_after)]
    if not old or len(old) != len(new):
        return f"there is no {edit.kind} to change here"
    together = sum(1 for other in extents if other.edit.kind == edit.kind and other.first <= extent.last
                   and extent.first <= other.last)
    changed = [item for item, one in zip(new, old, strict=True) if item.value != one.value and item.part == edit.kind]
    if edit.kind == CODE_BLOCK:
        return None
    if len(changed) > together:
        return f"it would change another {edit.kind} on its line"
    if edit.text and not any(str(item.value) in edit.text for item in changed):
        return f"the {edit.kind} would not be read as it is written"
    return None


def extents_of(text: str, edits: Sequence[PageEdit]) -> Iterator[Extent]:
    """The lines of each edit before and after all of them."""
    shift = 0
    for edit in sorted(edits, key=lambda item: item.start):
        first = len(split_lines(text[: edit.start] + "x"))
        covered, put_in = (len(split_lines(f"{part}x")) - 1 for part in (text[edit.start : edit.end], edit.text))
        whole = covered > 0 and edit.text.endswith("\n") and text[: edit.end].endswith("\n")
        last, last_after = first + covered - whole, first + put_in - whole
        yield Extent(edit, first, last, first + shift, last_after + shift)
        shift += put_in - covered


def line_before(line: int, extents: Sequence[Extent]) -> int:
    """The line of the text before the edits that a line after them was, for lines that no edit of many lines covers."""
    for extent in reversed(extents):
        if line > extent.last_after:
            return line - extent.last_after + extent.last
    return line


def readable_items(page: Page) -> Iterator[tuple[str, int, object]]:
    """All that a reader sees of a page and that a link can reach, part by part in the order of the text."""
    yield "front matter", 0, repr(page.meta)
    for heading in page.headings:
        words = heading.text.removesuffix(f"[[{heading.id}]]").rstrip()  # doc-builder's ids stand in the text
        yield "heading", heading.line, (heading.level, words)
        yield "heading id", heading.line, heading.id or f"~{heading.anchor}"  # written, or made of its words
    for fence in page.fences:
        yield "fence", fence.line, (fence.language, fence.end_line - fence.line if fence.end_line else 0)
        yield "code", fence.line + 1, fence.content
    for include in page.includes:
        yield "include", include.line, (include.path, include.section, include.first, include.last)
    for inclusion in page.inclusions:
        yield "include", inclusion.line, (inclusion.path, inclusion.lines)
    for link in page.links:
        yield "link", link.line, (link.text, link.image)
        yield "image target" if link.image else "link target", link.line, link.written or link.target
    for code in page.codes:
        yield "inline code", code.line, code.text
    for block in page.blocks:
        yield "text", block.line, (block.kind, block.text, block.depth)
    for anchor in page.anchors:
        yield "anchor", anchor.line, anchor.id
    for listing in page.lists:
        yield "list", listing.line, (listing.ordered, listing.items, listing.depth)
    for table in page.tables:
        yield "table", table.line, (table.rows, table.columns)
    for admonition in page.admonitions:
        yield "call-out", admonition.line, admonition.kind
    for markup in page.markup:
        yield "markup", markup.line, (markup.tag, markup.attribute, markup.value)
