"""Links of a translation against those of its source: matched by where they lead, not by their order."""

from collections import Counter
from collections.abc import Iterator

from hexapla.checks.alignment import find_landing
from hexapla.checks.context import Document, RuleContext, Violation, absent
from hexapla.checks.rules.links.identity import file_name, host_of, is_localized, link_identity
from hexapla.checks.rules.links.matching import Named, in_sections, is_mended, pair_elsewhere, take_off_moved
from hexapla.checks.rules.links.swaps import find_swapped
from hexapla.checks.rules.links.targets import describe_malformation
from hexapla.pages import Link
from hexapla.pages.edits import LINK_TARGET, PageEdit


def differing(context: RuleContext) -> Iterator[Violation]:
    """Links that lead elsewhere than the source's, that are missing, that the source has not."""
    assert context.source is not None
    source = list(identify_links(context, context.source))
    target = list(identify_links(context, context.document))
    missing, extra = in_sections(context, source, target)
    pairs = find_swapped(context, source, target, in_order=not missing and not extra)
    if not missing and not extra and not pairs:
        return
    seen = {id(item) for pair in pairs for item in pair[:2]}
    missing, extra = in_sections(
        context, [item for item in source if id(item) not in seen], [item for item in target if id(item) not in seen]
    )
    missing, extra = take_off_moved(context, missing, extra)
    more, missing, extra = pair_elsewhere(context, missing, extra)
    for theirs, ours, certain in sorted(pairs + more, key=lambda pair: pair[1][1].line):
        if is_mended(context, theirs[1], ours[1]):
            continue
        chosen = is_localized(ours[1].target, context.document.language)
        fix = retarget_link(context, theirs[1], ours[1]) if certain and not chosen else None
        yield Violation(
            "link-differs", ours[1].target,
            f"this link leads to {ours[1].target!r}, the source's to {theirs[1].target!r}",
            "lead it to the source's page", ours[1].line, ours[1].column, theirs[1].line, fix,
        )
    for _, link in missing:
        line = find_landing(context.original, context.page, link.line)
        message = f"the source links to {link.target!r} ({link.text or 'no text'}) here"
        yield Violation("link-missing", link.target, message, "put the link back", line, 1, link.line)
    for _, link in extra:
        message = f"the source has no link to {link.target!r}"
        yield Violation("link-extra", link.target, message, "take it out, or add it to the source", link.line,
                        link.column)


def identify_links(context: RuleContext, document: Document) -> Iterator[Named]:
    """The links of a page that can be compared, with what they stand for."""
    for link in document.page.links:
        if not link.image and link.target and not (document is context.document and describe_malformation(link)):
            yield link_identity(context, document, link), link


def retarget_link(context: RuleContext, theirs: Link, ours: Link) -> PageEdit | None:
    """Put the source's target in, where it leads to the same page from here as it does from there."""
    assert context.source is not None
    if ours.offset < 0 or theirs.offset < 0:
        return None
    there = context.tree.resolve(context.source.path, context.source.language, theirs.target)
    here = context.tree.resolve(context.document.path, context.document.language, theirs.target)
    if (there and there.name) != (here and here.name) or (here is not None and not here.exists):
        return None
    return PageEdit(LINK_TARGET, ours.offset, ours.offset + len(ours.written), theirs.written)


def images(context: RuleContext) -> Iterator[Violation]:
    """Images that a translation lacks or has more of; a localised copy of the same name counts as the same."""
    source = [link for link in context.original.links if link.image and link.target]
    target = [link for link in context.page.links if link.image and link.target]
    spare = Counter(file_name(link.target) for link in target)
    for link in source:
        name = file_name(link.target)
        if spare[name]:
            spare[name] -= 1
            continue
        line = find_landing(context.original, context.page, link.line)
        yield Violation("image-differs", absent(link.target), f"the source shows {link.target!r}", "show it here too",
                        line, 1, link.line)
    for link in reversed(target):
        name = file_name(link.target)
        if spare[name]:
            spare[name] -= 1
            message = f"the source does not show {link.target!r}"
            yield Violation("image-differs", link.target, message, "take it out, or add it to the source", link.line,
                            link.column)


def new_hosts(context: RuleContext) -> Iterator[Violation]:
    """Addresses at a host that the source page never names, as a phisher would put them in."""
    known = {host_of(link.target) for link in context.original.links}
    for link in context.page.links:
        name = host_of(link.target)
        if name and name not in known and name not in context.original.text:
            known.add(name)
            yield Violation(
                "link-host-new", name, f"the source page never names {name}", "make sure that this address is meant",
                link.line, link.column,
            )
