"""Numbers that changed in translation, section by section."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.numbers import Number, differences, numbers
from hexapla.pages import Block

HEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.)、．:：]?|[(（]?[一二三四五六七八九十]+[)）、.．])\s*(?=\S)")


def number_differs(case: Case) -> Iterator[Found]:
    """Numbers of a section that its source does not have, and those it lost."""
    first, second = case.original, case.page
    here, there = case.document.language, case.source.language if case.source else "en"
    for section, source, target in align.section_pairs(first, second, first.blocks, second.blocks):
        if not source or not target:
            continue
        wanted, found = in_blocks(source, there), in_blocks(target, here)
        missing, added = differences([n for n, _ in wanted], [n for n, _ in found])
        if not missing and not added:
            continue
        yield from reported(case, section, locate(missing, wanted), locate(added, found), (source, target))


Placed = list[tuple[Number, Block]]


def in_blocks(blocks: Sequence[Block], language: str) -> Placed:
    """The numbers of blocks, each with the block it stands in."""
    return [(number, block) for block in blocks for number in block_numbers(block.text, block.kind, language)]


@lru_cache(maxsize=8192)
def block_numbers(text: str, kind: str, language: str) -> tuple[Number, ...]:
    """The numbers of one block; the number before a heading's words is none."""
    if kind.startswith("h"):
        text = HEADING_NUMBER.sub("", text)
    return tuple(numbers(text, language))


def locate(lost: list[Number], placed: Placed) -> Placed:
    """Numbers with the blocks they came from."""
    wanted = {id(number) for number in lost}
    return [(number, block) for number, block in placed if id(number) in wanted]


def reported(
    case: Case, section: int, missing: Placed, added: Placed, blocks: tuple[list[Block], list[Block]]
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
