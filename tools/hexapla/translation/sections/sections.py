"""A page cut into sections: each heading with what stands below it, up to the next heading of any level."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import zip_longest
from textwrap import dedent
from typing import NamedTuple

from hexapla.pages import Heading, Include, SectionError, excerpt
from hexapla.pages.blocks import (
    BRACKETED_ID,
    DELIMITER,
    FRONT_MATTER,
    INCLUDE,
    UNDERLINES,
    SourceBlock,
    classify_lines,
    read_blocks,
)
from hexapla.pages.lines import PROSE, Closes, Line, LineKind, closes_same, front_matter_end
from hexapla.pages.parser import find_directives, find_headings
from hexapla.pages.verbatim import replace_verbatim

Read = Callable[[str], str]  # an included file's path -> its text; raises OSError or ValueError
Output = Callable[[str], str]  # a snippet's path -> the recorded output that pages show, "" for none

# What a hash of a translation's words leaves out: ids of headings, and where links lead, which `check` compares; and
# what front matter says of the source that the page was made from, which is written at each `sync`, or by others'
# programs.
MARKUP = re.compile(r"\{:?[ \t]*#[^{}\n]*\}|(?<=\]\()[^()\s]*")
DRIFT = re.compile(r"^drifted_from_default:.*\n(?:(?:\r?\n)*[ \t].*\n)*", re.MULTILINE)  # all lines of its value
NAMED_SOURCE = re.compile(
    rf"^default_lang_commit:.*$|{DRIFT.pattern}|(?<=^translation:\n)  sections: \[.*$", re.MULTILINE)
NOT_SLUG = re.compile(r"[^\w\- ]")
LEAD = ""  # the id of what stands above the first heading
PREFIX = re.compile(r"[ \t>]*(?P<bullet>[*+](?=[ \t]))?")
CELLS = re.compile(r"(?:(?<![ \t])[ \t]++)?+(?<!\\)\|[ \t]*")  # white space is tried once, from its start
TARGET = re.compile(r"""\b(href|src|srcset|poster)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^\s>]+)""")
TAG = re.compile(r"</?[A-Za-z][^<>:=]*(?:[\s=/>])")


class SectionSpan(NamedTuple):
    """Where a section stands in its page's text, from `line`; `pinned` says that an author wrote its id.

    A tuple, not a dataclass, as are the records below: a tree has tens of thousands of each.
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
    """A section of the source: its count of words, and hashes of its title, text, code and output, "" for none."""

    span: SectionSpan
    words: int
    title: str
    text: str
    code: str
    output: str


@lru_cache(maxsize=64)
def cut_sections(text: str, closes_fence: Closes = closes_same) -> tuple[SectionSpan, ...]:
    """The sections of a page, in order; their texts joined are the page's. A page on the desk is asked for often."""
    return section_spans(text, read_blocks(text, closes_fence))


def section_spans(text: str, blocks: Sequence[SourceBlock]) -> tuple[SectionSpan, ...]:
    """The sections of a page whose blocks are already read, in order."""
    headings = list(find_headings(blocks))
    found: list[SectionSpan] = []
    first = blocks[headings[0].line - 1].start if headings else len(text)
    if any(plain_line(block).strip() for block in blocks[: headings[0].line - 1 if headings else None]):
        found.append(SectionSpan(LEAD, "", 0, 1, 0, first, True))
    for index, (heading, named) in enumerate(zip(headings, name_headings(headings), strict=True)):
        title, name, pinned, twice = named
        start = blocks[heading.line - 1].start if found else 0
        end = blocks[headings[index + 1].line - 1].start if index + 1 < len(headings) else len(text)
        found.append(SectionSpan(name, title, heading.level, heading.line, start, end, pinned, twice))
    return tuple(found)


def name_headings(headings: Iterable[Heading]) -> Iterator[tuple[str, str, bool, bool]]:
    """The title of each heading and its id; whether an author wrote that, and whether one above has it."""
    taken: dict[str, int] = {LEAD: 1}
    for heading in headings:
        title, wanted = heading.text, heading.id
        if not wanted and title.endswith("]]") and (brackets := BRACKETED_ID.search(title)):
            title, wanted = title[: brackets.start()], brackets["id"]
        # It has to be the same from day to day, not the same as the renderer's.
        name = wanted or NOT_SLUG.sub("", title.strip().lower()).replace(" ", "-") or "section"
        taken[name] = count = taken.get(name, 0) + 1
        yield title, name if count == 1 else f"{name}~{count}", bool(wanted), count > 1


