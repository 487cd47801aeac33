"""Which links of a translation and of its source stand for each other where they do not lead to the same place."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Sequence
from operator import itemgetter

from hexapla.checks.alignment import blocks as aligned
from hexapla.checks.alignment import blocks_by_section, matched_sections
from hexapla.checks.context import Document, RuleContext
from hexapla.checks.rules.links.identity import ANY, Identity, encyclopedia_host, host_of, is_translated
from hexapla.checks.rules.links.targets import describe_malformation
from hexapla.pages import Block, Link, Page
from hexapla.sequences import opcodes

COMPARED = 50  # links with the same words, page or block that one link is compared with
DEFINITION = re.compile(r"[ \t]*\[[^\[\]]+\]:[ \t]")
Named = tuple[Identity, Link]
Key = Callable[[Named], object]
Pair = tuple[Named, Named, bool]  # the source's link, the translation's, and whether it is certain that they pair


def take_off_moved(context: RuleContext, missing: list[Named], extra: list[Named]) -> tuple[list[Named], list[Named]]:
    """What is on one side alone, when links that were moved are taken off."""
    for theirs_key, ours_key in matching_keys(context):
        moved = Counter(map(theirs_key, missing)) & Counter(map(ours_key, extra))
        missing, extra = without_moved(missing, moved.copy(), theirs_key), without_moved(extra, moved, ours_key)
    return missing, extra


def matching_keys(context: RuleContext) -> tuple[tuple[Key, Key], ...]:
    """What a link of the source and one of the translation have in common where they lead to the same place.

    A key that is "", None or False is none of the other side's.
    """
    language = context.source.language if context.source else ""
    return (
        (itemgetter(0), itemgetter(0)),
        # The same words in two languages mean the same place, also where only one has it.
        (lambda item: item[1].target, lambda item: item[1].target),
        # Ids of translated pages are translated too.
        (page_of, lambda item: page_of(item) if is_translated(item[1].target, language) else ""),
        # A heading whose counterpart cannot be told.
        (lambda item: item[0][:2], lambda item: item[0][:2] if item[0][2:] == (ANY,) else ""),
        (path_of_page, path_of_address), (path_of_address, path_of_page),
    )


def in_sections(
    context: RuleContext, source: Sequence[Named], target: Sequence[Named]
) -> tuple[list[Named], list[Named]]:
    """The links that the same section of the other page has not, or not as often."""
    theirs, ours = by_section(context, source, target)
    missing, extra = [], []
    for section in sorted(theirs.keys() | ours.keys()):
        left, right = theirs[section], ours[section]
        for tag, first, last, start, end in opcodes([name for name, _ in left], [name for name, _ in right]):
            if tag != "equal":
                missing += left[first:last]
                extra += right[start:end]
    return missing, extra


def by_section(
    context: RuleContext, source: Iterable[Named], target: Iterable[Named]
) -> tuple[defaultdict[int, list[Named]], defaultdict[int, list[Named]]]:
    """The links of both sides by the translation's section, those of the source that have none by -2."""
    matching = matched_sections(context.original, context.page)
    theirs, ours = defaultdict[int, list[Named]](list), defaultdict[int, list[Named]](list)
    for item in source:
        theirs[matching.get(context.original.section(item[1].line), -2)].append(item)
    for item in target:
        ours[context.page.section(item[1].line)].append(item)
    return theirs, ours


def page_of(item: Named) -> object:
    """The page of another site, without the id in it; any page of an encyclopedia, their names being translated."""
    kind, name, *_ = item[0]
    return encyclopedia_host(name) or name.partition("#")[0] if kind == "address" else item[0]


def path_of_page(item: Named) -> object:
    """Where on its site a page of the tree lies; None for another link."""
    return f"{item[0][1]}#{item[0][2]}" if item[0][0] == "page" else None


def path_of_address(item: Named) -> object:
    """Where on its site an address with a host leads; False for another link."""
    return item[0][1].partition("/")[2].replace("?", "") if item[0][0] == "address" else False


def without_moved(items: Iterable[Named], moved: Counter[object], key: Key) -> list[Named]:
    """The items that are not among the moved ones, each counted once."""
    kept = []
    for item in items:
        if moved[key(item)] > 0:
            moved[key(item)] -= 1
        else:
            kept.append(item)
    return kept


def pair_elsewhere(
    context: RuleContext, missing: list[Named], extra: list[Named]
) -> tuple[list[Pair], list[Named], list[Named]]:
    """Pairs of a missing and an extra link that stand for each other, and whether that is certain; and the rest.

    They do where their words or their page are the same; and where blocks that stand for each other have them, and for
    certain where the section has one of each, if it has the source's shape, as most of the page, or paths are alike.
    """
    theirs, ours = by_section(context, missing, extra)
    numbers = {second: first for first, second in matched_sections(context.original, context.page).items()}
    steady = of_one_shape(context.original, context.page)
    pairs: list[Pair] = []
    for section in theirs.keys() & ours.keys():
        there = blocks_by_section(context.original).get(numbers[section], [])
        here = blocks_by_section(context.page).get(section, [])
        found = section_pairs(context, steady, (there, here), theirs[section], ours[section])
        pairs += found
        paired = {id(item) for pair in found for item in pair[:2]}
        theirs[section], ours[section] = ([item for item in side[section] if id(item) not in paired]
                                          for side in (theirs, ours))
    return pairs, [item for items in theirs.values() for item in items], [i for items in ours.values() for i in items]


