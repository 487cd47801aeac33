"""The layout of a tree: where the pages of each language are, and how its Markdown is rendered."""

import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple
from urllib.parse import unquote

from hexapla.files import CONTROL, is_own_file, read_text, walk_files
from hexapla.frameworks.framework import Framework
from hexapla.frameworks.registry import PLAIN
from hexapla.git import JoinedRepository, Repository, SourceRepository
from hexapla.languages import CODE, NAMES, is_language
from hexapla.pages.lines import Closes, closes_by

RECORDS = "translations"  # the folder with what the sections of each language were made from
INDEXES = ("index", "_index", "README")  # pages that stand for their folder
SUFFIX = rf"(?i:{CODE.pattern}|(?:{'|'.join(NAMES)})(?:[_-](?:{'|'.join(NAMES)}))*)"
LISTED = re.compile(r"<!--.*?(?:-->|\Z)|\]\(<?([^()<>\n]+)>?\)", re.S)  # by a page of contents
PARAGRAPH = re.compile(r"^\[(.*)\]\nsource ", re.M)


def has_records(root: Path, language: str) -> bool:
    """Whether a language is begun: it has a folder of records, or the one file of a language that has none yet."""
    return (root / RECORDS / language).is_dir() or (root / RECORDS / f"{language}.txt").is_file()


class Layout(NamedTuple):
    """A tree of parallel pages below `root`; `pattern` and `source_pattern` are paths in it with `{lang}` and `{page}`.

    `languages` are the translations'; `fallbacks` names, for a language, those shown where it lacks a page, the nearest
    first. `extensions` has the options of the tree's `markdown_extensions`, None where it names none; `navigation` is
    its `nav`; `inclusions` is the folder that `{* path *}` starts from, None where that is plain text. Pages of
    `derived` languages are made from another's when the site is built; those of `completed` languages show the source's
    sections that they lack. `endings` are the pages'; the patterns have the first of them. `framework` makes the site,
    in the folder `site`, "" or with a final slash. `mdx` says that its pages are MDX, those of the endings that its
    framework names; `lenient`, that one which is none is Markdown. `plugin_ids` are those of sections that plugins add
    to every page. `elsewhere` is another repository with the source, whose pages the site does not have then.
    """

    root: Path
    pattern: str
    source_pattern: str
    source: str
    languages: tuple[str, ...]
    anchors: str = "python-markdown"
    fallbacks: Mapping[str, tuple[str, ...]] = {}
    derived: frozenset[str] = frozenset()
    extensions: Mapping[str, Any] | None = None
    navigation: object = None
    snippets: tuple[Path, ...] = ()
    inclusions: Path | None = None
    completed: frozenset[str] = frozenset()
    endings: tuple[str, ...] = (".md",)
    framework: Framework = PLAIN
    site: str = ""
    mdx: bool = False
    lenient: bool = False
    plugin_ids: frozenset[str] = frozenset()
    run_blocks: bool = False
    elsewhere: SourceRepository | None = None

    @property
    def repository(self) -> Repository:
        """What git knows of the tree, its source included."""
        return JoinedRepository(self.root, self.elsewhere) if self.elsewhere else Repository(self.root)

    def is_elsewhere(self, path: str) -> bool:
        """Whether a page is a copy of one of another repository: it is read, and nothing is found or changed in it."""
        return self.elsewhere is not None and path.startswith(self.elsewhere.copies)

    def closes_fence(self, path: str) -> Closes:
        """What closes a fence on the page at `path`, "" for any: all that reads the lines of pages asks this."""
        return closes_by(self.anchors, self.mdx and (path or self.pattern).endswith(self.framework.mdx))

    def path(self, language: str, name: str) -> str:
        """Where the page `name` of a language lies below `root`, or would lie: as its file or the source's ends."""
        path = self.folder_pattern(language).replace("{lang}", language).replace("{page}", name)
        others = [re.sub(r"\.\w+$", ending, path) for ending in self.endings[1:]]
        if not others or os.path.isfile(self.root / path):  # noqa: PTH113
            return path
        if found := next((each for each in others if (self.root / each).is_file()), ""):
            return found
        ending = "" if language == self.source else os.path.splitext(self.path(self.source, name))[1]  # noqa: PTH122
        return re.sub(r"\.\w+$", ending, path) if ending else path

    def folder_pattern(self, language: str) -> str:
        """The pattern that a language's pages follow."""
        return self.source_pattern if language == self.source else self.pattern

    def start(self, language: str) -> str:
        """What stands before a page's name in its path."""
        return self.folder_pattern(language).split("{page}")[0].replace("{lang}", language)

    def folder(self, language: str) -> str:
        """The folder that a language's pages and site paths start from, "" or with a final slash."""
        before = self.start(language)
        return before[: before.rfind("/") + 1]

    def suffix(self, language: str) -> str:
        """What follows a page's name in its path: `.md`, `.ja.md`."""
        return self.folder_pattern(language).split("{page}")[1].replace("{lang}", language)

    def suffixes(self, language: str) -> tuple[str, ...]:
        """All that may follow it: `.md` and `.mdx`."""
        first = self.suffix(language)
        return first, *(re.sub(r"\.\w+$", ending, first) for ending in self.endings[1:])

    def shown(self, language: str) -> tuple[str, ...]:
        """The languages a page of `language` is looked for in: its own, its fallbacks, the source."""
        own = (language, *self.fallbacks.get(language, ()), *(() if self.elsewhere else (self.source,)))
        return tuple(dict.fromkeys(own))