def section_ids(lines: Sequence[Line]) -> dict[int, str]:
    r"""The ids of a page's sections by the lines of their headings: those that `cut_sections` finds.

    Only lines that can be of a heading are looked at, with those around them on which that depends: a page of tables
    takes a sixth of the time.

    >>> from hexapla.pages.lines import read
    >>> section_ids([*read("A\n=\n\nText.\n\n## A\n")])
    {1: 'a', 6: 'a~2'}
    """
    marked = [at for at, line in enumerate(lines) if line.kind is PROSE
              and ("#" in line.text or UNDERLINES.match(line.text.rstrip("\r\n")))]
    near = sorted({at for mark in marked for at in range(max(0, mark - 2), min(mark + 2, len(lines)))})
    headings = [*find_headings(classify_lines([lines[at] for at in near]))]
    return {heading.line: name for heading, (_, name, *_) in zip(headings, name_headings(headings), strict=True)}


def hash_parts(*parts: str) -> str:
    """12 hexadecimal digits of the parts, "" where all are empty."""
    if not any(parts):
        return ""
    packed = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(packed, digest_size=6).hexdigest()


def translation_digest(text: str) -> str:
    """A digest of what a translated section says: of its Markdown without ids, targets of links and line breaks.

    >>> translation_digest("## Eins {#one}\\n\\nEin [Wort](a.md).") == translation_digest("## Eins\\nEin [Wort](b.md).")
    True
    """
    lines = text.split("\n") if text.startswith("---") else []
    if front := front_matter_end(lines):
        text = "\n".join((NAMED_SOURCE.sub("", "\n".join(lines[:front])), *lines[front:]))
    return hash_parts(" ".join(MARKUP.sub("", text).split()))


def whole_digest(text: str) -> str:
    """A digest of all that stands in a section; the ends of its lines and how they are broken make no difference."""
    return hash_parts(" ".join(text.split()))


def source_sections(
    text: str, snippet: Read, output: Output, closes_fence: Closes = closes_same
) -> tuple[Section, ...]:
    """The sections of a source page with their hashes."""
    return tuple(
        Section(
            each.span, len(each.words) + len(each.title), hash_parts(" ".join(each.title)),
            hash_parts(" ".join(each.words)), hash_parts(*each.code(snippet)), hash_parts(*each.outputs(output)),
        )
        for each in section_contents(text, closes_fence)
    )


