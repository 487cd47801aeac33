"""Links of a translation against those of its source: matched by where they lead, not by their order."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial

from hexapla.checks.align import landing, sections
from hexapla.checks.context import Case, Document, Fix, Found
from hexapla.checks.identity import Identity, encyclopedia, file_name, host, identity, is_translated
from hexapla.checks.links import malformation
from hexapla.pages import Link, Page

Named = tuple[Identity, Link]


def differing(case: Case) -> Iterator[Found]:
    """Links that lead elsewhere than the source's, that are missing, that the source has not."""
    assert case.source is not None
    source = list(named(case, case.source))
    target = list(named(case, case.document))
    missing, extra = leftovers(case, source, target)
    pairs, missing, extra = elsewhere(case, missing, extra)
    for theirs, ours, certain in pairs:
        fix = retarget(case, theirs[1], ours[1]) if certain else None
        yield Found(
            "link-differs", f"this link leads to {ours[1].target!r}, the source's to {theirs[1].target!r}",
            "lead it to the source's page", ours[1].line, ours[1].column, theirs[1].line, fix=fix,
        )
    for _, link in missing:
        line = landing(case.original, case.page, link.line)
        message = f"the source links to {link.target!r} ({shown(link.text)}) here"
        yield Found("link-missing", message, "put the link back", line, 1, link.line)
    for _, link in extra:
        message = f"the source has no link to {link.target!r}"
        yield Found("link-extra", message, "take it out, or add it to the source", link.line, link.column)


def named(case: Case, document: Document) -> Iterator[Named]:
    """The links of a page that can be compared, with what they stand for."""
    for link in document.page.links:
        if not link.image and link.target and not (document is case.document and malformation(link)):
            yield identity(case, document, link), link


def leftovers(case: Case, source: Sequence[Named], target: Sequence[Named]) -> tuple[list[Named], list[Named]]:
    """What is on one side alone. Links of a section are matched first, in order; then those that were moved."""
    missing, extra = in_sections(case, source, target)
    translated = partial(page_of_translated, case.source.language if case.source else "")
    for theirs_key, ours_key in ((itself, itself), (written, written), (page_of, translated)):
        moved = Counter(map(theirs_key, missing)) & Counter(map(ours_key, extra))
        missing, extra = without(missing, moved.copy(), theirs_key), without(extra, moved, ours_key)
    return missing, extra


def in_sections(case: Case, source: Sequence[Named], target: Sequence[Named]) -> tuple[list[Named], list[Named]]:
    """The links that the same section of the other page has not, or not as often."""
    matching = dict(sections(case.original, case.page))
    theirs, ours = defaultdict(list), defaultdict(list)
    for item in source:
        theirs[matching.get(case.original.section(item[1].line), -2)].append(item)
    for item in target:
        ours[case.page.section(item[1].line)].append(item)
    missing, extra = [], []
    for section in sorted(theirs.keys() | ours.keys()):
        left, right = theirs[section], ours[section]
        matcher = SequenceMatcher(None, [name for name, _ in left], [name for name, _ in right], autojunk=False)
        for tag, first, last, start, end in matcher.get_opcodes():
            if tag != "equal":
                missing += left[first:last]
                extra += right[start:end]
    return missing, extra


def itself(item: Named) -> object:
    """What a link stands for."""
    return item[0]


def written(item: Named) -> object:
    """A target as it stands: the same words in two languages mean the same place, also where only one has it."""
    return item[1].target


def page_of(item: Named) -> object:
    """The page of another site, without the id in it; any page of an encyclopedia, their names being translated."""
    kind, name, *_ = item[0]
    return encyclopedia(name) or name.partition("#")[0] if kind == "address" else item[0]


def page_of_translated(source_language: str, item: Named) -> object:
    """The same, of a link into a translated page, whose ids are translated too; what no source's link is elsewhere."""
    return page_of(item) if is_translated(item[1].target, source_language) else ""


