"""Numbers that changed in translation, section by section."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.memo import memoized
from hexapla.checks.rules.numbers.parsing import Number, find_numerals, written_numbers
from hexapla.checks.rules.text.prose import find_readable
from hexapla.pages import Block, Page

Placed = list[tuple[Number, Block]]
DIGIT = re.compile(r"\d")
ENUMERATOR = re.compile(r"^[(（]?(?:\d{1,2}[.)）、．:：](?!\d)|[一二三四五六七八九十]+[)）、.．])\s*(?=\S)")
SECTION_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2})+\.?(?=\s)")  # of a heading; an item may open with a version
NAMED = re.compile(r"[A-Za-z]{1,40}-?$")  # what stands before the digits of a name: GPT-2, fp32
CODES = 200  # pieces of inline code of a section whose numbers each of its blocks is compared with
LOOKED_UP = 500  # names of a section that are looked for in the whole page
URL = re.compile(r"(?<![A-Za-z0-9])(?:https?://|www\.)[^\s<>()（）]+")


def number_differs(context: RuleContext) -> Iterator[Violation]:
    """Numbers of a section that its source does not have, and those it lost; moved to another one they are neither."""
    here, there = context.document.language, context.source.language if context.source else "en"
    wanted = written_in(find_readable(context.original.blocks), there)
    found = written_in(find_readable(context.page.blocks), here)
    if values(wanted) == values(found):
        return
    differing = list(section_differences(context, wanted, found))
    apart = [difference for difference in differing if not difference.exchanged]
    lost = [number for difference in apart for number, _ in difference.missing]
    new = [number for difference in apart for number, _ in difference.added]
    if len(apart) > 1:
        lost, new = pair_numbers(lost, new)
    stay = {id(number) for number in (*lost, *new)}
    for difference in differing:
        missing = [item for item in difference.missing if difference.exchanged or id(item[0]) in stay]
        added = [item for item in difference.added if difference.exchanged or id(item[0]) in stay]
        yield from report_numbers(missing, added, difference)


class Difference(NamedTuple):
    """Numbers that a section lacks and has more than its source, each with its block.

    `blocks` are the source's and its own, `pairs` those that stand for each other;
    `exchanged` numbers are in the section, each in the other's place.
    """

    missing: Placed
    added: Placed
    blocks: tuple[Sequence[Block], Sequence[Block]]
    pairs: list[tuple[Block, Block]]
    exchanged: bool = False


def section_differences(context: RuleContext, wanted: Placed, found: Placed) -> Iterator[Difference]:
    """The sections' numbers compared; number words and inline code count where digits alone leave a difference."""
    first, second = context.original, context.page
    theirs, ours = by_block(wanted), by_block(found)
    numbered = theirs.keys() | ours.keys()
    read = find_readable(first.blocks), find_readable(second.blocks)
    for _, source, target in alignment.section_pairs(first, second, *read):
        left, right = placed_in(source, theirs), placed_in(target, ours)
        if not source or not target or values(left) == values(right):
            continue
        if same_numbers(left, right):
            yield from find_exchanged(source, target, theirs, ours)
            continue
        there, here = (in_code(page).get(page.section(blocks[0].line), Counter())
                       for page, blocks in ((first, source), (second, target)))
        codes = tuple(of_code(there - here)), tuple(of_code(here - there))
        for blocks in comparable_groups(source, target, numbered):
            placed = placed_in(blocks[0], theirs), placed_in(blocks[1], ours)
            if said_values(placed[0]) != said_values(placed[1]):
                yield compare_blocks(context, blocks, placed, codes)


def comparable_groups(
    source: Sequence[Block], target: Sequence[Block], numbered: Container[int]
) -> Iterator[tuple[Sequence[Block], Sequence[Block]]]:
    """What is compared as a whole: block with block where a section has the source's shape, else what it has of it.

    `numbered` are the identities of the blocks with numbers.
    """
    for first, second in alignment.cut_section(source, target):
        if alignment.have_same_shape(first, second):
            yield from (([a], [b]) for a, b in zip(first, second, strict=True)
                        if id(a) in numbered or id(b) in numbered)
        else:
            yield first, second


def compare_blocks(
    context: RuleContext, blocks: tuple[Sequence[Block], Sequence[Block]], placed: tuple[Placed, Placed],
    codes: tuple[tuple[Number, ...], tuple[Number, ...]],
) -> Difference:
    """What the digits, words and code of some blocks do not say alike.

    A digit that is said again and only not as often is no difference, where nothing else is left over.
    """
    source, target = blocks
    left, right = placed
    here, there = context.document.language, context.source.language if context.source else "en"
    odd, other = pair_numbers([n for n, _ in left if n.certain], [n for n, _ in right if n.certain])
    if not odd and not other:
        return Difference([], [], blocks, [])
    worded_there = worded_in(source, there)
    before = [n for n, _ in left + worded_there if not n.certain] + [*codes[0]]
    now = [n for n, _ in right + worded_in(target, here) if not n.certain] + [*codes[1]]
    missing, added = left_after_words(odd, other, before, now)
    pairs = alignment.blocks(source, target)
    onward, back = {id(a): b for a, b in pairs}, {id(b): a for a, b in pairs}
    lost, new = locate_numbers(missing, left, onward, right), locate_numbers(added, right, back, left)
    if lost and new:
        return Difference(lost, new, blocks, pairs)
    if not other:
        lost = without_repeated(lost, onward, right, context.page)
    if not odd:
        new = without_repeated(new, back, left + worded_there, context.original)
    return Difference(lost, new, blocks, pairs)


