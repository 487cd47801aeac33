"""Numbers that changed in translation, section by section."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.numbers import Number, differences, pair, said, worded, written
from hexapla.checks.prose import readable
from hexapla.pages import Block, Page

Placed = list[tuple[Number, Block]]
Reader = Callable[[str, str], tuple[Number, ...]]
ENUMERATOR = re.compile(r"^[(（]?(?:\d{1,2}(?:[.)）、．:：](?!\d)|(?:\.\d{1,2})+(?=\s))|[一二三四五六七八九十]+[)）、.．])\s*(?=\S)")


def number_differs(case: Case) -> Iterator[Found]:
    """Numbers of a section that its source does not have, and those it lost; moved to another one they are neither."""
    found = [difference for difference in section_differences(case) if difference.missing or difference.added]
    lost = [number for difference in found for number, _ in difference.missing]
    new = [number for difference in found for number, _ in difference.added]
    stay_lost, stay_new = ({id(number) for number in side} for side in pair(lost, new)) if len(found) > 1 else (
        set(map(id, lost)), set(map(id, new)))
    for difference in found:
        missing = [(number, block) for number, block in difference.missing if id(number) in stay_lost]
        added = [(number, block) for number, block in difference.added if id(number) in stay_new]
        yield from reported(missing, added, difference.blocks)


@dataclass(frozen=True, slots=True)
class Difference:
    """What a section lost and what it has more, each number with its block; `blocks` are the source's and its own."""

    missing: Placed
    added: Placed
    blocks: tuple[list[Block], list[Block]]


def section_differences(case: Case) -> Iterator[Difference]:
    """The sections' numbers compared; number words and inline code count where digits alone leave a difference."""
    first, second = case.original, case.page
    here, there = case.document.language, case.source.language if case.source else "en"
    for section, source, target in align.section_pairs(first, second, readable(first.blocks), readable(second.blocks)):
        if not source or not target:
            continue
        wanted, found = in_blocks(source, there, written), in_blocks(target, here, written)
        if same(wanted, found):
            continue
        before = [*in_blocks(source, there, worded), *in_code(first, source)]
        now = [*in_blocks(target, here, worded), *in_code(second, target)]
        missing, added = differences([n for n, _ in wanted + before], [n for n, _ in found + now])
        stands_for = align.blocks(source, target)
        yield Difference(
            unsaid(locate(missing, wanted), {id(a): b for a, b in stands_for}, found) if not added else
            locate(missing, wanted),
            unsaid(locate(added, found), {id(b): a for a, b in stands_for}, wanted) if not missing else
            locate(added, found),
            (source, target),
        )


def unsaid(left: Placed, stands_for: dict[int, Block], others: Placed) -> Placed:
    """What is left without the numbers that the block on the other side says too, only not as often."""
    return [
        (number, block) for number, block in left
        if not said(number, (other for other, place in others if place is stands_for.get(id(block), place)))
    ]


def in_code(page: Page, blocks: list[Block]) -> Placed:
    """The numbers of the inline code of a section, as ones that may stand for others."""
    section = page.section(blocks[0].line)
    return [
        (Number(number.text, number.values, False, 0), blocks[0]) for code in page.codes
        if page.section(code.line) == section for number in written(code.text, "en")
    ]


def in_blocks(blocks: Sequence[Block], language: str, read: Reader) -> Placed:
    """The numbers of blocks, each with the block it stands in; the one that counts an item or a heading is none."""
    return [
        (number, block) for block in blocks
        for number in read(ENUMERATOR.sub("", block.text), language)
    ]


def same(wanted: Placed, found: Placed) -> bool:
    """Whether two sections write the same numbers in digits."""
    if [number.values for number, _ in wanted] == [number.values for number, _ in found]:
        return True
    return pair([number for number, _ in wanted], [number for number, _ in found]) == ([], [])


def locate(lost: list[Number], placed: Placed) -> Placed:
    """Numbers with the blocks they came from."""
    wanted = {id(number) for number in lost}
    return [(number, block) for number, block in placed if id(number) in wanted]


def reported(missing: Placed, added: Placed, blocks: tuple[list[Block], list[Block]]) -> Iterator[Found]:
    """One finding a number added, told with a missing one of the same block; then the missing ones that are left."""
    stands_for = {id(a): b for a, b in align.blocks(*blocks)}
    hint = "write the source's number, in the language's own form"
    for number, block in added:
        lost = next((pair for pair in missing if stands_for.get(id(pair[1])) is block), missing[0] if missing else None)
        if lost is not None:
            missing = [pair for pair in missing if pair is not lost]
        instead = f"; the source has {lost[0].text!r}" if lost else " "
        yield Found("number-differs", f"{number.text!r} is not in the source's section{instead}".strip(), hint,
                    block.line, block.column, lost[1].line if lost else blocks[0][0].line)
    for number, block in missing:
        place = stands_for.get(id(block), blocks[1][0])
        yield Found("number-differs", f"{number.text!r} of the source is missing in this section", hint,
                    place.line, place.column, block.line)