def without(items: Iterable[Named], moved: Counter[object], key: Callable[[Named], object]) -> list[Named]:
    """The items that are not among the moved ones, each counted once."""
    kept = []
    for item in items:
        if moved[key(item)] > 0:
            moved[key(item)] -= 1
        else:
            kept.append(item)
    return kept


def elsewhere(
    case: Case, missing: list[Named], extra: list[Named]
) -> tuple[list[tuple[Named, Named, bool]], list[Named], list[Named]]:
    """Pairs of a missing and an extra link that stand for each other, and whether that is certain; and the rest.

    They do where the same section of both pages has them. It is certain where the section has one of each.
    """
    matching = dict(sections(case.original, case.page))
    theirs: dict[int, list[Named]] = {}
    ours: dict[int, list[Named]] = {}
    for item in missing:
        theirs.setdefault(matching.get(case.original.section(item[1].line), -2), []).append(item)
    for item in extra:
        ours.setdefault(case.page.section(item[1].line), []).append(item)
    pairs: list[tuple[Named, Named, bool]] = []
    for section in theirs.keys() & ours.keys():
        left, right = theirs[section], ours[section]
        certain = len(left) == len(right) == 1
        for item in sorted(left, key=lambda item: item[1].line):
            if right:
                best = max(right, key=lambda other: (likeness(item, other), -right.index(other)))
                right.remove(best)
                pairs.append((item, best, certain))
        theirs[section] = [item for item in left if all(item is not pair[0] for pair in pairs)]
    pairs.sort(key=lambda pair: pair[1][1].line)
    return pairs, [item for items in theirs.values() for item in items], [i for items in ours.values() for i in items]


def likeness(source: Named, target: Named) -> int:
    """How much two links have in common: their text, their page or host, both leading into the tree."""
    first, second = source[1], target[1]
    same_text = bool(first.text) and first.text == second.text and first.text.strip("\ufffc ") != ""
    same_page = source[0][:2] == target[0][:2] or (host(first.target) and host(first.target) == host(second.target))
    return 4 * same_text + 2 * bool(same_page) + (source[0][0] == target[0][0])


def retarget(case: Case, theirs: Link, ours: Link) -> Fix | None:
    """Put the source's target in, where it leads to the same page from here as it does from there."""
    assert case.source is not None
    if ours.offset < 0 or theirs.offset < 0:
        return None
    there = case.tree.resolve(case.source.path, case.source.language, theirs.target)
    here = case.tree.resolve(case.document.path, case.document.language, theirs.target)
    if (there and there.name) != (here and here.name) or (here is not None and not here.exists):
        return None
    return Fix(ours.offset, ours.offset + len(ours.written), theirs.written)


def shown(text: str) -> str:
    """A link's text as it is quoted in a message."""
    return text.replace("\ufffc", "`…`") or "no text"


def images(case: Case) -> Iterator[Found]:
    """Images that a translation lacks or has more of; a localised copy of the same name counts as the same."""
    source = [link for link in case.original.links if link.image and link.target]
    target = [link for link in case.page.links if link.image and link.target]
    spare = Counter(file_name(link.target) for link in target)
    for link in source:
        name = file_name(link.target)
        if spare[name]:
            spare[name] -= 1
            continue
        line = landing(case.original, case.page, link.line)
        yield Found("image-differs", f"the source shows {link.target!r}", "show it here too", line, 1, link.line)
    for link in reversed(target):
        name = file_name(link.target)
        if spare[name]:
            spare[name] -= 1
            message = f"the source does not show {link.target!r}"
            yield Found("image-differs", message, "take it out, or add it to the source", link.line, link.column)


def new_hosts(case: Case) -> Iterator[Found]:
    """Addresses at a host that the source page never names, as a phisher would put them in."""
    known = hosts(case.original)
    for link in case.page.links:
        name = host(link.target)
        if name and name not in known and name not in case.original.text:
            known.add(name)
            yield Found(
                "link-host-new", f"the source page never names {name}", "make sure that this address is meant",
                link.line, link.column,
            )


def hosts(page: Page) -> set[str]:
    """All hosts that a page links to."""
    return {host(link.target) for link in page.links}