def section_pairs(
    context: RuleContext, steady: bool, blocks: tuple[list[Block], list[Block]], left: list[Named], right: list[Named]
) -> list[Pair]:
    """The pairs of one section; `blocks` are the source's and the translation's, `steady` says that most are alike.

    A link is compared with those alone that have its words, its page or its block, and with the first of many.
    """
    there, here = blocks
    certain = len(left) == len(right) == 1
    stands_for = {id(a): id(b) for a, b in aligned(there, here)}
    alike = steady and [block.kind for block in there] == [block.kind for block in here]
    first_of, second_of = block_finder(context.original, there), block_finder(context.page, here)
    own_blocks = [id(second_of(item[1])) for item in right]
    buckets: defaultdict[object, deque[int]] = defaultdict(deque)
    for number, other in enumerate(right):
        for key in {("text", other[1].text), ("page", other[0][:2]), ("block", own_blocks[number])}:
            buckets[key].append(number)
    taken: set[int] = set()
    pairs: list[Pair] = []
    for item in sorted(left, key=lambda item: item[1].line):
        expected = stands_for.get(id(first_of(item[1])))
        numbers = {number for key in (("text", item[1].text), ("page", item[0][:2]), ("block", expected))
                   if key in buckets for number in first_free_numbers(buckets[key], taken)}
        near = [
            number for number in ({0} - taken if certain else numbers)
            if (link_likeness(item, right[number]) > 3 and (steady or item[1].text == right[number][1].text))
            or ((certain or own_blocks[number] == expected) and (alike or paths_alike(item, right[number])))
        ]
        if near:
            best = max(near, key=lambda number: (link_likeness(item, right[number]), -number))
            taken.add(best)
            pairs.append((item, right[best], certain))
    return pairs


def first_free_numbers(numbers: deque[int], taken: Container[int]) -> list[int]:
    """The first numbers that are not taken, COMPARED at most; taken ones before them are dropped."""
    found: list[int] = []
    while numbers and len(found) < COMPARED:
        if (number := numbers.popleft()) not in taken:
            found.append(number)
    numbers.extendleft(reversed(found))
    return found


def of_one_shape(source: Page, target: Page) -> bool:
    """Whether at least half of the sections have the source's blocks: the source was not written anew since."""
    first, second = blocks_by_section(source), blocks_by_section(target)
    pairs = [(first.get(a, []), second.get(b, [])) for a, b in matched_sections(source, target).items()]
    same = [[block.kind for block in there] == [block.kind for block in here] for there, here in pairs if there or here]
    return 2 * sum(same) >= len(same)


def paths_alike(source: Named, target: Named) -> bool:
    """Whether two links have a host in common and at least half of their paths."""
    targets = source[1].target, target[1].target
    if host_of(targets[0]) != host_of(targets[1]) or targets[0][:1] == targets[1][:1] == "#":
        return False
    first, second = (set(re.split(r"[/#?]", item[0][1])) - {""} for item in (source, target))
    return 2 * len(first & second) >= len(first | second)


def block_finder(page: Page, blocks: Sequence[Block]) -> Callable[[Link], Block | None]:
    """What gives the last block that starts above a link or on its line before it; None for one in a definition."""
    starts = [(block.line, block.column) for block in blocks]

    def block_of(link: Link) -> Block | None:
        if DEFINITION.match(page.lines[link.line - 1]):
            return None
        above = bisect_right(starts, (link.line, link.column))
        return blocks[above - 1] if above else None

    return block_of


def link_likeness(source: Named, target: Named) -> int:
    """How much two links have in common: their words or their page of the tree, their host, both leading into it."""
    first, second = source[1], target[1]
    same_text = bool(first.text) and first.text == second.text and first.text.strip("\ufffc ") != ""
    same_page = source[0][0] == "page" and source[0][:2] == target[0][:2]
    same_host = host_of(first.target) and host_of(first.target) == host_of(second.target)
    return 4 * (same_text or same_page) + 2 * bool(same_host) + (source[0][0] == target[0][0])


def is_mended(context: RuleContext, theirs: Link, ours: Link) -> bool:
    """Whether a translation's link leads somewhere and the source's nowhere: the translator corrected it."""
    assert context.source is not None
    return link_works(context, context.document, ours) is True and link_works(context, context.source, theirs) is False


def link_works(context: RuleContext, document: Document, link: Link) -> bool | None:
    """Whether a link leads to a page, a file or an id of the tree that is there; None where nobody can know."""
    leads = context.tree.resolve(document.path, document.language, link.target, link.image)
    if leads is None:
        return False if describe_malformation(link) or link.target.startswith("(") else None
    ids = context.tree.ids(leads.path) if leads.exists else None
    return leads.exists and (ids is None or not leads.anchor or ids.open or leads.anchor in ids)
