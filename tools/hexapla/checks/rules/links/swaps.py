"""Links of a section that have each other's target: their words tell, or the blocks that they stand in."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext
from hexapla.checks.memo import memoized
from hexapla.checks.rules.links.matching import Named, Pair, matching_keys
from hexapla.checks.rules.text.prose import squeeze_text
from hexapla.checks.rules.text.terms import compile_lexicon, terms_by_rendering
from hexapla.pages import Block, Code, Link, Page

Naming = Callable[[str], str]  # what words name


def find_swapped(context: RuleContext, source: Sequence[Named], target: Sequence[Named], in_order: bool) -> list[Pair]:
    """Pairs of links that stand for each other and lead to two places, both of which the other page links to.

    Targets `in_order` may have words that changed places.
    """
    found = [*by_meaning(context, source, target), *(() if in_order else by_block(context, source, target))]
    places = [{item[0] for item in side} for side in (source, target)]
    pairs: list[Pair] = []
    seen: set[int] = set()
    for theirs, ours, certain in found:
        if not seen.isdisjoint({id(theirs), id(ours)}):
            continue
        seen |= {id(theirs), id(ours)}
        if theirs[0] != ours[0] and theirs[0] in places[1] and ours[0] in places[0] and not any(
            mine(theirs) == yours(ours) for mine, yours in matching_keys(context)
        ):
            pairs.append((theirs, ours, certain))
    return pairs


def by_meaning(context: RuleContext, source: Sequence[Named], target: Sequence[Named]) -> Iterator[Pair]:
    """Links with the same words, or that name one heading or one term, the only ones of their section to do so."""
    matching = alignment.matched_sections(context.original, context.page)
    first, second = context.original, context.page
    there = [(matching.get(first.section(item[1].line), -2), link_words(first, item[1]), item) for item in source]
    here = [(second.section(item[1].line), link_words(second, item[1]), item) for item in target]
    for theirs_named, ours_named in ((str, str), name_headings(context), name_terms(context)):
        theirs, ours = only_ones(there, theirs_named), only_ones(here, ours_named)
        for place in theirs.keys() & ours.keys():
            yield theirs[place], ours[place], True


def only_ones(items: Iterable[tuple[int, str, Named]], named: Naming) -> dict[tuple[int, str], Named]:
    """Links by their section and what their words name, those alone that no other link of the section names."""
    found: dict[tuple[int, str], list[Named]] = defaultdict(list)
    for section, text, item in items:
        found[section, named(text)].append(item)
    return {place: same[0] for place, same in found.items() if place[1] and len(same) == 1}


def link_words(page: Page, link: Link) -> str:
    """A link's text, that of inline code in it too; "" where it has no letter."""
    if link.text.strip("\ufffc "):
        return link.text
    before = [code for code in codes_by_line(page).get(link.line, ()) if code.column < link.column]
    return before[-1].text if before else ""


@memoized
def codes_by_line(page: Page) -> dict[int, list[Code]]:
    found: dict[int, list[Code]] = {}
    for code in page.codes:
        found.setdefault(code.line, []).append(code)
    return found


def name_headings(context: RuleContext) -> tuple[Naming, Naming]:
    """Which heading of the page words are, on either side; "" for none."""
    paired = alignment.headings(context.original.headings, context.page.headings)
    pairs = [(one, other) for one, other in paired if one and other]
    theirs, ours = ([squeeze_text(pair[side].text) for pair in pairs] for side in (0, 1))

    def naming(texts: list[str]) -> Naming:
        places, often = {text: place for place, text in enumerate(texts)}, Counter(texts)
        return lambda text: str(places[text]) if often[text := squeeze_text(text)] == 1 else ""

    return naming(theirs), naming(ours)


def name_terms(context: RuleContext) -> tuple[Naming, Naming]:
    """Which term of the glossary words are, on either side; "" for none."""
    known = compile_lexicon(context.settings.terms).found
    agreed = terms_by_rendering(context.settings.terms, context.document.language)

    def there(text: str) -> str:
        return term[1] if (term := known.fullmatch(text.lower())) else ""

    return there, lambda text: agreed.get(text) or there(text)


def by_block(context: RuleContext, source: Sequence[Named], target: Sequence[Named]) -> Iterator[Pair]:
    """Links of two blocks, each with a link more and one less, in a section of the source's shape that is right else.

    Items and rows may be put in another order: there, what else they say must tell that they were not.
    """
    theirs, ours = in_blocks(context.original, source), in_blocks(context.page, target)
    first, second = alignment.blocks_by_section(context.original), alignment.blocks_by_section(context.page)
    for section, other in alignment.matched_sections(context.original, context.page).items():
        there, here = first.get(section, []), second.get(other, [])
        if [block.kind for block in there] != [block.kind for block in here]:
            continue
        odd = [(a, b) for a, b in zip(there, here, strict=True)
               if Counter(name for name, _ in theirs[id(a)]) != Counter(name for name, _ in ours[id(b)])]
        if len(odd) != 2 or not in_order(*odd):
            continue
        for one, mine in odd:
            lost, new = links_not_in(theirs[id(one)], ours[id(mine)]), links_not_in(ours[id(mine)], theirs[id(one)])
            if len(lost) == len(new) == 1:
                yield lost[0], new[0], True


def in_blocks(page: Page, items: Iterable[Named]) -> dict[int, list[Named]]:
    """Links by the identity of the block that they stand in."""
    found: dict[int, list[Named]] = defaultdict(list)
    starts = [(block.line, block.column) for block in page.blocks]
    for item in items:
        if place := bisect_right(starts, (item[1].line, item[1].column)):
            found[id(page.blocks[place - 1])].append(item)
    return found


def in_order(first: tuple[Block, Block], second: tuple[Block, Block]) -> bool:
    """Whether two blocks of the source stand before those that stand for them, not each before the other's."""
    (one, mine), (two, yours) = first, second
    own = alignment.count_shared_words(one, mine) + alignment.count_shared_words(two, yours)
    crossed = alignment.count_shared_words(one, yours) + alignment.count_shared_words(two, mine)
    return own > crossed or (one.kind == two.kind == "p" and own == crossed)


def links_not_in(items: list[Named], others: list[Named]) -> list[Named]:
    """The links that lead where none of the others does."""
    known = {name for name, _ in others}
    return [item for item in items if item[0] not in known]
