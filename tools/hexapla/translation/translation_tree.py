"""The sections of a whole tree: the source's with their hashes, the translations' with their places, the records."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hexapla.config.layout import Layout, index_pages
from hexapla.errors import ConfigError
from hexapla.files import inside, write
from hexapla.translation import records
from hexapla.translation.kept import Kept, name_of
from hexapla.translation.records import Key, Records
from hexapla.translation.sections import Output, Read, Section, SectionSpan, cut, source_sections


@dataclass(frozen=True, slots=True)
class Recordings:
    """Where outputs are recorded: a folder, and what the texts of the files in it come to."""

    folder: Path
    read: Callable[[tuple[str, ...]], Output]


CACHE = ".hexapla/cache/sections.txt"
# What a page includes, and perhaps more: a place that shows nothing in the end does no harm.
PLACE = re.compile(rb"""8<-+[ \t]+["']([^"'\n:]+)""")


@dataclass(frozen=True)
class Tree:
    """`files` gives the path of each page by language and name; `snippet` and `output` what a section shows besides its
    text, `recordings` where outputs come from, None where that is not known.

    A page that is no UTF-8 has no sections; `unreadable` says of such paths why.
    """

    layout: Layout
    files: Mapping[str, Mapping[str, str]]
    snippet: Read
    output: Output
    cached: bool = True
    recordings: Recordings | None = None
    unreadable: dict[str, str] = field(default_factory=dict)
    _included: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, str] = field(default_factory=dict)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that are translated by people; a derived one only where somebody wrote pages in it."""
        layout = self.layout
        return tuple(code for code in layout.languages if code not in layout.derived or self.files[code])

    @cached_property
    def source(self) -> "SourcePages":
        """The source's sections by page; a page is read when it is asked for."""
        return SourcePages(self)

    @cached_property
    def keys(self) -> frozenset[Key]:
        """Every page and section of the source."""
        return frozenset((name, section.span.id) for name, found in self.source.items() for section in found)

    @cached_property
    def records(self) -> Mapping[str, Records]:
        """The records by language."""
        return {code: read_records(self.layout.root, code) for code in self.languages}

    def data(self, path: str) -> bytes:
        """A page's bytes, none where it cannot be read."""
        try:
            with open(f"{self.layout.root}/{path}", "rb") as file:  # noqa: PTH123  # thousands: pathlib takes longer
                return file.read()
        except OSError as error:
            self.unreadable[path] = f"this page cannot be read: {error.strerror or error}"
            return b""

    def text(self, path: str) -> str:
        """A page's text with its own line endings; "" where it is no UTF-8."""
        return self.decoded(self.data(path), path)

    def decoded(self, data: bytes, path: str) -> str:
        """The text of a page's bytes; "" where they are no UTF-8."""
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.unreadable[path] = "this page is no UTF-8 text, so no section of it is known: save it as UTF-8"
            return ""

    def spans(self, language: str, name: str) -> tuple[SectionSpan, ...] | None:
        """Where a translation's sections stand, None where the page is not translated."""
        path = self.files[language].get(name)
        return None if path is None else cut(self.text(path))

    def included(self, place: str) -> str:
        """An included file's text; each is read once. Raises OSError and ValueError."""
        if place not in self._included:
            self._included[place] = self.snippet(place)
        return self._included[place]

    def stamp(self, place: str) -> str:
        """What changes when an included file or its recorded output does."""
        if place not in self.stamps:
            try:
                shown = f"{self.included(place)}\0{self.output(place)}"
                self.stamps[place] = name_of(shown.encode("utf-8", "surrogatepass"))
            except (OSError, ValueError):
                self.stamps[place] = ""
        return self.stamps[place]

    @cached_property
    def kept(self) -> Kept:
        """What the last run found, by content."""
        return Kept(self.layout.root / CACHE if self.cached else None)

    def follow(self, earlier: "Tree") -> None:
        """Use what an earlier reading of the same tree found, by content."""
        if self.cached:
            self.kept.follow(earlier.kept)

    def remember(self) -> None:
        """Keep what was found for the next run. To be called when all pages were asked for: the rest is forgotten."""
        self.kept.remember()


class SourcePage:
    """A page of the source, read once; `digest` changes when it does, or anything that it shows."""

    def __init__(self, tree: Tree, path: str) -> None:
        self.tree, self.path, self.data = tree, path, tree.data(path)
        places = (place.decode("utf-8", "replace") for place in PLACE.findall(self.data))
        stamps = "".join(map(tree.stamp, sorted(set(places))))
        self.digest = name_of(self.data + stamps.encode())

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Its sections, from the cache where nothing that it shows has changed."""
        tree, key = self.tree, f"sections {self.digest}"
        kept = tree.kept.get(key)
        if kept is not None:
            return tuple(Section(SectionSpan._make(span), *rest) for span, *rest in kept)
        made = source_sections(tree.decoded(self.data, self.path), tree.included, tree.output)
        if self.path not in tree.unreadable:
            tree.kept.put(key, made)
        return made


class SourcePages(Mapping[str, tuple[Section, ...]]):
    """The sections of a tree's source by page, each page read once, when it is asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.paths = tree, tree.files[tree.layout.source]
        self.pages: dict[str, SourcePage] = {}

    def page(self, name: str) -> SourcePage:
        """A page. Raises KeyError where there is none of that name."""
        if name not in self.pages:
            self.pages[name] = SourcePage(self.tree, self.paths[name])
        return self.pages[name]

    def __getitem__(self, name: str) -> tuple[Section, ...]:
        return self.page(name).sections

    def __contains__(self, name: object) -> bool:
        return name in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def read(
    layout: Layout, snippet: Read, output: Output, cached: bool = True, recordings: Recordings | None = None
) -> Tree:
    """The tree of a layout."""
    return Tree(layout, index_pages(layout), snippet, output, cached, recordings)


def read_records(root: Path, language: str) -> Records:
    """A language's records, none where nothing was recorded. Raises ConfigError for a file that cannot be read."""
    place = records.path(language)
    try:
        return records.parse((root / place).read_text(encoding="utf-8", errors="surrogateescape"))
    except FileNotFoundError:
        return Records()
    except OSError as error:
        why = error.strerror or error
        raise ConfigError(f"{place}: {why}; it has to be a file that can be read, or not to be there") from error


def write_records(root: Path, language: str, new: Records) -> bool:
    """Write a language's records; whether that changed anything."""
    file = root / records.path(language)
    data = records.dump(new).encode("utf-8", "surrogateescape")
    if file.is_file() and file.read_bytes() == data:
        return False
    write(file, data)
    return True


def write_page(root: Path, path: str, text: str) -> None:
    """Write a page whole; a byte order mark that it began with stays. Raises OutsideError, OSError."""
    file = inside(root, path)
    mark = BOM_UTF8 if file.is_file() and file.read_bytes().startswith(BOM_UTF8) else b""
    write(file, mark + text.encode())


def pages(tree: Tree) -> Iterator[str]:
    """The names of all pages of the source, then those that translations alone have."""
    yield from tree.source
    only = {name for code in tree.languages for name in tree.files[code]} - tree.source.keys()
    yield from sorted(only)
