"""Edits of a source as maintainers make them, as functions of its pages; each says which sections it touched."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from hexapla.pages.blocks import BlockKind, read_blocks
from hexapla.translation.sections.sections import SectionSpan, cut_sections

WORD = re.compile(r"(?<![\w`/.#(-])[a-z]{4,}(?![\w`/.)-])")
TITLE = re.compile(r"^(#{1,6} )(.*?)([ \t]*\{ ?#([^}\s]+) ?\})?$")
Touched = set[tuple[str, str]]  # page and section


@dataclass
class Source:
    """The pages of a source by name as edits change them; `free` are those that no edit has touched yet."""

    pages: dict[str, str]
    free: list[str]
    random: random.Random

    def take(self, wanted: Callable[[str], bool]) -> str | None:
        """A free page whose text is as wanted."""
        names = [name for name in self.free if wanted(self.pages[name])]
        if not names:
            return None
        name = self.random.choice(names)
        self.free.remove(name)
        return name


def inner(text: str) -> list[SectionSpan]:
    """The sections of a page that have a heading below its title, and an id of their own."""
    return [span for span in cut_sections(text) if span.level > 1 and span.pinned and not span.twice]


def leaves(text: str) -> list[SectionSpan]:
    """Those that have none below them."""
    spans = cut_sections(text)
    ends = {span.start: after.level for span, after in pairwise(spans)}
    return [span for span in inner(text) if ends.get(span.start, 0) <= span.level]


def gaps(text: str, span: SectionSpan) -> list[int]:
    """Where a section can be cut: before a paragraph that stands between two, with more than the heading above."""
    lines = [block for block in read_blocks(text) if span.start < block.start < span.end]
    return [
        two.start for one, two in pairwise(lines[2:])
        if one.kind is BlockKind.BLANK and two.kind is BlockKind.PARAGRAPH and not two.prefix
    ]


def to_another_page(source: Source) -> Touched | None:
    """A section is moved to another page."""
    name = source.take(lambda text: len(leaves(text)) > 2)
    other = source.take(lambda text: len(inner(text)) > 1)
    if name is None or other is None:
        return None
    text, there = source.pages[name], source.pages[other]
    span = source.random.choice(leaves(text))
    if span.id in {each.id for each in cut_sections(there)}:
        return None
    at = source.random.choice(inner(there)).start
    source.pages[name] = text[: span.start] + text[span.end :]
    source.pages[other] = there[:at] + text[span.start : span.end].rstrip() + "\n\n" + there[at:]
    return {(other, span.id)}


def split(source: Source) -> Touched | None:
    """A section is split in two: a heading is put between two of its paragraphs."""
    name = source.take(lambda text: any(gaps(text, span) for span in inner(text)))
    if name is None:
        return None
    text = source.pages[name]
    span = source.random.choice([span for span in inner(text) if gaps(text, span)])
    at = source.random.choice(gaps(text, span))
    source.pages[name] = f"{text[:at]}{'#' * span.level} Zebra crossing {{#zebra-crossing}}\n\n{text[at:]}"
    return {(name, span.id), (name, "zebra-crossing")}


def merge(source: Source) -> Touched | None:
    """A section is merged into the one above it: its heading goes."""
    name = source.take(lambda text: len(inner(text)) > 2)
    if name is None:
        return None
    text, spans = source.pages[name], inner(source.pages[name])
    index = source.random.randrange(1, len(spans))
    span = spans[index]
    above = [each for each in cut_sections(text) if each.end == span.start]
    body = text[span.start : span.end].partition("\n")[2].lstrip("\n")
    source.pages[name] = text[: span.start] + body + text[span.end :]
    return {(name, each.id) for each in above}


def rename(source: Source) -> Touched | None:
    """A section gets another title; half of them another id too."""
    name = source.take(lambda text: bool(inner(text)))
    if name is None:
        return None
    text = source.pages[name]
    span = source.random.choice(inner(text))
    line, end, rest = text[span.start : span.end].partition("\n")
    made = TITLE.match(line.rstrip())
    if made is None:
        return None
    new = f"{span.id}-again" if source.random.random() < 0.5 else span.id
    title = f"More on {made[2]}" if source.random.random() < 0.5 else made[2]
    source.pages[name] = f"{text[: span.start]}{made[1]}{title} {{#{new}}}{end}{rest}{text[span.end :]}"
    return {(name, new)}


def reorder(source: Source) -> Touched | None:
    """Two neighbouring sections change places."""
    def pairs(text: str) -> Iterator[tuple[SectionSpan, SectionSpan]]:
        spans = leaves(text)
        yield from ((one, two) for one, two in pairwise(spans)
                    if one.end == two.start and one.level == two.level)

    name = source.take(lambda text: any(pairs(text)))
    if name is None:
        return None
    text = source.pages[name]
    one, two = source.random.choice(list(pairs(text)))
    second = text[two.start : two.end].rstrip() + "\n\n"
    source.pages[name] = text[: one.start] + second + text[one.start : one.end] + text[two.end :]
    return {(name, one.id), (name, two.id)}


def reword(source: Source) -> Touched | None:
    """One word of a paragraph is another one."""
    def spots(text: str) -> list[int]:
        return [
            block.start + match.start() for block in read_blocks(text)
            if block.kind is BlockKind.PARAGRAPH and not re.search(r"[`\[\]()<>{|]", block.line.text)
            for match in WORD.finditer(block.line.text)
        ]

    name = source.take(lambda text: bool(spots(text)))
    if name is None:
        return None
    text = source.pages[name]
    at = source.random.choice(spots(text))
    source.pages[name] = text[:at] + "zebra" + text[at + len(WORD.match(text, at)[0]) :]  # type: ignore[index]
    return {(name, next(span.id for span in cut_sections(text) if span.start <= at < span.end))}


def code(source: Source) -> Touched | None:
    """A line of code on the page is another one."""
    def spots(text: str) -> list[int]:
        return [block.start + len(block.line.text.rstrip()) for block in read_blocks(text)
                if block.kind is BlockKind.FENCED and block.line.text.strip() and "8<-" not in block.line.text]

    name = source.take(lambda text: bool(spots(text)))
    if name is None:
        return None
    text = source.pages[name]
    at = source.random.choice(spots(text))
    source.pages[name] = f"{text[:at]} --zebra{text[at:]}"
    return {(name, next(span.id for span in cut_sections(text) if span.start <= at < span.end))}


def page_in_three(source: Source) -> Touched | None:
    """A page is split in three: two thirds of its sections go to new pages."""
    name = source.take(lambda text: len([span for span in inner(text) if span.level == 2]) > 2)
    if name is None:
        return None
    text = source.pages[name]
    tops = [span.start for span in inner(text) if span.level == 2]
    cuts = [tops[len(tops) // 3], tops[2 * len(tops) // 3], len(text)]
    touched: Touched = set()
    source.pages[name] = text[: cuts[0]]
    for number, (start, end) in enumerate(pairwise(cuts), 2):
        new = f"{name}-{number}"
        source.pages[new] = f"# Zebra {number} {{#zebra-{number}}}\n\n{text[start:end]}"
        touched |= {(new, span.id) for span in cut_sections(source.pages[new])}
    return touched


def page_renamed(source: Source) -> Touched | None:
    """A page gets another name."""
    name = source.take(lambda text: len(inner(text)) > 1)
    if name is None:
        return None
    source.pages[f"{name}-renamed"] = text = source.pages.pop(name)
    return {(f"{name}-renamed", span.id) for span in cut_sections(text)}


EDITS: tuple[Callable[[Source], Touched | None], ...] = (
    to_another_page, split, merge, rename, reorder, reword, code, page_in_three, page_renamed,
)
