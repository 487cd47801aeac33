"""Ids of headings: those that a dialect writes or makes up become `{#id}`, the same in every language."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hexapla.convert.conversion_records import Take
from hexapla.pages.blocks import HEADING, read_blocks

BRACES = str.maketrans("{}", "()")  # an id as its author wrote it is kept in an attribute, which braces would end
IDENTIFIED = re.compile(r" \{#(?P<id>[^\s{}]+)(?: data-id=\"(?P<written>[^\"\n]*)\")?\}$")
SHOWN = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|<[^<>]*>")


class SourceHeading(NamedTuple):
    """A heading, the id that its dialect would give it, the one `written`, and the page's offset behind that."""

    level: int
    id: str
    written: str
    line: int
    end: int


def read_headings(text: str, written: re.Pattern[str], slug: Callable[[str], str]) -> list[SourceHeading]:
    """The headings of a page that Markdown takes for one; `written` is the form of an author's id, `slug` makes one."""
    found = []
    for block in read_blocks(text):
        if block.kind is not HEADING or ("#" in block.prefix and not block.prefix.endswith((" ", "\t"))):
            continue
        first, last = block.words[0]
        explicit = written.fullmatch(block.suffix)
        if (block.suffix and not explicit) or text[last + len(block.suffix) :].partition("\n")[0].strip(" "):
            continue
        shown = text[first:last]
        made = (explicit["id"] if explicit else "") or slug(SHOWN.sub(r"\1", shown))
        found.append(SourceHeading(block.level, made, block.suffix, block.line.number, last + len(block.suffix)))
    return found


def give_ids(headings: Sequence[SourceHeading], source: Sequence[SourceHeading] | None) -> list[str]:
    """The id of each heading: that of its counterpart in the source, else its own; one that is taken gets a number."""
    theirs = give_ids(source, None) if source is not None else []
    pairs = find_counterparts(headings, source or [])
    given = [theirs[pairs[at]] if at in pairs else each.id or "section" for at, each in enumerate(headings)]
    counts: dict[str, int] = {}
    unique: dict[str, None] = {}
    for wanted in given:
        made = wanted
        while made in unique:
            counts[wanted] = counts.get(wanted, 1) + 1
            made = f"{wanted}-{counts[wanted]}"
        unique[made] = None
    return [*unique]


def find_counterparts(headings: Sequence[SourceHeading], source: Sequence[SourceHeading]) -> dict[int, int]:
    """For headings by number, their counterparts in the source: by position, in sections that have as many."""
    pairs: dict[int, int] = {}
    spans = [((0, len(headings)), (0, len(source)))]
    while spans:
        ours, theirs = spans.pop()
        if ours[0] >= ours[1] or theirs[0] >= theirs[1]:
            continue
        level = min(each.level for each in headings[slice(*ours)])
        if level != min(each.level for each in source[slice(*theirs)]):
            continue
        here = [at for at in range(*ours) if headings[at].level == level]
        there = [at for at in range(*theirs) if source[at].level == level]
        if len(here) == len(there):
            pairs |= dict(zip(here, there, strict=True))
            ends = zip([*here[1:], ours[1]], [*there[1:], theirs[1]], strict=True)
            spans += [((at + 1, end), (to + 1, stop))
                      for at, to, (end, stop) in zip(here, there, ends, strict=True)]
            spans.append(((ours[0], here[0]), (theirs[0], there[0])))
    return pairs


def note_headings(headings: Sequence[SourceHeading], source: Sequence[SourceHeading] | None, note: Take) -> None:
    """Say where ids could not be taken from the source, and which stand twice."""
    pairs = find_counterparts(headings, source or [])
    for at, each in enumerate(headings):
        if source is not None and at not in pairs:
            note("heading-alone", each.line, f"no heading of the source answers this one; its id is {each.id}")
    seen: set[str] = set()
    for each in headings:
        if each.written and each.id in seen:
            note("id-twice", each.line, f"the id {each.id} stands twice; the second gets a number")
        seen.add(each.id)


def write_ids(text: str, headings: Sequence[SourceHeading], ids: Sequence[str]) -> str:
    """The page with an id at each heading; what an author had written stays beside it."""
    done, position = [], 0
    for heading, made in zip(headings, ids, strict=True):
        written = f' data-id="{heading.written.translate(BRACES)}"' if heading.written else ""
        done.append(text[position : heading.end - len(heading.written)] + f" {{#{made}{written}}}")
        position = heading.end
    return "".join([*done, text[position:]])


def restore_ids(text: str) -> str:
    """The page with ids as its dialect has them."""
    if "{#" not in text:
        return text
    done, position = [], 0
    for block in read_blocks(text):
        match = IDENTIFIED.fullmatch(block.suffix) if block.kind is HEADING else None
        if match:
            end = block.words[0][1]
            written = match["written"] or ""
            braced = written.lstrip().startswith("(")
            done.append(text[position:end] + (written.replace("(", "{").replace(")", "}") if braced else written))
            position = end + len(block.suffix)
    return "".join([*done, text[position:]])


def former_ids(headings: Sequence[SourceHeading], ids: Sequence[str]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """From the ids that headings had to those that they get, and back; the first of two with one id counts."""
    now: dict[str, str] = {}
    for heading, made in zip(headings, ids, strict=True):
        now.setdefault(heading.id, made)
    return now, {made: was for was, made in now.items()}