def placed_in(blocks: Sequence[Block], numbers: dict[int, Placed]) -> Placed:
    return [item for block in blocks for item in numbers.get(id(block), ())]


def find_exchanged(
    source: list[Block], target: list[Block], theirs: dict[int, Placed], ours: dict[int, Placed]
) -> Iterator[Difference]:
    """Two blocks of a section that have each other's numbers, in a section of the source's shape.

    Blocks that share more words with the other's source were put in another order: that is no difference.
    """
    if not alignment.have_same_shape(source, target):
        return
    odd = [(a, b) for a, b in zip(source, target, strict=True)
           if not same_numbers(theirs.get(id(a), []), ours.get(id(b), []))]
    if len(odd) != 2:
        return
    (one, mine), (other, yours) = odd
    own = alignment.count_shared_words(one, mine) + alignment.count_shared_words(other, yours)
    crossed = alignment.count_shared_words(one, yours) + alignment.count_shared_words(other, mine)
    if own >= crossed and all(len(theirs.get(id(block), ())) == 1 for block in (one, other)):
        missing, added = [*theirs[id(one)], *theirs[id(other)]], [*ours[id(mine)], *ours[id(yours)]]
        yield Difference(missing, added, (source, target), list(zip(source, target, strict=True)), exchanged=True)


def values(placed: Placed) -> list[frozenset[str]]:
    """What the numbers stand for, in order."""
    return [number.values for number, _ in placed]


def said_values(placed: Placed) -> list[tuple[frozenset[str], bool]]:
    """What the numbers stand for, in order, and whether they are certain."""
    return [(number.values, number.certain) for number, _ in placed]


def by_block(placed: Placed) -> dict[int, Placed]:
    found: dict[int, Placed] = {}
    for number, block in placed:
        found.setdefault(id(block), []).append((number, block))
    return found


def without_repeated(left: Placed, stands_for: dict[int, Block], others: Placed, page: Page) -> Placed:
    """What is left without what the other side says too, only not as often.

    That is a single digit that the block there says, and the digits of a name (fp32) that the page there has.
    """
    said_in: defaultdict[int, set[str]] = defaultdict(set)
    for number, block in others:
        said_in[id(block)] |= number.values
    anywhere = set().union(*said_in.values())
    texts = {key: text_without_counter(block) for key, block in {id(block): block for _, block in left}.items()}
    known: dict[str, bool] = {}
    kept = []
    for number, block in left:
        there = said_in[id(stands_for[id(block)])] if id(block) in stands_for else anywhere
        again = len(number.text) == 1 and not number.values.isdisjoint(there)
        name = NAMED.search(texts[id(block)], max(number.offset - 41, 0), number.offset)
        whole = name[0] + number.text if name else ""
        if whole not in known:
            known[whole] = len(known) < LOOKED_UP and whole in page.text
        if not again and not (name and known[whole]):
            kept.append((number, block))
    return kept


@memoized
def in_code(page: Page) -> dict[int, Counter[str]]:
    """The inline code with digits of each section of a page."""
    found = alignment.by_section(page, (code for code in page.codes if DIGIT.search(code.text)))
    return {section: Counter(code.text for code in codes) for section, codes in found.items()}


def of_code(codes: Counter[str]) -> Iterator[Number]:
    """The numbers of inline code that one side alone has: they may stand for numbers of the other's prose."""
    for code in islice(codes.elements(), CODES):
        yield from (Number(number.text, number.values, False, 0) for number in written_numbers(code, "en"))


@memoized
def written_in(blocks: tuple[Block, ...], language: str) -> Placed:
    """The numbers of blocks in digits, each with its block; the one that counts an item or a heading is none.

    Each is a record of its own: `written` gives two blocks with the same text the same ones.
    """
    return [
        (Number(*number), block) for block in blocks if DIGIT.search(block.text)
        for number in written_numbers(text_without_counter(block), language)
    ]


def text_without_counter(block: Block) -> str:
    """A block's text without the number that counts it and without addresses."""
    text = ENUMERATOR.sub("", block.text)
    if block.kind[0] == "h":
        text = SECTION_NUMBER.sub("", text)
    return URL.sub(" ", text) if "://" in text or "www." in text else text


