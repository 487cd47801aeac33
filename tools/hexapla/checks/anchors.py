"""Ids of headings: the same in every language, written out, and one of each on a page."""

from collections.abc import Iterator

from hexapla.checks import align
from hexapla.checks.context import Case, Fix, Found
from hexapla.pages import Heading, Page


def unpinned(case: Case) -> Iterator[Found]:
    """Headings whose id is made of their words, so that it is another one in each language."""
    if case.source is None:
        if not case.tree.translated(case.document.name):
            return
        for heading in case.page.headings:
            if heading.id is None and heading.anchor:
                yield finding(case, heading, heading.anchor, None)
        return
    for source, target in align.headings(case.original.headings, case.page.headings):
        if target is None or target.id is not None:
            continue
        if (target.anchor if source is None else source.anchor and source.anchor != target.anchor):
            yield finding(case, target, source.anchor if source else "", source)


def finding(case: Case, heading: Heading, wanted: str, source: Heading | None) -> Found:
    """One heading without an id, and the edit that gives it one where which one is certain."""
    message = f"the id of {heading.text!r} is made of its words: #{heading.anchor}" if heading.anchor else (
        f"the heading {heading.text!r} has no id")  # `{# x }` is none
    before, after = case.settings.pin
    hint = f"end the heading with{before}{wanted or 'short-name'}{after}"
    fix = pin(case, heading, wanted) if (wanted and heading.anchor not in {"", wanted}) or case.source is None else None
    return Found("anchor-unpinned", message, hint, heading.line, heading.column, source.line if source else None,
                 key=heading.anchor, fix=fix)


def pin(case: Case, heading: Heading, anchor: str) -> Fix | None:
    """Write `{#anchor}` after a heading's text, where its line can be told."""
    lines = case.page.lines
    line = lines[heading.line - 1].rstrip("\r\n")
    body = line.rstrip(" \t").rstrip("#").rstrip(" \t") if line.lstrip().startswith("#") else line.rstrip()
    if not body.endswith(heading.text) or not anchor:
        return None
    start = sum(map(len, lines[: heading.line - 1])) + len(body)
    end = sum(map(len, lines[: heading.line - 1])) + len(line)
    return Fix(start, end, anchor.join(case.settings.pin))


def differing(case: Case) -> Iterator[Found]:
    """Headings that stand for each other and have two ids."""
    known = {heading.anchor: heading for heading in case.original.headings}
    pairs = align.headings(case.original.headings, case.page.headings)
    for number, (source, target) in enumerate(pairs):
        if source is None or target is None or target.id in {None, source.anchor} or not source.anchor:
            continue
        if target.id in known and not astray(case, source, target, known[target.id]):
            continue
        if any(None in pair for pair in pairs[max(number - 1, 0) : number + 2]) and not (
            align.kept_words(source.anchor.replace("_", "-")) & align.kept_words(target.id.replace("_", "-"))
        ):
            continue  # beside a heading that stands alone, another one that does may have been taken for its like
        start = line_start(case, target.line)
        place = case.page.text.find(f"#{target.id}", start)
        fix = Fix(place + 1, place + 1 + len(target.id), source.anchor) if source.id and place >= 0 else None
        yield Found(
            "anchor-differs", f"this heading's id is {target.id!r}, the source's is {source.anchor!r}",
            "give it the source's id", target.line, target.column, source.line, fix=fix,
        )


def astray(case: Case, source: Heading, target: Heading, other: Heading) -> bool:
    """Whether a heading has the id of another one of its source's, though its section says what its own says.

    A section that was moved has its id with it, and says what the other one's says.
    """
    here = kept(case.page, target)
    return shared(kept(case.original, source), here) > max(2 * shared(kept(case.original, other), here), 0.2)


def kept(page: Page, heading: Heading) -> frozenset[str]:
    """What no translation changes in a section: words in Latin letters, code, targets."""
    section = page.section(heading.line)
    said = [block.text for block in page.blocks if page.section(block.line) == section]
    said += [code.text for code in page.codes if page.section(code.line) == section]
    said += [fence.content for fence in page.fences if page.section(fence.line) == section]
    said += [shown.path for shown in page.inclusions if page.section(shown.line) == section]
    said += [shown.path for shown in page.includes if page.section(shown.line) == section]
    said += [link.target for link in page.links if page.section(link.line) == section]
    return align.kept_words(" ".join(said))


def shared(first: frozenset[str], second: frozenset[str]) -> float:
    """How much of what either says both say."""
    return len(first & second) / len(first | second) if first | second else 0.0


def duplicated(case: Case) -> Iterator[Found]:
    """Ids that two places of a page have: the place that the source has under it keeps it, else the first one."""
    pairs = align.headings(case.original.headings, case.page.headings) if case.source else ()
    wanted = {target.line: source.id or source.anchor for source, target in pairs if source and target}
    written = [(heading.id, heading.line, heading.column) for heading in case.page.headings if heading.id]
    written += [(anchor.id, anchor.line, anchor.column) for anchor in case.page.anchors]
    places: dict[str, dict[int, int]] = {}  # by id the columns of its places, by line
    for name, line, column in written:
        places.setdefault(name, {}).setdefault(line, column)
    for name, columns in places.items():
        kept = min(columns, key=lambda line: (wanted.get(line) != name, line))
        for line in sorted(columns.keys() - {kept}):
            hint = f"give it the source's id {own!r}" if (own := wanted.get(line)) and own != name else (
                "give it an id of its own")
            yield Found("anchor-duplicate", f"a second place with the id {name!r}", hint, line, columns[line], key=name)


def line_start(case: Case, line: int) -> int:
    """The offset of a line's first character."""
    return sum(map(len, case.page.lines[: line - 1]))
