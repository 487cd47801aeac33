"""Ids of headings: the same in every language, written out, and one of each on a page."""

from collections.abc import Iterator

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.pages import Anchor, Heading, Page
from hexapla.pages.edits import HEADING_ID, PageEdit


def unpinned(context: RuleContext) -> Iterator[Violation]:
    """Headings whose id is made of their words, so that it is another one in each language, where one can be written.
    """
    if not can_write_ids(context):
        return
    if context.source is None:
        if not context.tree.translated(context.document.name):
            return
        for heading in context.page.headings:
            if heading.id is None and heading.anchor:
                yield unpinned_heading(context, heading, heading.anchor, None)
        return
    for source, target in alignment.headings(context.original.headings, context.page.headings):
        if target is None or target.id is not None:
            continue
        if (target.anchor if source is None else source.anchor and source.anchor != target.anchor):
            yield unpinned_heading(context, target, source.anchor if source else "", source)


def unpinned_heading(context: RuleContext, heading: Heading, wanted: str, source: Heading | None) -> Violation:
    """One heading without an id, and the edit that gives it one where which one is certain."""
    message = f"the id of {heading.text!r} is made of its words: #{heading.anchor}" if heading.anchor else (
        f"the heading {heading.text!r} has no id")  # `{# x }` is none
    hint = f"end the heading with{(wanted or 'short-name').join(context.settings.pin)}"
    certain = (wanted and heading.anchor not in {"", wanted}) or context.source is None
    fix = pin_heading(context, heading, wanted) if certain else None
    return Violation("anchor-unpinned", heading.text, message, hint, heading.line, heading.column,
                     source.line if source else None, fix, heading.anchor)


def can_write_ids(context: RuleContext) -> bool:
    """Whether the tree's engine reads an id that is written on a heading, as `context.settings.pin` has it.

    Of a framework that may or may not read it a page of the source shows it, by an id of its own.
    """
    pinning = context.tree.layout.framework.pinning
    if pinning == "attr_list":
        extensions = context.tree.layout.extensions
        names = {name.rpartition(".")[2] for name in extensions or ()}
        return extensions is None or bool(names & {"attr_list", "extra"})
    return pinning == "always" or (
        pinning == "shown" and shows_ids(context.page if context.source is None else context.original))


@memoized
def shows_ids(page: Page) -> bool:
    """Whether a heading of a page has its id written behind its text."""
    return any(heading.id and f"{{#{heading.id}" in page.lines[heading.line - 1] for heading in page.headings)


def pin_heading(context: RuleContext, heading: Heading, anchor: str) -> PageEdit | None:
    """Write `{#anchor}` after a heading's text, where its line can be told."""
    lines = context.page.lines
    line = lines[heading.line - 1].rstrip("\r\n")
    body = line.rstrip(" \t").rstrip("#").rstrip(" \t") if line.lstrip().startswith("#") else line.rstrip()
    if not body.endswith(heading.text) or not anchor:
        return None
    start = alignment.line_starts(lines)[heading.line - 1]
    return PageEdit(HEADING_ID, start + len(body), start + len(line), anchor.join(context.settings.pin))


def differing(context: RuleContext) -> Iterator[Violation]:
    """Headings that stand for each other and have two ids."""
    known = {heading.anchor: heading for heading in context.original.headings}
    pairs = alignment.headings(context.original.headings, context.page.headings)
    for number, (source, target) in enumerate(pairs):
        if source is None or target is None or target.id in {None, source.anchor} or not source.anchor:
            continue
        if target.id in known and not has_id_of_another(context, source, target, known[target.id]):
            continue
        if any(None in pair for pair in pairs[max(number - 1, 0) : number + 2]) and not (
            alignment.kept_words(source.anchor.replace("_", "-")) & alignment.kept_words(target.id.replace("_", "-"))
        ):
            continue  # beside a heading that stands alone, another one that does may have been taken for its like
        starts = alignment.line_starts(context.page.lines)
        place = context.page.text.find(f"#{target.id}", *starts[target.line - 1 : target.line + 1])
        written = source.id and place >= 0
        fix = PageEdit(HEADING_ID, place + 1, place + 1 + len(target.id), source.anchor) if written else None
        yield Violation(
            "anchor-differs", str(target.id), f"this heading's id is {target.id!r}, the source's is {source.anchor!r}",
            "give it the source's id", target.line, target.column, source.line, fix,
        )


def has_id_of_another(context: RuleContext, source: Heading, target: Heading, other: Heading) -> bool:
    """Whether a heading has the id of another one of its source's, though its section says what its own says.

    A section that was moved has its id with it, and says what the other one's says.
    """
    here, there = unchanged_words(context.page), unchanged_words(context.original)
    own, mine, others = (words.get(page.section(heading.line), frozenset()) for words, page, heading in (
        (here, context.page, target), (there, context.original, source), (there, context.original, other)))
    return shared_part(mine, own) > max(2 * shared_part(others, own), 0.2)


@memoized
def unchanged_words(page: Page) -> dict[int, frozenset[str]]:
    """What no translation changes in each section of a page: words in Latin letters, code, targets."""
    said: dict[int, list[str]] = {}
    for line, text in (
        *((block.line, block.text) for block in page.blocks), *((code.line, code.text) for code in page.codes),
        *((fence.line, fence.content) for fence in page.fences), *((item.line, item.path) for item in page.inclusions),
        *((item.line, item.path) for item in page.includes), *((link.line, link.target) for link in page.links),
    ):
        said.setdefault(page.section(line), []).append(text)
    return {section: alignment.kept_words(" ".join(texts)) for section, texts in said.items()}


def shared_part(first: frozenset[str], second: frozenset[str]) -> float:
    """How much of what either says both say."""
    return len(first & second) / len(first | second) if first | second else 0.0


def is_written(context: RuleContext, anchor: Anchor) -> bool:
    """Whether an id stands on its line as one; what a component makes of its title is none."""
    line = context.page.lines[anchor.line - 1]
    return any(f"{mark}{anchor.id}" in line for mark in ('="', "='", "=", "#"))


def duplicated(context: RuleContext) -> Iterator[Violation]:
    """Ids that two places of a page have: the place that the source has under it keeps it, else the first one."""
    pairs = alignment.headings(context.original.headings, context.page.headings) if context.source else ()
    wanted = {target.line: source.id or source.anchor for source, target in pairs if source and target}
    written = [(heading.id, heading.line, heading.column) for heading in context.page.headings if heading.id]
    written += [(anchor.id, anchor.line, anchor.column) for anchor in context.page.anchors
                if is_written(context, anchor)]
    places: dict[str, dict[int, int]] = {}  # by id the columns of its places, by line
    for name, line, column in written:
        places.setdefault(name, {}).setdefault(line, column)
    for name, columns in places.items():
        kept = min(columns, key=lambda line: (wanted.get(line) != name, line))
        for line in sorted(columns.keys() - {kept}):
            hint = f"give it the source's id {own!r}" if (own := wanted.get(line)) and own != name else (
                "give it an id of its own")
            message = f"a second place with the id {name!r}"
            yield Violation("anchor-duplicate", name, message, hint, line, columns[line])

