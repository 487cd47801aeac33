"""What a folder holds: nothing, pages, a MkDocs project, or a tree that another generator makes a site of."""

import contextlib
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.discovery import TreeOptions, detect_layout, find_layout
from hexapla.config.layout import RECORDS, Layout
from hexapla.config.mkdocs_yaml import (
    extensions_of,
    named_snippet_folders,
    options_by_name,
    plugin_options,
    read_settings,
)
from hexapla.config.recognition import find_marked_site
from hexapla.errors import ConfigError
from hexapla.files import is_within, pages_under
from hexapla.frameworks.registry import PLAIN
from hexapla.setup.page_moves import Moves, folder_moves, page_moves
from hexapla.yaml_text import texts_in

FOLDERS = "docs/{lang}/{page}.md"
SUFFIXES = "docs/{page}.{lang}.md"
# The files that tell a dialect which `hexapla convert` reads, and the folder to convert.
DIALECT_FILES = {
    "docs/source/_toctree.yml": ("doc-builder", "docs/source"),
    "docs/source/{source}/_toctree.yml": ("doc-builder", "docs/source"),
    "chapters/{source}/_toctree.yml": ("doc-builder", "chapters"),
}


class Survey(NamedTuple):
    """What was found, in words, and what follows from it.

    `languages` are those beside the source with pages and that no mkdocs.yml names. `moves` bring pages into a folder
    for each language. `complete` says that a project of ours is here, `pages` that any page is. `foreign` says that
    another generator makes the site; `converted` is the command that makes a project of it in `target`, "" for none.
    `in_place` says that a language can begin there. `lacking` names plugins and extensions that are not installed.
    """

    found: str
    source: str
    languages: tuple[str, ...] = ()
    moves: Moves = ()
    complete: bool = False
    pages: bool = True
    foreign: bool = False
    converted: str = ""
    target: str = ""
    snippets: str = ""
    in_place: bool = False
    lacking: tuple[str, ...] = ()


def survey_folder(root: Path, source: str) -> Survey:
    """Look at a folder. Raises ConfigError."""
    for file, (dialect, pages) in DIALECT_FILES.items():
        if (root / file.replace("{source}", source)).is_file():
            target, layout = f"../{root.name}-site", detect_translated_layout(root, source)
            option = "" if source == "en" else f" --source {source}"
            return Survey(f"pages in the dialect of {dialect}, below {pages}/", source,
                          layout.languages if layout else (), foreign=True, target=target,
                          converted=f"hexapla convert {pages} {shlex.quote(target)}{option} --write")
    if (root / "mkdocs.yml").is_file():
        settings = read_settings(root / "mkdocs.yml")
        seen = survey_project(root, source, settings)
        extensions = settings.get("markdown_extensions")
        names = (*options_by_name(extensions), *texts_in(extensions))
        if not seen.foreign and (name := next((each for each in names if each.startswith("zensical.")), "")):
            raise ConfigError(f"mkdocs.yml: names {name}, which Zensical has and MkDocs cannot load; name MkDocs' own "
                              "there first, or use `hexapla check` as it is")
        return seen if seen.foreign else seen._replace(lacking=tuple(not_installed(settings)))
    layout = detect_translated_layout(root, source)
    known = {f"{pattern}.md" for pattern, _ in PLAIN.layouts} - {FOLDERS, SUFFIXES}
    if layout is None or layout.pattern not in known:
        refuse_generated(root, source)
    if layout:
        return survey_layout(layout, {}, "pages")
    if any(pages_under(root / "docs" / source)):
        return Survey(f"pages in docs/{source}/", source)
    if any(pages_under(root / "docs")):
        return Survey("pages in docs/, of one language", source, moves=folder_moves(root, "docs", source, {}))
    return Survey("no pages", source, pages=False)


def refuse_generated(root: Path, source: str) -> None:
    """See that no other generator makes a site of the folder. Raises ConfigError that names it."""
    site = find_marked_site(root, source)
    if site:
        folder, name = root / site.folder, site.framework.name
        use = (f"use check, status and translate on it: hexapla check --root {shlex.quote(str(root))}"
               f"{'' if source == 'en' else f' --source {source}'}" if site.source else
               f"it has no pages in {source} where such a site has them: name them to check with --layout")
        raise ConfigError(f"{folder}: is a {name} site, which stays as it is; {use}")