@dataclass(frozen=True)
class SectionContent:
    """A section and what it shows; `final` is the line of each included file's last part on the page."""

    span: SectionSpan
    blocks: Sequence[SourceBlock]
    includes: Sequence[Include]
    final: Mapping[str, int]

    @property
    def title(self) -> tuple[str, ...]:
        return tuple(self.span.title.split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        heading = self.span.line if self.span.level else 0
        return prose_words(block for block in self.blocks if block.line.number != heading)

    def code(self, snippet: Read) -> tuple[str, ...]:
        """Its pieces of code: fences and indented code as they stand, includes as what they include."""
        by_line = {include.line: include for include in self.includes}
        pieces: list[list[str]] = [[]]
        for line in (block.line for block in self.blocks):
            if line.number in by_line:
                pieces[-1].append(included_text(by_line[line.number], snippet))
            elif line.kind in {LineKind.FENCED, LineKind.CODE, LineKind.FENCE_MARK}:
                pieces[-1].append(line.text.rstrip())
            elif pieces[-1]:
                pieces.append([])
        return tuple(dedent("\n".join(piece)) for piece in pieces if piece)

    def outputs(self, output: Output) -> tuple[str, ...]:
        """The recorded outputs that the site shows in it: below the last part of a snippet on the page."""
        shown = (each for each in self.includes if each.language and self.final[each.path] == each.line)
        return tuple(output(include.path) for include in shown)


def section_contents(text: str, closes_fence: Closes = closes_same) -> Iterator[SectionContent]:
    """The sections of a page in order, with what they show."""
    blocks = read_blocks(text, closes_fence)
    includes = [each for each in find_directives(block.line for block in blocks) if isinstance(each, Include)]
    final = {include.path: include.line for include in includes}
    found = section_spans(text, blocks)
    start, waiting = 0, deque(includes)
    for span, after in zip_longest(found, found[1:]):
        end = after.line - 1 if after else len(blocks)
        own = []
        while waiting and waiting[0].line <= end:
            own.append(waiting.popleft())
        yield SectionContent(span, blocks[start:end], own, final)
        start = end


def included_text(include: Include, snippet: Read) -> str:
    """What an include shows, or its directive where that cannot be read."""
    try:
        return included_part(snippet(include.path), include.section, include.first, include.last)
    except (OSError, ValueError, SectionError):
        return f"{include.path}:{include.section}"


@lru_cache(maxsize=1024)
def included_part(text: str, section: str, first: int | None, last: int | None) -> str:
    """A part of an included file: many pages show the same."""
    return excerpt(text, section, first, last).text


def prose_words(blocks: Iterable[SourceBlock]) -> tuple[str, ...]:
    """The words of prose lines and of front matter that a reader sees; wrapping and link targets do not count."""
    return tuple(replace_verbatim(keep_verbatim, "\n".join(filter(None, map(plain_line, blocks)))).split())


def plain_line(block: SourceBlock) -> str:
    """A line without what only lays it out; "" for one that is no prose."""
    line = block.line
    if block.kind is FRONT_MATTER:
        return line.text.partition(":")[2].strip(" \t\r\n\"'") if block.words else ""
    if line.kind is not PROSE or INCLUDE in line.text or block.kind is DELIMITER:
        return ""
    text = line.text.rstrip()
    lead = PREFIX.match(text)
    if lead:
        text = ("-" if lead["bullet"] else "") + text[lead.end() :]
    return CELLS.sub(" | ", text) if text.startswith("|") else text


def keep_verbatim(match: re.Match[str]) -> str:
    """What stays of a piece that is not prose: code and footnotes as they are, a link without where it leads."""
    piece = match.group()
    if piece.startswith(("`", "[^")):
        return piece
    if piece.startswith("]"):
        return "]("  # a word of text that has become a link, or is none any more, has changed
    return TARGET.sub(r"\1", piece) if TAG.match(piece) else ""


def align_sections(
    source: Sequence[SectionSpan], translation: Sequence[SectionSpan], renamed: Callable[[str, str], bool]
) -> dict[str, SectionSpan]:
    """The translation's sections by the source's ids; what has no counterpart is left out.

    One without an id of its own, or that was `renamed`, stands for that of its level between the same neighbours.
    """
    own = {span.id: span for span in translation}
    found = {span.id: own[span.id] for span in source if span.id in own}
    if len(found) == len(source):
        return found
    taken = {span.id for span in found.values()}
    if all(span.id in taken for span in translation):
        return found
    if not any(span.pinned for span in translation if span.level) and levels_of(source) == levels_of(translation):
        return {ours.id: theirs for ours, theirs in zip(source, translation, strict=True)}
    for ours, theirs in find_gaps(source, translation, found):
        if len(ours) == len(theirs) and levels_of(ours) == levels_of(theirs):
            for one, other in zip(ours, theirs, strict=True):
                if not other.pinned or renamed(one.id, other.id):
                    found[one.id] = other
    return found


def levels_of(spans: Sequence[SectionSpan]) -> list[int]:
    return [span.level for span in spans]


def find_gaps(
    source: Sequence[SectionSpan], translation: Sequence[SectionSpan], found: dict[str, SectionSpan]
) -> list[tuple[list[SectionSpan], list[SectionSpan]]]:
    """The runs of sections without counterpart, those of both sides that follow the same section."""
    ours = runs_behind(source, {name: name for name in found})
    theirs = runs_behind(translation, {span.id: name for name, span in found.items()})
    return [(run, theirs[key]) for key, run in ours.items() if key in theirs]


def runs_behind(spans: Sequence[SectionSpan], names: Mapping[str, str]) -> dict[str | None, list[SectionSpan]]:
    """The runs of sections that have no name, each by the name of the section above it."""
    runs: dict[str | None, list[SectionSpan]] = {}
    before: str | None = None
    for span in spans:
        before = names.get(span.id, before)
        if span.id not in names:
            runs.setdefault(before, []).append(span)
    return runs
