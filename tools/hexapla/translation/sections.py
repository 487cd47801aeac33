"""A page cut into sections: each heading with what stands below it, up to the next heading of any level."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import zip_longest
from textwrap import dedent
from typing import NamedTuple

from hexapla.pages import Heading, Include, SectionError, excerpt
from hexapla.pages.blocks import BRACKETED_ID, SourceBlock, read_blocks
from hexapla.pages.lines import LineKind
from hexapla.pages.parser import directives, find_headings
from hexapla.translation.normalization import plain, words

Read = Callable[[str], str]  # an included file's path -> its text; raises OSError or ValueError
Output = Callable[[str], str]  # a snippet's path -> the recorded output that pages show, "" for none

NOT_SLUG = re.compile(r"[^\w\- ]")
LEAD = ""  # the id of what stands above the first heading


class SectionSpan(NamedTuple):
    """Where a section stands: `start` to `end` in characters of the page's text, `line` that of its heading, from 1.

    `id` is unique on the page; `pinned` says that an author wrote it. `level` is 0 for what stands above all headings.
    A tuple, not a dataclass, as are the records below and a section's standing: a tree has tens of thousands of each.
    """

    id: str
    title: str
    level: int
    line: int
    start: int
    end: int
    pinned: bool
    twice: bool = False


class Section(NamedTuple):
    """A section of the source: its words, and what a translation of it stands on, as hashes ("" where there is none).

    `title` is over the heading's words, `text` over those below it, `code` over fences and what they include, `output`
    over the recorded output shown.
    """

    span: SectionSpan
    words: int
    title: str
    text: str
    code: str
    output: str


@lru_cache(maxsize=64)
def cut(text: str) -> tuple[SectionSpan, ...]:
    """The sections of a page, in order; their texts joined are the page's. A page on the desk is asked for often."""
    return spans(text, read_blocks(text))


def spans(text: str, blocks: Sequence[SourceBlock]) -> tuple[SectionSpan, ...]:
    """The same, of blocks already read."""
    headings = list(find_headings(blocks))
    found: list[SectionSpan] = []
    first = blocks[headings[0].line - 1].start if headings else len(text)
    if any(plain(block).strip() for block in blocks[: headings[0].line - 1 if headings else None]):
        found.append(SectionSpan(LEAD, "", 0, 1, 0, first, True))
    taken: dict[str, int] = {LEAD: 1}
    for index, heading in enumerate(headings):
        start = blocks[heading.line - 1].start if found else 0
        end = blocks[headings[index + 1].line - 1].start if index + 1 < len(headings) else len(text)
        title, wanted = identity(heading)
        name = wanted or slug(title)
        taken[name] = count = taken.get(name, 0) + 1
        unique = name if count == 1 else f"{name}~{count}"
        found.append(SectionSpan(unique, title, heading.level, heading.line, start, end, bool(wanted), count > 1))
    return tuple(found)


def identity(heading: Heading) -> tuple[str, str]:
    """A heading's text and the id its author wrote, "" where the renderer makes one."""
    if heading.id:
        return heading.text, heading.id
    brackets = BRACKETED_ID.search(heading.text) if heading.text.endswith("]]") else None
    return (heading.text[: brackets.start()], brackets["id"]) if brackets else (heading.text, "")


def slug(title: str) -> str:
    """An id for a heading without one; it has to be the same from day to day, not the same as the renderer's."""
    return NOT_SLUG.sub("", title.strip().lower()).replace(" ", "-") or "section"


def digest(*parts: str) -> str:
    """12 hexadecimal digits of the parts, "" where all are empty."""
    if not any(parts):
        return ""
    packed = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(packed, digest_size=6).hexdigest()


def source_sections(text: str, snippet: Read, output: Output) -> tuple[Section, ...]:
    """The sections of a source page with their hashes."""
    blocks = read_blocks(text)
    includes = [each for each in directives(block.line for block in blocks) if isinstance(each, Include)]
    final = {include.path: include.line for include in includes}
    return tuple(section(span, own, includes, final, snippet, output) for span, own in parts(text, blocks))


def parts(text: str, blocks: Sequence[SourceBlock]) -> Iterator[tuple[SectionSpan, Sequence[SourceBlock]]]:
    """The sections of a page, each with its blocks."""
    found = spans(text, blocks)
    start = 0
    for span, after in zip_longest(found, found[1:]):
        end = after.line - 1 if after else len(blocks)
        yield span, blocks[start:end]
        start = end


def below(span: SectionSpan, own: Iterable[SourceBlock]) -> list[SourceBlock]:
    """The blocks of a section without its heading."""
    return [block for block in own if not (span.level and block.line.number == span.line)]


def section(
    span: SectionSpan,
    own: Sequence[SourceBlock],
    includes: list[Include],
    final: Mapping[str, int],
    snippet: Read,
    output: Output,
) -> Section:
    """One section and what it stands on; `final` is the line of each included file's last part on the page."""
    here = within(own, includes)
    shown = words(below(span, own))
    return Section(
        span, len(shown) + len(span.title.split()), digest(" ".join(span.title.split())), digest(" ".join(shown)),
        digest(*code(own, here, snippet)), digest(*outputs(here, final, output)),
    )


def within(own: Sequence[SourceBlock], includes: Iterable[Include]) -> list[Include]:
    """The includes of a section."""
    first, last = own[0].line.number, own[-1].line.number
    return [include for include in includes if first <= include.line <= last]


def code(blocks: Iterable[SourceBlock], includes: Iterable[Include], snippet: Read) -> Iterator[str]:
    """The code of a section: fences and indented code as they stand, includes as what they include."""
    by_line = {include.line: include for include in includes}
    piece: list[str] = []
    for line in (block.line for block in blocks):
        if line.number in by_line:
            piece.append(included(by_line[line.number], snippet))
        elif line.kind in {LineKind.FENCED, LineKind.CODE, LineKind.FENCE_MARK}:
            piece.append(line.text.rstrip())
        elif piece:
            yield dedent("\n".join(piece))
            piece = []
    if piece:
        yield dedent("\n".join(piece))


def included(include: Include, snippet: Read) -> str:
    """What an include shows, or its directive where that cannot be read."""
    try:
        return part(snippet(include.path), include.section, include.first, include.last)
    except (OSError, ValueError, SectionError):
        return f"{include.path}:{include.section}"


@lru_cache(maxsize=1024)
def part(text: str, section: str, first: int | None, last: int | None) -> str:
    """A part of an included file: many pages show the same."""
    return excerpt(text, section, first, last).text


def outputs(includes: Iterable[Include], final: Mapping[str, int], output: Output) -> Iterator[str]:
    """The recorded outputs that the site shows in a section: below the last part of a snippet on the page."""
    for include in includes:
        if include.language and final[include.path] == include.line:
            yield output(include.path)