def survey_project(root: Path, source: str, settings: Mapping[str, Any]) -> Survey:
    """Look at a MkDocs project. Raises ConfigError."""
    if "INHERIT" in settings and not {"plugins", "theme"} <= settings.keys():
        raise ConfigError("mkdocs.yml: takes its theme or its plugins from another file by INHERIT; write them here, "
                          "or use `hexapla check` as it is")
    i18n, ours = plugin_options(settings, "i18n"), plugin_options(settings, "hexapla")
    if i18n is None:
        layout = detect_translated_layout(root, source)
        if layout:
            return survey_layout(layout, settings, "a MkDocs project")
        docs = str(settings.get("docs_dir") or "docs").strip("/")
        if (root / docs / source).is_dir():
            raise ConfigError(f"{docs}/{source}: is there, and mkdocs.yml has no i18n plugin; add it there, or move "
                              "that folder's pages up")
        return Survey(f"a MkDocs project in one language, {source}", source, snippets=snippet_option(root, settings),
                      moves=folder_moves(root, docs, source, settings))
    if not isinstance(i18n.get("languages"), list):
        raise ConfigError("mkdocs.yml: the i18n plugin lists no languages as its version 1 has them; upgrade its "
                          "options, then run this again")
    layout = find_layout(TreeOptions(root))
    count = f"{len(layout.languages) + 1} languages"
    if i18n.get("docs_structure", "suffix") == "folder":
        snippets = snippet_option(root, settings) if ours is None else str(ours.get("snippets") or "")
        begun = any((root / each).is_dir() for each in (RECORDS, snippets or "snippets"))  # a converted tree has none
        return Survey(f"a MkDocs project with a folder for each of {count}", layout.source,
                      complete=ours is not None and begun, snippets=snippets)
    return Survey(f"a MkDocs project that tells {count} apart by the endings of files", layout.source,
                  snippets=snippet_option(root, settings), moves=page_moves(layout, settings))


def survey_layout(layout: Layout, settings: Mapping[str, Any], found: str) -> Survey:
    """What follows from pages in several languages that no i18n plugin names."""
    codes, source = layout.languages, layout.source
    said = f"{found} in {len(codes) + 1} languages, {layout.pattern}"
    if layout.pattern not in (FOLDERS, SUFFIXES):
        return Survey(said + ", of which its own tools make the site", source, codes, foreign=True, in_place=True)
    moves = page_moves(layout, settings) if layout.pattern == SUFFIXES else ()
    return Survey(said, source, codes, moves, snippets=snippet_option(layout.root, settings))


def detect_translated_layout(root: Path, source: str) -> Layout | None:
    """The layout of pages in several languages, None where there is none."""
    with contextlib.suppress(ConfigError):
        found = detect_layout(root, source)
        return found if found.languages else None
    return None


def snippet_option(root: Path, settings: Mapping[str, Any]) -> str:
    """The snippets' folder, from which alone pages include by pymdownx.snippets, "" for the usual one.

    Where they include from the root or from several, nothing says which files are programs. Raises ConfigError.
    """
    folders = named_snippet_folders(extensions_of(settings), root)
    outside = [folder for folder in folders if not is_within(root, folder)]
    if outside:
        raise ConfigError(f"mkdocs.yml: pymdownx.snippets includes from {outside[0]}, which lies outside of the "
                          "project; take it out of `base_path`, or use `hexapla check` as it is")
    if len(folders) != 1 or folders[0].resolve() == root.resolve():
        return ""
    return folders[0].resolve().relative_to(root.resolve()).as_posix()


def not_installed(settings: Mapping[str, Any]) -> Iterator[str]:
    """The names of plugins and extensions that MkDocs would not find here; nothing is imported."""
    plugins = {entry.name for entry in entry_points(group="mkdocs.plugins")}
    for name in options_by_name(settings.get("plugins")):
        if name not in plugins and name.removeprefix("material/") not in plugins and f"material/{name}" not in plugins:
            yield name
    extensions = {entry.name for entry in entry_points(group="markdown.extensions")}
    for name in extensions_of(settings) or ():
        if name not in extensions and find_spec(name.partition(":")[0].partition(".")[0]) is None:
            yield name
