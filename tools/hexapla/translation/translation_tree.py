"""The pages of a tree in every language, the source's sections, and records of what was translated from what."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import Cache, digest, key_of
from hexapla.config.layout import Layout, index_pages
from hexapla.errors import ConfigError
from hexapla.files import ChangedError, join_inside, lock_folder, read_file, replace_if_unchanged
from hexapla.git import Repository
from hexapla.pages.lines import Closes
from hexapla.translation.records import records
from hexapla.translation.records.records import Key, PageRecords, Record, Records
from hexapla.translation.sections.sections import Output, Read, Section, SectionSpan, cut_sections, source_sections
from hexapla.translation.sections.segments import Segment, all_segments

# The files that a page includes, and perhaps more: one that shows nothing in the end does no harm.
INCLUDED = re.compile(rb"""8<-+[ \t]+["']([^"'\n:]+)""")
REVIEW = "review"  # the folder of verdicts among those of the languages' records


class PageFile(NamedTuple):
    """A page's file as it was read; `text` is None where it is not UTF-8."""

    data: bytes
    digest: str
    text: str | None


@lru_cache(maxsize=64)
def read_page_file(root: Path, path: str, state: tuple[int, int, int]) -> PageFile:
    """A page's file, read once in each of its states: a page has thousands of sections. Raises OSError."""
    data = read_file(root, path)
    try:
        return PageFile(data, digest(data), data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return PageFile(data, digest(data), None)


@lru_cache(maxsize=64)
def spans_by_id(text: str, closes_fence: Closes) -> Mapping[str, SectionSpan]:
    return {span.id: span for span in cut_sections(text, closes_fence)}


class RecordedOutputs(NamedTuple):
    """The folder where outputs of snippets are recorded, and the function that reads the texts of its files."""

    folder: Path
    read: Callable[[tuple[str, ...]], Output]


@dataclass(frozen=True)
class TranslationTree:
    """The pages of a layout: `files` gives the path of each by language and name.

    `snippet` and `output` return what a section shows besides its text; `recordings` is None where the past of outputs
    is not known. A page that is not UTF-8 has no sections; `unreadable` says why, by path. `digests` are those of the
    pages as they were read last, `modified` the paths of pages that changed while the tree was in use, `recorded` the
    records by language as they were read first, with what was written since.
    """

    layout: Layout
    files: Mapping[str, Mapping[str, str]]
    snippet: Read
    output: Output
    cache: Cache = field(default_factory=lambda: Cache(None))
    recordings: RecordedOutputs | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    modified: set[str] = field(default_factory=set)
    recorded: dict[str, tuple[Records, dict[Key, tuple[Record, ...]]]] = field(default_factory=dict)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that are translated by people; a derived one only where it has pages of its own."""
        layout = self.layout
        return tuple(code for code in layout.languages if code not in layout.derived or self.files[code])

    @cached_property
    def repository(self) -> Repository:
        """The history of the tree, which is read once."""
        return self.layout.repository

    @cached_property
    def source(self) -> dict[str, "SourcePage"]:
        return {name: SourcePage(self, path) for name, path in self.files[self.layout.source].items()}

    def sections(self, name: str) -> tuple[Section, ...]:
        """The sections of a page of the source, none where the source has no such page."""
        return self.source[name].sections if name in self.source else ()

    def section(self, name: str, section: str) -> Section | None:
        """A section of a page of the source by its id, None where the source does not have it."""
        return self.source[name].by_id.get(section) if name in self.source else None

    @cached_property
    def section_keys(self) -> frozenset[Key]:
        """Every page and section of the source."""
        return frozenset((name, section.span.id) for name, page in self.source.items() for section in page.sections)

    @cached_property
    def sections_by_words(self) -> Mapping[tuple[str, str], tuple[str, Section]]:
        """The source's sections by the hashes of their title and text, with their page."""
        return {
            (section.title, section.text): (name, section)
            for name, page in self.source.items() for section in page.sections
        }

    @cached_property
    def records(self) -> "LanguageRecords":
        """The records by language, each read when it is asked for."""
        return LanguageRecords(self)

    def file(self, path: str) -> PageFile:
        """A page's file, as it is now; empty where it cannot be read."""
        try:
            state = os.stat(f"{self.layout.root}/{path}")  # noqa: PTH116  # thousands: pathlib takes longer
            found = read_page_file(self.layout.root, path, (state.st_ino, state.st_mtime_ns, state.st_size))
        except OSError as error:
            self.unreadable[path] = f"this page cannot be read: {error.strerror or error}"
            found = PageFile(b"", digest(b""), "")
        if self.digests.get(path, found.digest) != found.digest:
            self.modified.add(path)
        self.digests[path] = found.digest
        return found

    def data(self, path: str) -> bytes:
        """A page's bytes, none where it cannot be read."""
        return self.file(path).data

    def text(self, path: str) -> str:
        """A page's text with its own line endings; "" where it is not UTF-8."""
        return self.decoded(self.file(path), path)

    def decoded(self, file: PageFile, path: str) -> str:
        """The text of a page's file; "" where it is not UTF-8."""
        if file.text is None:
            self.unreadable[path] = "this page is no UTF-8 text, so no section of it is known: save it as UTF-8"
        return file.text or ""

    def segments(self, path: str) -> tuple[Segment, ...]:
        """All messages of a page, none without a path."""
        return all_segments(self.text(path), self.layout.closes_fence(path)) if path else ()

    def spans(self, language: str, name: str) -> Mapping[str, SectionSpan]:
        """The sections of a translation by id, none where the page is not translated."""
        path = self.files[language].get(name)
        return spans_by_id(self.text(path), self.layout.closes_fence(path)) if path else {}

    def source_text(self, name: str, section: Section) -> str:
        return self.text(self.source[name].path)[section.span.start : section.span.end]

    def section_text(self, language: str, name: str, section: str) -> str:
        """The text of a section of a translation, by its id there; "" for one that is not there."""
        span = self.spans(language, name).get(section)
        return self.text(self.files[language][name])[span.start : span.end] if span else ""

    @cached_property
    def included_text(self) -> Read:
        """A function that returns an included file's text; each is read once. It raises OSError and ValueError."""
        return lru_cache(maxsize=None)(self.snippet)

    def included_digest(self, path: str) -> str:
        """A digest of an included file and its recorded output, "" where it cannot be read."""
        try:
            return digest(self.included_text(path), self.output(path))
        except (OSError, ValueError):
            return ""


class LanguageRecords(dict[str, Records]):
    """The records of a tree by language; the first ones that are read of a language are kept as `recorded`."""

    def __init__(self, tree: TranslationTree) -> None:
        self.tree = tree

    def __missing__(self, language: str) -> Records:
        self[language] = found = parse_records(language, record_files(self.tree.layout.root, language))
        self.tree.recorded.setdefault(language, (found, {}))
        return found


class SourcePage:
    """A page of the source, read on first use; `digest` changes when it does, or anything that it shows."""

    def __init__(self, tree: TranslationTree, path: str) -> None:
        self.tree, self.path = tree, path

    @cached_property
    def file(self) -> PageFile:
        """Its file as it was read first."""
        return self.tree.file(self.path)

    @cached_property
    def digest(self) -> str:
        """A digest of its bytes, of the files that it includes and of their recorded outputs."""
        included = {name.decode("utf-8", "replace") for name in INCLUDED.findall(self.file.data)}
        return digest(self.file.data, *map(self.tree.included_digest, sorted(included)))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Its sections, from the cache where nothing that it shows has changed."""
        tree, closes = self.tree, self.tree.layout.closes_fence(self.path)
        key = key_of("sections", self.digest, closes)
        kept = tree.cache.get(key)
        if kept is not None:
            return tuple(Section(SectionSpan._make(span), *rest) for span, *rest in kept)
        text = tree.decoded(self.file, self.path)
        made = source_sections(text, tree.included_text, tree.output, closes)
        if self.path not in tree.unreadable:
            tree.cache.put(key, made)
        return made

    @cached_property
    def by_id(self) -> Mapping[str, Section]:
        return {section.span.id: section for section in self.sections}


def read_tree(
    layout: Layout, snippet: Read, output: Output, cache: Cache | None = None,
    recordings: RecordedOutputs | None = None,
) -> TranslationTree:
    """The tree of a layout; without a cache nothing is kept for the next run."""
    return TranslationTree(layout, index_pages(layout), snippet, output, cache or Cache(None), recordings)


def parse_records(language: str, files: Mapping[str, bytes]) -> Records:
    """The records in a language's files, as `record_files` reads them."""
    return Records(language, {name: data.decode("utf-8", "surrogateescape") for name, data in files.items()})


def record_files(root: Path, language: str) -> dict[str, bytes]:
    """A language's files of records by page. Raises ConfigError for one that cannot be read."""
    folder = f"{root}/{records.FOLDER}/{language}"

    def refuse_file(error: OSError, file: str = folder) -> None:
        if not isinstance(error, FileNotFoundError):
            shown, why = os.path.relpath(error.filename or file, root), error.strerror or error
            raise ConfigError(f"{shown}: {why}; it has to be a file that can be read, or not to be there") from error

    walked = os.walk(folder, onerror=refuse_file)
    files = sorted(f"{path}/{name}" for path, _, names in walked for name in names if name.endswith(".txt"))
    found = {}
    for file in files:
        try:
            state = os.stat(file)  # noqa: PTH116  # thousands: pathlib takes longer
            data = read_records_file(root, file, (state.st_ino, state.st_mtime_ns, state.st_size))
        except OSError as error:
            refuse_file(error, file)
        else:
            found[file[len(folder) + 1 : -len(".txt")].replace(os.sep, "/")] = data
    return found


@lru_cache(maxsize=8192)
def read_records_file(root: Path, file: str, state: tuple[int, int, int]) -> bytes:
    """A file of records, read once in each of its states: the editor reads all of a language with each save."""
    return read_file(root, Path(file))


def record_digests(tree: TranslationTree) -> dict[str, str]:
    """A digest of each language's files of records and verdicts, "unreadable" where one cannot be read."""
    found: dict[str, str] = {}
    for code in tree.languages:
        try:
            files = [record_files(tree.layout.root, folder) for folder in (code, f"{REVIEW}/{code}")]
            found[code] = key_of("records", *files)
        except ConfigError:
            found[code] = "unreadable"
    return found


def write_records(
    tree: TranslationTree, language: str, new: Mapping[Key, Record | None], mended: Iterable[str] = ()
) -> None:
    """Write new records of a language's sections, None to take one out; pages `mended` get rid of a merge's marks.

    What others recorded meanwhile stays; for the same section ChangedError is raised once all else is written.
    """
    root = tree.layout.root
    with lock_folder(root / records.FOLDER):
        files = record_files(root, language)
        known = parse_records(language, files)
        theirs = recorded_since(tree, language, known, new)
        by_page: dict[str, dict[str, Record | None]] = {name: {} for name in mended}
        for (name, section), record in new.items():
            if (name, section) not in theirs:
                by_page.setdefault(name, {})[section] = record
                tree.recorded[language][1][name, section] = (record,) if record else ()
        made = {name: page_records_data(tree, name, known, each) for name, each in by_page.items()}
        for name, data in made.items():
            if data != files.get(name):
                replace_if_unchanged(join_inside(root, records.path(language, name)), files.get(name), data)
    tree.records.pop(language, None)
    refuse_recorded(language, theirs)


def recorded_since(
    tree: TranslationTree, language: str, known: Records, new: Mapping[Key, Record | None]
) -> list[Key]:
    """The sections of new records that others have recorded otherwise since the tree read its records."""
    first, written = tree.recorded[tree.records[language].language]
    return [key for key, record in new.items()
            if known.section(*key) not in (written.get(key, first.section(*key)), (record,) if record else ())]


def refuse_recorded(language: str, theirs: Iterable[Key]) -> None:
    """Raise ChangedError where others have recorded sections."""
    if named := ", ".join(f"{page}#{section}" for page, section in sorted(theirs)):
        raise ChangedError(f"{records.FOLDER}/{language}: the record of {named}")


def page_records_data(
    tree: TranslationTree, name: str, known: Records, new: Mapping[str, Record | None]
) -> bytes | None:
    """The file of a page's records with new ones, None for that of a page that has none and is not in the source."""
    order = [section.span.id for section in tree.sections(name)]
    before = known.pages.get(name, PageRecords())
    if before.later:
        raise ConfigError(f"{records.path(known.language, name)}: {before.later}")
    page = records.with_records(before, new, order)
    if not order and not any(page.of.values()) and not page.strange:
        return None
    return records.dump_page(page).encode("utf-8", "surrogateescape")


def require_unrecorded(tree: TranslationTree, language: str, new: Mapping[Key, Record | None]) -> None:
    """See that records may be written, which no others have changed meanwhile. Raises ChangedError, ConfigError."""
    known = parse_records(language, record_files(tree.layout.root, language))
    for name in {page for page, _ in new}:
        join_inside(tree.layout.root, records.path(language, name))
        page_records_data(tree, name, known, {})
    refuse_recorded(language, recorded_since(tree, language, known, new))


def write_page(tree: TranslationTree, path: str, text: str | None) -> None:
    """Write a page whole, or remove it; a byte order mark stays. Raises ChangedError, OutsideError, OSError."""
    if (source := tree.layout.elsewhere) and tree.layout.is_elsewhere(path):
        raise ConfigError(f"{path}: is a page of {source.folder}; change it there")
    before = tree.data(path) if path in tree.digests else None
    if path in tree.modified:
        raise ChangedError(path)
    mark = BOM_UTF8 if before and before.startswith(BOM_UTF8) else b""
    data = None if text is None else mark + text.encode()
    try:
        replace_if_unchanged(join_inside(tree.layout.root, path), before, data)
    except ChangedError as error:
        raise ChangedError(path) from error
    tree.digests[path] = digest(data or b"")