def worded_in(blocks: Sequence[Block], language: str) -> Placed:
    """The number words of blocks, and the numbers that count them."""
    return [(number, block) for block in blocks for number in (*find_numerals(block.text, language), *counting(block))]


def counting(block: Block) -> Iterator[Number]:
    """The number that counts a block, which may be meant: "2. Adım" is step 2."""
    if match := ENUMERATOR.match(block.text) or SECTION_NUMBER.match(block.text):
        yield from (Number(number.text, number.values, False, 0) for number in written_numbers(match[0], "en"))


def same_numbers(wanted: Placed, found: Placed) -> bool:
    """Whether two sections write the same numbers in digits."""
    if values(wanted) == values(found):
        return True
    left, right = ([number for number, _ in placed] for placed in (wanted, found))
    return len(left) == len(right) and pair_numbers(left, right) == ([], [])


def locate_numbers(lost: list[Number], placed: Placed, stands_for: dict[int, Block], others: Placed) -> Placed:
    """Numbers with the blocks they came from; of equal ones those whose block's counterpart does not say them."""
    wanted = Counter(number.values for number in lost)
    said_there = {(id(block), value) for number, block in others for value in number.values}

    def kept(item: tuple[Number, Block]) -> bool:
        place = stands_for.get(id(item[1]))
        return place is not None and any((id(place), value) in said_there for value in item[0].values)

    chosen: set[int] = set()
    for number, _ in sorted((item for item in placed if item[0].values in wanted and item[0].certain), key=kept):
        if wanted[number.values]:
            wanted[number.values] -= 1
            chosen.add(id(number))
    return [item for item in placed if id(item[0]) in chosen]


def report_numbers(missing: Placed, added: Placed, difference: Difference) -> Iterator[Violation]:
    """One finding a number added, told with a missing one of the same block; then the missing ones that are left."""
    blocks, pairs = difference.blocks, difference.pairs
    stands_for = {id(a): id(b) for a, b in pairs}
    own: defaultdict[int | None, deque[int]] = defaultdict(deque)  # the missing numbers by the block they belong in
    for index, (_, block) in enumerate(missing):
        own[stands_for.get(id(block))].append(index)
    every, left = deque(range(len(missing))), dict(enumerate(missing))
    hint = "write the source's number, in the language's own form"
    for number, block in added:
        own_first = first_free(own[id(block)], left.__contains__)
        chosen = first_free(every, left.__contains__) if own_first is None else own_first
        lost = None if chosen is None else left.pop(chosen)
        instead = f"; the source has {lost[0].text!r}" if lost else " "
        yield Violation("number-differs", number.text,
                        f"{number.text!r} is not in the source's section{instead}".strip(), hint,
                        block.line, block.column, lost[1].line if lost else blocks[0][0].line)
    starts = [(a.line, a.column) for a, _ in pairs]
    for number, block in left.values():
        above = bisect_right(starts, (block.line, block.column))
        place = pairs[above - 1][1] if above else blocks[1][0]
        yield Violation("number-differs", absent(number.text),
                        f"{number.text!r} of the source is missing in this section", hint,
                        place.line, place.column, block.line)


def left_after_words(
    missing: list[Number], added: list[Number], words: list[Number], others: list[Number]
) -> tuple[list[Number], list[Number]]:
    """What is left of both when number words of the source (`words`) and of the translation are taken into account."""
    # A word that stands for the source's word is not free to stand for its digits; but one is said of anything.
    plain, free = split_words(others)
    said_alike, unsure = split_words(words)
    unsaid, left = pair_numbers(said_alike, plain)
    return pair_numbers(missing, left + free)[0], pair_numbers(added, unsaid + unsure)[0]


def split_words(words: list[Number]) -> tuple[list[Number], list[Number]]:
    """The number words that stand for just one number, and it not 1; and the others."""
    plain = [word for word in words if len({value.rstrip("%") for value in word.values} | {"1"}) == 2]
    kept = {id(word) for word in plain}
    return plain, [word for word in words if id(word) not in kept]


def pair_numbers(first: list[Number], second: list[Number]) -> tuple[list[Number], list[Number]]:
    """What is left of each when equal numbers are taken off in pairs, the first free one of `second` each time."""
    by_value: dict[str, deque[int]] = {}
    for index, number in enumerate(second):
        for value in number.values:
            by_value.setdefault(value, deque()).append(index)
    taken: set[int] = set()
    left = []
    for number in first:
        firsts = (first_free(by_value.get(value, deque()), lambda place: place not in taken) for value in number.values)
        free = [place for place in firsts if place is not None]
        if free:
            taken.add(min(free))
        else:
            left.append(number)
    return left, [number for index, number in enumerate(second) if index not in taken]


def first_free(queue: deque[int], is_free: Callable[[int], bool]) -> int | None:
    """The first of a queue that is free, None for none; those before it go, so that each is looked at once."""
    while queue and not is_free(queue[0]):
        queue.popleft()
    return queue[0] if queue else None
