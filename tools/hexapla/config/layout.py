"""The layout of a tree: where the pages of each language are, and how its Markdown is rendered."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.files import CONTROL, resolve_inside
from hexapla.pages.lines import Closes, closes_by

RECORDS = "translations"  # the folder with what the sections of each language were made from
NO_PAGES = {"node_modules", "site-packages", "__pycache__"}


def has_records(root: Path, language: str) -> bool:
    """Whether a language is begun: it has a folder of records, or the one file of a language that has none yet."""
    return (root / RECORDS / language).is_dir() or (root / RECORDS / f"{language}.txt").is_file()


class Layout(NamedTuple):
    """A tree of parallel pages below `root`.

    `pattern` and `source_pattern` are paths relative to `root` with `{lang}` and `{page}`. `languages` are the
    translations', without the source's; `fallbacks` names, for a language, those shown where it lacks a page, the
    nearest first. `extensions` has the options of the tree's `markdown_extensions`, None where it names none;
    `navigation` is its `nav`; `inclusions` is the folder that `{* path *}` starts from, None where that is plain text.
    Pages of `derived` languages are made from another's when the site is built; those of `completed` languages show the
    source's sections that they lack. `mdx` says that pages are MDX.
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
    mdx: bool = False

    @property
    def closes_fence(self) -> Closes:
        """What closes a fence on its pages: all that reads their lines asks this."""
        return closes_by(self.anchors, self.mdx)

    def path(self, language: str, name: str) -> str:
        """Where the page `name` of a language lies, relative to `root`."""
        return self.folder_pattern(language).replace("{lang}", language).replace("{page}", name)

    def folder_pattern(self, language: str) -> str:
        """The pattern that a language's pages follow."""
        return self.source_pattern if language == self.source else self.pattern

    def folder(self, language: str) -> str:
        """The folder that a language's pages and site paths start from, "" or with a final slash."""
        before = self.folder_pattern(language).split("{page}")[0].replace("{lang}", language)
        return before[: before.rfind("/") + 1]

    def suffix(self, language: str) -> str:
        """What follows a page's name in its path: `.md`, `.ja.md`."""
        return self.folder_pattern(language).split("{page}")[1].replace("{lang}", language)

    def shown(self, language: str) -> tuple[str, ...]:
        """The languages a page of `language` is looked for in: its own, its fallbacks, the source."""
        own = (language, *self.fallbacks.get(language, ()), self.source)
        return tuple(dict.fromkeys(own))


def walk_files(root: Path, folder: str) -> Iterator[str]:
    """Files below `root/folder`, as paths relative to `root`; links to folders are not followed: they may be loops.

    Raises OutsideError where the folder itself lies outside of `root`.
    """
    base = str(root)
    resolve_inside(root, folder)
    for directory, names, files in os.walk(root / folder if folder else root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in NO_PAGES)
        inside = directory[len(base) :].strip(os.sep).replace(os.sep, "/")
        for name in sorted(files):
            yield f"{inside}/{name}" if inside else name


def expression(pattern: str, language: str = "") -> re.Pattern[str]:
    """What paths of a pattern look like, with groups `lang` and `page`."""
    text = re.escape(pattern).replace(r"\{page\}", "(?P<page>.+)", 1).replace(r"\{page\}", "(?P=page)")
    code = re.escape(language) if language else "[^/]+"
    return re.compile(text.replace(r"\{lang\}", f"(?P<lang>{code})", 1).replace(r"\{lang\}", "(?P=lang)"))


def start(pattern: str) -> str:
    """The folder that all paths of a pattern lie in."""
    fixed = pattern.split("{")[0]
    return fixed[: fixed.rfind("/") + 1].rstrip("/")


def matching(root: Path, pattern: str, language: str) -> Iterator[tuple[str, str]]:
    """The pages of one language that a pattern finds: name and path."""
    shape = expression(pattern, language)
    for path in walk_files(root, start(pattern.replace("{lang}", language))):
        if (match := shape.fullmatch(path)) and not CONTROL.search(path):
            yield match["page"], path


def misnamed_pages(layout: Layout, language: str) -> Iterator[str]:
    """The paths that would be pages of a language if they held no line break or other control character."""
    pattern = layout.folder_pattern(language).replace("{lang}", language)
    shape = expression(pattern)
    for path in walk_files(layout.root, start(pattern)):
        if CONTROL.search(path) and shape.fullmatch(CONTROL.sub("_", path)):
            yield path


def index_pages(layout: Layout) -> dict[str, dict[str, str]]:
    """For each language, the source's first: the path of each page by its name."""
    found = {
        code: dict(matching(layout.root, layout.folder_pattern(code), code))
        for code in (layout.source, *layout.languages)
    }
    if layout.pattern != layout.source_pattern:
        translated = {path for code in layout.languages for path in found[code].values()}
        source = found[layout.source].items()
        found[layout.source] = {name: path for name, path in source if path not in translated}
    return found