def compile_pattern(pattern: str, language: str = "", endings: tuple[str, ...] = ()) -> re.Pattern[str]:
    """What paths of a pattern look like, with groups `lang` and `page`; they may end in any of `endings`."""
    text = re.escape(pattern)
    if len(endings) > 1:
        text = re.sub(r"\\\.\w+$", lambda match: f"(?:{'|'.join(map(re.escape, endings))})", text)
    text = text.replace(r"\{page\}", "(?P<page>.+)", 1).replace(r"\{page\}", "(?P=page)")
    code = f"(?i:{re.escape(language)})" if language else "[^/]+"
    if not language and re.search(r"(?<=\{page\})[_-]\{lang\}", pattern):  # what ends with a code of two parts: a-zh-CN
        text, code = text.replace("(?P<page>.+)", "(?P<page>.+?)"), SUFFIX
    return re.compile(text.replace(r"\{lang\}", f"(?P<lang>{code})", 1).replace(r"\{lang\}", "(?P=lang)"))


def fixed_folder(pattern: str) -> str:
    """The folder that all paths of a pattern lie in."""
    fixed = pattern.split("{")[0]
    return fixed[: fixed.rfind("/") + 1].rstrip("/")


def match_pages(
    root: Path, pattern: str, language: str, endings: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """The pages of one language that a pattern finds: name and path."""
    shape = compile_pattern(pattern, language, endings)
    for path in walk_files(root, fixed_folder(pattern.replace("{lang}", language))):
        if (match := shape.fullmatch(path)) and not CONTROL.search(path):
            yield match["page"], path


def misnamed_pages(layout: Layout, language: str) -> Iterator[str]:
    """The paths that would be pages of a language if they held no line break or other control character."""
    pattern = layout.folder_pattern(language).replace("{lang}", language)
    shape = compile_pattern(pattern, endings=layout.endings)
    for path in walk_files(layout.root, fixed_folder(pattern)):
        if CONTROL.search(path) and shape.fullmatch(CONTROL.sub("_", path)):
            yield path


def found_languages(root: Path, pattern: str, endings: tuple[str, ...] = ()) -> set[str]:
    """The languages that have a folder, or a file, where the pattern says, and a code for a name."""
    before = pattern.partition("{lang}")[0]
    if before.endswith("/") or not before:
        folder = root / before
        entries = [entry.name for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
        return {name for name in entries if is_language(name) and any(match_pages(root, pattern, name, endings))}
    shape = compile_pattern(pattern, endings=endings)
    matches = (shape.fullmatch(path) for path in walk_files(root, fixed_folder(pattern)))
    return {*usual_spellings(match["lang"] for match in matches if match and is_language(match["lang"])).values()}


def usual_spellings(codes: Iterable[str]) -> dict[str, str]:
    """The codes that occur, by their small letters: of those that differ in capitals alone the one that occurs most.

    >>> usual_spellings(["zh_cn", "zh_CN", "ja", "zh_CN"])
    {'ja': 'ja', 'zh_cn': 'zh_CN'}
    """
    return {code.lower(): code for code, _ in reversed(Counter(codes).most_common())}


def index_pages(layout: Layout) -> dict[str, dict[str, str]]:
    """For each language, the source's first: the path of each page by its name."""
    found = {code: pages_of(layout, code) for code in (layout.source, *layout.languages)}
    if layout.pattern != layout.source_pattern and "{lang}" in layout.pattern:
        apart = found_languages(layout.root, layout.pattern, layout.endings) - found.keys()
        others = {code: pages_of(layout, code) for code in apart}  # languages that are not asked for
        own = found[layout.source]
        translated = {path for code, pages in (found | others).items() if code != layout.source
                      for path in pages.values() if code in layout.languages or is_translation(pages, own)}
        found[layout.source] = {name: path for name, path in own.items() if path not in translated}
    if layout.framework.overlay and layout.pattern.startswith(f"{layout.site}{layout.framework.overlay}"):
        own = found[layout.source]
        found |= {code: {name: path for name, path in pages.items() if name in own} for code, pages in found.items()}
    return {code: listed_pages(layout, code, pages) for code, pages in found.items()}


def listed_pages(layout: Layout, language: str, pages: dict[str, str]) -> dict[str, str]:
    """The pages of a language that its framework's page of contents lists, with that, or all where it lists none."""
    file = layout.framework.contents
    folders = (layout.folder(language), f"{fixed_folder(layout.pattern)}/".lstrip("/"))
    contents = next((folder + file for folder in folders if file and is_own_file(layout.root, folder + file)), "")
    links = LISTED.finditer(read_text(layout.root, contents, "replace")) if contents else ()
    listed = {normpath(join(dirname(contents), unquote(link[1]))) for link in links if link[1]}
    kept = {name: path for name, path in pages.items() if path in listed or path == contents}
    return pages if listed.isdisjoint(pages.values()) else kept


def pages_of(layout: Layout, language: str) -> dict[str, str]:
    """The path of each page of a language by its name."""
    return dict(match_pages(layout.root, layout.folder_pattern(language), language, layout.endings))


def is_translation(names: Iterable[str], source: Container[str]) -> bool:
    """Whether pages in a folder that is named as a language are those of the source, not a part of it by that name."""
    shared = {name for name in names if name in source}
    return bool(shared.difference(INDEXES)) or shared == set(names)


def record_path(language: str, page: str) -> str:
    """The path of a page's records, relative to the root."""
    return f"{RECORDS}/{language}/{page}.txt"


def recorded_sections(root: Path, language: str, page: str) -> frozenset[str]:
    """The ids of a page's sections that have records, "" for what stands above its first heading."""
    try:
        return frozenset(PARAGRAPH.findall(read_text(root, record_path(language, page), errors="replace")))
    except OSError:
        return frozenset()
