"""A scraped page takes the form of its parallel page: each of its lines stands in the place of its counterpart."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from hexapla import files
from hexapla.convert.conversion_records import ConversionNote
from hexapla.convert.scraped.block_writers import Matches, end_of_region, restore_pieces
from hexapla.convert.scraped.line_likeness import BULLET, PERMALINK
from hexapla.convert.scraped.page_alignment import LoneLine, UnitMatch, align_page, judge_lone_lines
from hexapla.convert.scraped.parallel_page import ParallelPage, UnitKind, read_parallel_page
from hexapla.convert.scraped.site_words import NO_WORDS, SiteWords, read_names, site_words
from hexapla.convert.source_tree import read_text
from hexapla.errors import ConfigError

MOST_CELLS = 6_000_000  # pairs of lines that are looked at


class RestoredThing(NamedTuple):
    """A piece of structure that a page has again, on a line of the restored page."""

    kind: str
    line: int
    text: str
    confidence: float


class RestoredPage(NamedTuple):
    """The page, what was put back, what is uncertain or missing, and the lines of the site, by their numbers."""

    text: str
    things: tuple[RestoredThing, ...]
    notes: tuple[ConversionNote, ...]
    removed: Mapping[int, str]


class ScrapedLine(NamedTuple):
    """A line that holds something; `starts` says that there is an empty one before it."""

    number: int
    text: str
    starts: bool


def read_lines(text: str) -> list[ScrapedLine]:
    """The lines of a scraped page that hold something, without the space around them."""
    found, empty = [], True
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        bare = line.strip(" \r\n") if "\t" in bare else bare
        if bare:
            found.append(ScrapedLine(number, bare, empty))
        empty = not bare
    return found


def restore_text(scraped: str, parallel: str, place: str, path: str, known: SiteWords) -> RestoredPage:
    """A scraped page in the form of its parallel page, whose name is `place`; `path` is the name that notes have."""
    lines, page = read_lines(scraped), read_parallel_page(parallel)
    texts = [line.text for line in lines]
    pairs = align_page(texts, [line.starts for line in lines], page.units)
    lone = judge_lone_lines(texts, page.units, pairs)
    matches = match_words(page, place, texts, pairs, lone, known)
    done: list[str] = []
    things: list[RestoredThing] = []
    notes: list[ConversionNote] = []
    for piece in restore_pieces(matches):
        if not piece.text.strip() and (not done or done[-1] == "\n") and not piece.notes:
            continue
        number = len(done) + 1
        done += piece.text.splitlines(keepends=True)
        things += [RestoredThing(kind, number, text, confidence) for kind, text, confidence in piece.things]
        notes += [ConversionNote(kind, path, max(min(number, len(done)), 1), message) for kind, message in piece.notes]
    removed = {lines[each.line].number: texts[each.line] for each in lone if each.site}
    return RestoredPage("".join(done).rstrip("\n") + "\n", tuple(things), tuple(notes), removed)


def match_words(
    page: ParallelPage, place: str, texts: Sequence[str], pairs: Sequence[UnitMatch], lone: Sequence[LoneLine],
    known: SiteWords,
) -> Matches:
    """Which words stand in the place of which unit."""
    words: dict[int, tuple[str, float]] = {}
    for pair in pairs:
        unit = page.units[pair.unit]
        text = " ".join(texts[pair.first : pair.last])
        if unit.kind is UnitKind.ITEM:
            text = BULLET.sub("", text, count=1) if BULLET.match(text) else text
        elif unit.kind is UnitKind.HEADING:
            text = PERMALINK.sub("", text)
        words[unit.first] = text, pair.weight
    kept: dict[int, list[str]] = {}
    for each in lone:
        if not each.site:
            at = end_of_region(page.blocks, page.units[each.after].last - 1) if each.after >= 0 else -1
            kept.setdefault(at, []).append(texts[each.line])
    return Matches(page, place, words, {unit.first: unit for unit in page.units}, kept, known)


def restore_page(source: Path, target: Path, beside: Path) -> RestoredPage:
    """The text at `source` in the form of the page `beside` it, to become the page `target`. Raises ConfigError."""
    check_free(target)
    for file in (source, beside):
        if not file.is_file():
            raise ConfigError(f"{file}: is no file; with --beside name a text and the page that it is a translation of")
    scraped, parallel = (read_text(file).replace("\r\n", "\n") for file in (source, beside))
    if not scraped.strip():
        raise ConfigError(f"{source}: holds no text; save what the browser shows")
    if scraped.count("\n") * parallel.count("\n") > MOST_CELLS:
        raise ConfigError(f"{source}: is too long to be compared; take away what is not the page")
    return restore_text(scraped, parallel, str(beside), str(target), neighbouring_words(target, beside))


def write_restored(target: Path, page: RestoredPage) -> None:
    check_free(target)
    files.write_file(target, page.text.encode())


def check_free(target: Path) -> None:
    """See that a page can be written to a file. Raises ConfigError."""
    if target.exists():
        raise ConfigError(f"{target}: is there already; name a file that does not exist yet")


def neighbouring_words(restored: Path, beside: Path) -> SiteWords:
    """The words of the other pages of the language, where both pages have one place in the folders of two languages."""
    parallel, target = beside.resolve().parts, restored.resolve().parts
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(parallel[::-1], target[::-1], strict=False))))
    roots = [Path(*parts[: len(parts) - same]) for parts in (parallel, target)]
    if not same or roots[0].parent != roots[1].parent or roots[0] == roots[1] or not roots[1].is_dir():
        return NO_WORDS
    names = [
        read_names({file.relative_to(root).as_posix(): files.read_text(root, file, errors="replace")
                    for file in files.pages_under(root) if files.is_own_file(root, file)}) for root in roots]
    return site_words("/".join(parallel[len(parallel) - same :]), *names)
