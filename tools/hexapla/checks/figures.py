"""Numbers that changed in translation, section by section."""

import re
from collections.abc import Callable, Iterator, Sequence

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.numbers import Number, differences, pair, worded, written
from hexapla.checks.prose import HEADINGS, readable
from hexapla.pages import Block

HEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.)、．:：]?|[(（]?[一二三四五六七八九十]+[)）、.．])\s*(?=\S)")


def number_differs(case: Case) -> Iterator[Found]:
    """Numbers of a section that its source does not have, and those it lost."""
    first, second = case.original, case.page
    here, there = case.document.language, case.source.language if case.source else "en"
    for section, source, target in align.section_pairs(first, second, readable(first.blocks), readable(second.blocks)):
        if not source or not target:
            continue
        wanted, found = in_blocks(source, there, written), in_blocks(target, here, written)
        if same(wanted, found):
            continue
        wanted += in_blocks(source, there, worded)
        found += in_blocks(target, here, worded)
        missing, added = differences([n for n, _ in wanted], [n for n, _ in found])
        if missing or added:
            yield from reported(case, locate(missing, wanted), locate(added, found), (source, target))


Placed = list[tuple[Number, Block]]
Reader = Callable[[str, str], tuple[Number, ...]]


def in_blocks(blocks: Sequence[Block], language: str, read: Reader) -> Placed:
    """The numbers of blocks, each with the block it stands in; the number before a heading's words is none."""
    return [
        (number, block) for block in blocks
        for number in read(HEADING_NUMBER.sub("", block.text) if block.kind in HEADINGS else block.text, language)
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


def reported(
    case: Case, missing: Placed, added: Placed, blocks: tuple[list[Block], list[Block]]
) -> Iterator[Found]:
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
