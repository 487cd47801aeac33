"""A page cut into sections: each heading with what stands below it, up to the next heading of any level."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, zip_longest
from textwrap import dedent
from typing import NamedTuple

from hexapla.pages import Heading, Include, SectionError, excerpt
from hexapla.pages.lines import Block, Line, read
from hexapla.pages.parser import directives, find_headings
from hexapla.translation.normalization import plain, words

Read = Callable[[str], str]  # an included file's path -> its text; raises OSError or ValueError
Output = Callable[[str], str]  # a snippet's path -> the recorded output that pages show, "" for none

BRACKETS = re.compile(r"[ \t]*\[\[(?P<id>[^\[\]\s]+)\]\][ \t]*$")  # doc-builder's way to write an id
NOT_SLUG = re.compile(r"[^\w\- ]")
LEAD = ""  # the id of what stands above the first heading


class Span(NamedTuple):
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

    span: Span
    words: int
    title: str
    text: str
    code: str
    output: str


@lru_cache(maxsize=64)
def cut(text: str) -> tuple[Span, ...]:
    """The sections of a page, in order; their texts joined are the page's. A page on the desk is asked for often."""
    return spans(text, list(read(text)))


def spans(text: str, lines: list[Line]) -> tuple[Span, ...]:
    """The same, of lines already read."""
    starts = list(accumulate((len(line.text) for line in lines), initial=0))
    headings = list(find_headings(lines))
    found: list[Span] = []
    first = starts[headings[0].line - 1] if headings else len(text)
    if any(plain(line).strip() for line in lines[: headings[0].line - 1 if headings else None]):
        found.append(Span(LEAD, "", 0, 1, 0, first, True))
    taken: dict[str, int] = {LEAD: 1}
    for index, heading in enumerate(headings):
        start = starts[heading.line - 1] if found else 0
        end = starts[headings[index + 1].line - 1] if index + 1 < len(headings) else len(text)
        title, wanted = identity(heading)
        name = wanted or slug(title)
        taken[name] = count = taken.get(name, 0) + 1
        unique = name if count == 1 else f"{name}~{count}"
        found.append(Span(unique, title, heading.level, heading.line, start, end, bool(wanted), count > 1))
    return tuple(found)


def identity(heading: Heading) -> tuple[str, str]:
    """A heading's text and the id its author wrote, "" where the renderer makes one."""
    if heading.id:
        return heading.text, heading.id
    brackets = BRACKETS.search(heading.text)
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
    lines = list(read(text))
    includes = [each for each in directives(lines) if isinstance(each, Include)]
    final = {include.path: include.line for include in includes}
    return tuple(section(span, own, includes, final, snippet, output) for span, own in parts(text, lines))


def parts(text: str, lines: list[Line]) -> Iterator[tuple[Span, list[Line]]]:
    """The sections of a page, each with its lines."""
    found = spans(text, lines)
    start = 0
    for span, after in zip_longest(found, found[1:]):
        end = after.line - 1 if after else len(lines)
        yield span, lines[start:end]
        start = end


def below(span: Span, own: Iterable[Line]) -> list[Line]:
    """The lines of a section without its heading."""
    return [line for line in own if not (span.level and line.number == span.line)]


def section(
    span: Span, own: list[Line], includes: list[Include], final: Mapping[str, int], snippet: Read, output: Output
) -> Section:
    """One section and what it stands on; `final` is the line of each included file's last part on the page."""
    here = within(own, includes)
    shown = words(below(span, own))
    return Section(
        span, len(shown) + len(span.title.split()), digest(" ".join(span.title.split())), digest(" ".join(shown)),
        digest(*code(own, here, snippet)), digest(*outputs(here, final, output)),
    )


def within(own: list[Line], includes: Iterable[Include]) -> list[Include]:
    """The includes that stand in a section's lines."""
    first, last = own[0].number, own[-1].number
    return [include for include in includes if first <= include.line <= last]


def code(lines: Iterable[Line], includes: Iterable[Include], snippet: Read) -> Iterator[str]:
    """The code of a section: fences and indented code as they stand, includes as what they include."""
    by_line = {include.line: include for include in includes}
    block: list[str] = []
    for line in lines:
        if line.number in by_line:
            block.append(included(by_line[line.number], snippet))
        elif line.block in {Block.FENCED, Block.CODE, Block.FENCE_MARK}:
            block.append(line.text.rstrip())
        elif block:
            yield dedent("\n".join(block))
            block = []
    if block:
        yield dedent("\n".join(block))


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
