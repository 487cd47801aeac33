"""The blocks of the parallel page, written with the words of the scraped one; what these lack is left out, and said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hexapla.convert.scraped.inline import LINK, escape_first, escape_text
from hexapla.convert.scraped.marks import MarkedWords, place_marks, write_marks
from hexapla.convert.scraped.parallel_page import CODES, TAB, ParallelPage, ParallelUnit, UnitKind
from hexapla.convert.scraped.site_words import SiteWords
from hexapla.pages.blocks import INCLUDE, BlockKind, SourceBlock
from hexapla.pages.lines import indentation

PICTURE = re.compile(r"!\[[^\[\]]*\](?=\()")
TABLE = {BlockKind.ROW, BlockKind.DELIMITER}
TITLES = {UnitKind.TITLE, UnitKind.UNTITLED}
FENCES = CODES | {BlockKind.FENCE_MARK}
Thing = tuple[str, str, float]


class RestoredPiece(NamedTuple):
    """Lines of the restored page; what was put back in them (kind, text, confidence) and what is uncertain."""

    text: str
    things: tuple[Thing, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()


class Matches(NamedTuple):
    """The parallel page with the words that stand for its units, and the lines that stand for none, by unit before."""

    page: ParallelPage
    place: str  # the parallel page's name
    words: Mapping[int, tuple[str, float]]  # by the first block of a unit
    units: Mapping[int, ParallelUnit]  # by their first block
    kept: Mapping[int, Sequence[str]]  # by the block that they come after
    known: SiteWords

    def has_words(self, first: int, last: int) -> bool:
        """Whether something of the blocks first to last + 1 is in the scraped page."""
        return any(at in self.words for at in range(first, last))


def end_of_region(blocks: Sequence[SourceBlock], at: int) -> int:
    """The last block of the table or the code that a block is in, itself elsewhere."""
    kinds = next((kinds for kinds in (TABLE, FENCES) if blocks[at].kind in kinds), None)
    while kinds and at + 1 < len(blocks) and blocks[at + 1].kind in kinds and (
            blocks[at].line.fence == blocks[at + 1].line.fence):
        at += 1
    return at


def restore_pieces(matches: Matches) -> Iterator[RestoredPiece]:
    blocks = matches.page.blocks
    at = 0
    yield from kept_lines(matches, -1, "")
    while at < len(blocks):
        block = blocks[at]
        if block.kind in FENCES or block.kind in TABLE:
            last = end_of_region(blocks, at) + 1
            yield from (write_table if block.kind in TABLE else write_code)(matches, at, last)
        elif block.kind is BlockKind.FRONT_MATTER:
            last = next((each for each in range(at, len(blocks)) if blocks[each].kind is not block.kind), len(blocks))
            yield from front_matter(matches, at, last)
        elif at in matches.units:
            unit = matches.units[at]
            last = unit.last
            yield from (write_title_line if unit.kind in TITLES else write_flowing_block)(matches, unit)
        else:
            last = at + 1
            yield from write_frame(matches, block)
        indent = re.match(r"[ >]*", block.line.text)
        for each in range(at, last):
            yield from kept_lines(matches, each, indent.group() if indent and block.line.text.strip() else "")
        at = last


def kept_lines(matches: Matches, at: int, indent: str) -> Iterator[RestoredPiece]:
    """Lines that only the scraped page has, as paragraphs."""
    for text in matches.kept.get(at, ()):
        yield RestoredPiece("\n")
        note = "text-alone", f"{matches.place} has no counterpart of this; it stays as a paragraph"
        yield RestoredPiece(f"{indent}{escape_first(escape_text(text))}\n", (), (note,))
        yield RestoredPiece("\n")


def write_flowing_block(matches: Matches, unit: ParallelUnit) -> Iterator[RestoredPiece]:
    """A heading, a paragraph or an item."""
    block = matches.page.blocks[unit.first]
    if unit.first not in matches.words:
        yield missing_piece(matches, unit)
        return
    words, confidence = matches.words[unit.first]
    marked = place_marks(words, unit.cells[0], matches.known)
    text = write_marks(marked)
    heading = unit.kind is UnitKind.HEADING
    prefix = "#" * block.level + " " if heading and "#" not in block.prefix else block.prefix
    text = text if heading else escape_first(text)
    suffix = f" {block.suffix.strip()}" if block.suffix.strip() else ""
    own = ((unit.kind.value, words, confidence),) if unit.kind is not UnitKind.PARAGRAPH else ()
    yield RestoredPiece(f"{prefix}{text}{suffix}\n", own + found_marks(marked, confidence),
                lost_marks(marked, matches, block.line.number))


def found_marks(marked: MarkedWords, confidence: float) -> tuple[Thing, ...]:
    """The marks that were put back, with how sure each is."""
    return tuple(
        (mark.kind, f"{marked.text[slice(*each.span)]} -> {mark.target}" if mark.kind is LINK
         else marked.text[slice(*each.span)], each.confidence * confidence)
        for each in marked.placed for mark in each.marks)


def lost_marks(marked: MarkedWords, matches: Matches, line: int) -> tuple[tuple[str, str], ...]:
    """What is to be said of marks whose place is not known."""
    return tuple(
        (f"{mark.kind}-place", f"{mark.opens}...{mark.closes} of {matches.place}:{line} belongs here; put it around "
         "the words that it is about") for mark in marked.lost)


def missing_piece(matches: Matches, unit: ParallelUnit) -> RestoredPiece:
    """What is to be said of something that the scraped page lacks."""
    links = sum(mark.kind is LINK for cell in unit.cells for mark in cell.marks)
    also = f" with {links} link{'s' * (links > 1)}" if links else ""
    line = matches.page.blocks[unit.first].line.number
    message = f"{matches.place}:{line} has a {unit.kind.value}{also} here that the scraped page lacks"
    return RestoredPiece("", (), (("missing", f"{message}; write it, or see whether it is wanted"),))


def write_title_line(matches: Matches, unit: ParallelUnit) -> Iterator[RestoredPiece]:
    """The line that opens a call-out or a tab, if anything of it is in the scraped page."""
    blocks, block = matches.page.blocks, matches.page.blocks[unit.first]
    line = block.line.text.rstrip("\n")
    title, confidence = matches.words.get(unit.first, ("", 0.0))
    if not title and not matches.has_words(unit.first, end_of_inside(blocks, unit.first)):
        return
    kind = "tab" if line.lstrip(" ").startswith(TAB) else "call-out"
    things: tuple[Thing, ...] = ((kind, title or line.strip(), confidence or 1.0),)
    notes: tuple[tuple[str, str], ...] = ()
    quoted = escape_text(title).replace('"', "&quot;")
    if unit.kind is UnitKind.TITLE and title:
        line = block.prefix + quoted + line[len(block.prefix) + block.words[0][1] - block.words[0][0]:]
    elif unit.kind is UnitKind.TITLE:
        notes = (("title", f"the title is the one of {matches.place}; the scraped page lacks it"),)
    elif title:
        line += f' "{quoted}"'
    yield RestoredPiece(line + "\n", things, notes)


def end_of_inside(blocks: Sequence[SourceBlock], first: int) -> int:
    """The block after the last that is indented deeper than the line that opens a call-out or a tab."""
    indent = indentation(blocks[first].line.text)
    at = first + 1
    while at < len(blocks):
        text = blocks[at].line.text
        if text.strip() and indentation(text) <= indent:
            break
        at += 1
    return at


def write_code(matches: Matches, first: int, last: int) -> Iterator[RestoredPiece]:
    """A block of code: its lines are those of the parallel page where they are the same, so that it keeps its form."""
    blocks = matches.page.blocks
    units = [matches.units[at] for at in range(first, last) if at in matches.units]
    found = [unit for unit in units if unit.first in matches.words]
    if not found and units:
        yield missing_piece(matches, units[0])
        return
    sure = sum(matches.words[unit.first][1] for unit in found) / len(found) if found else 1.0
    things: tuple[Thing, ...] = (("code block", f"{len(found)} lines", sure),)
    if any(INCLUDE in blocks[at].line.text for at in range(first, last)):
        message = f"the code is included, as in {matches.place}:{blocks[first].line.number}"
        yield RestoredPiece("", (), (("include", f"{message}; take out what of it is copied beside this block"),))
    for at in range(first, last):
        line = blocks[at].line.text
        if at in matches.units and at not in matches.words:
            yield missing_piece(matches, matches.units[at])
            continue
        words = matches.words.get(at, (line.strip(), 1.0))[0]
        text = line if words.strip() == line.strip() else line[: len(line) - len(line.lstrip())] + words + "\n"
        yield RestoredPiece(text if text.strip() else "\n", things if at == first else ())


def write_table(matches: Matches, first: int, last: int) -> Iterator[RestoredPiece]:
    blocks = matches.page.blocks
    if not matches.has_words(first, last):
        yield missing_piece(matches, next(matches.units[at] for at in range(first, last) if at in matches.units))
        return
    for at in range(first, last):
        unit, line = matches.units.get(at), blocks[at].line.text
        if unit is None:
            yield RestoredPiece(line)
        elif at not in matches.words:
            yield missing_piece(matches, unit)
        else:
            yield write_row(matches, unit)


def write_row(matches: Matches, unit: ParallelUnit) -> RestoredPiece:
    block = matches.page.blocks[unit.first]
    words, confidence = matches.words[unit.first]
    cells = [cell.strip() for cell in words.split("\t")]
    cells = cells if len(cells) == len(unit.cells) else [cell for cell in cells if cell]
    if len(cells) != len(unit.cells):
        return RestoredPiece(f"| {' | '.join(escape_text(cell).replace('|', chr(92) + '|') for cell in cells)} |\n", (),
                     (("cells", f"{matches.place}:{block.line.number} has {len(unit.cells)} cells in this row"),))
    done, position = [], 0
    things: list[Thing] = [("row", words.replace("\t", " | "), confidence)]
    notes: list[tuple[str, str]] = []
    for cell, text, (start, end) in zip(unit.cells, cells, block.words, strict=True):
        marked = place_marks(text, cell, matches.known)
        things += found_marks(marked, confidence)
        notes += lost_marks(marked, matches, block.line.number)
        done.append(block.line.text[position : start - block.start] + write_marks(marked).replace("|", "\\|"))
        position = end - block.start
    return RestoredPiece("".join(done) + block.line.text[position:], tuple(things), tuple(notes))


def front_matter(matches: Matches, first: int, last: int) -> Iterator[RestoredPiece]:
    """The front matter without what a reader would see of it, which the scraped page does not have."""
    blocks = matches.page.blocks[first:last]
    own = [block for block in blocks if not block.words]
    said = [block.prefix.partition(":")[0].strip() for block in blocks if block.words]
    notes = tuple(("front-matter", f"{matches.place} has a {key} here; write it in this language") for key in said)
    yield RestoredPiece("".join(block.line.text for block in own) if len(own) > 2 else "", (), notes)


def write_frame(matches: Matches, block: SourceBlock) -> Iterator[RestoredPiece]:
    """A line of the parallel page that shows no words: an empty one, a comment, HTML, a picture, a rule."""
    line = block.line.text if block.line.text.strip() else "\n"
    if block.kind is BlockKind.UNDERLINE:
        return
    if PICTURE.search(line):
        yield RestoredPiece(PICTURE.sub("![]", line), (("picture", line.strip(), 1.0),), (
            ("picture", f"describe the picture; {matches.place}:{block.line.number} does"),))
    else:
        yield RestoredPiece(line)
