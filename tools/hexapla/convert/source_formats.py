"""The table of dialects: what each brings to a conversion."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.convert import docusaurus, hugo, mkdocs_pages, plain_page
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder import documented, page, toctree
from hexapla.convert.headings import SourceHeading
from hexapla.convert.source_tree import language_folders
from hexapla.pages.lines import Closes, closes_longer, closes_same

Folders = dict[str, Path]
REGION = re.compile(r"(?<=-)[a-z]{2}$")


class SourceDialect(NamedTuple):
    """A dialect of Markdown documentation, as functions of text.

    `signs` are files and folders whose presence tells the dialect. `folders` finds the folder of each language below a
    root, `folder` says where that of a language is written. `index_page` is the name of a page that stands for its
    folder. `toctree` is the file that holds a language's navigation, "" for none that can be read. `settings` is the
    path of a mkdocs.yml whose settings are taken over, "" for none.
    """

    signs: tuple[str, ...]
    folders: Callable[[Path, str], Folders]
    folder: Callable[[str, str], str]
    index_page: str
    toctree: str
    read_headings: Callable[[str], list[SourceHeading]]
    documented: Callable[[Mapping[str, str], str], dict[str, str]]
    foreign: Callable[[str], tuple[int, str] | None]  # the first thing that is ours already: its line and text
    to_site: Callable[[str, str, LinkIndex, list[SourceHeading], list[str], Take], str]
    from_site: Callable[[str, str, LinkIndex], str]
    read_toctree: Callable[[str, str], tuple[toctree.TocEntry, ...]]
    navigation: Callable[[tuple[toctree.TocEntry, ...], frozenset[str], Take], list[Any]]
    titles: Callable[[tuple[toctree.TocEntry, ...], tuple[toctree.TocEntry, ...], Take], Mapping[str, str]]
    settings: str = ""
    closes_fence: Closes = closes_longer


def nothing_documented(texts: Mapping[str, str], package: str) -> dict[str, str]:
    """The objects that pages document in a dialect that cannot say so."""
    return {}


def doc_builder_folders(root: Path, source: str) -> Folders:
    """The folders of languages, or the folder itself where it holds the navigation."""
    return {source: root} if (root / "_toctree.yml").is_file() else language_folders(root)


def docusaurus_folders(root: Path, source: str) -> Folders:
    """`docs` and `i18n/ja/docusaurus-plugin-content-docs/current`; or a folder a language, its pages below `latest`."""
    if (root / "docs").is_dir():
        current = Path("docusaurus-plugin-content-docs/current")
        below = language_folders(root / "i18n") if (root / "i18n").is_dir() else {}
        translated = {code: folder / current for code, folder in below.items() if (folder / current).is_dir()}
        return {source: root / "docs", **translated}
    found = language_folders(root)
    return {code: folder / "latest" if (folder / "latest").is_dir() else folder for code, folder in found.items()}


def hugo_folders(root: Path, source: str) -> Folders:
    """The folders of languages below `content`, or `content` itself; Hugo writes their codes in lower case."""
    content = root / "content" if (root / "content").is_dir() else root
    found = {REGION.sub(lambda match: match.group().upper(), code): folder
             for code, folder in language_folders(content).items()}
    return found if source in found else {source: content}


def plain(
    rules: plain_page.PageRules, signs: tuple[str, ...], folders: Callable[[Path, str], Folders],
    folder: Callable[[str, str], str], index: str = "index",
) -> SourceDialect:
    """A dialect that `rules` describe."""
    return SourceDialect(
        signs, folders, folder, index, "", plain_page.headings_of, nothing_documented, plain_page.own_markdown,
        partial(plain_page.to_site, rules), partial(plain_page.from_site, rules),
        toctree.read_toctree, toctree.navigation, toctree.titles,
    )


def python_markdown(
    sign: str, settings: str, folders: Callable[[Path, str], Folders], folder: Callable[[str, str], str]
) -> SourceDialect:
    """Pages that MkDocs reads as they are, in folders of a project's own."""
    return SourceDialect(
        (sign,), folders, folder, "index", "", mkdocs_pages.no_headings, nothing_documented, mkdocs_pages.ours_already,
        mkdocs_pages.to_site, mkdocs_pages.from_site, toctree.read_toctree, toctree.navigation, toctree.titles,
        settings, closes_same,
    )


DIALECTS: Mapping[str, SourceDialect] = {
    "doc-builder": SourceDialect(
        ("_toctree.yml", "en/_toctree.yml"), doc_builder_folders, lambda code, source: code, "index", "_toctree.yml",
        page.headings_of, documented.documented_objects, page.own_markdown, page.to_site,
        page.to_doc_builder, toctree.read_toctree, toctree.navigation, toctree.titles,
    ),
    "docusaurus": plain(
        docusaurus.RULES, ("docusaurus.config.js", "docusaurus.config.ts"), docusaurus_folders,
        lambda code, source: "docs" if code == source else f"i18n/{code}/docusaurus-plugin-content-docs/current",
    ),
    "hugo": plain(
        hugo.RULES, ("hugo.yaml", "hugo.toml", "config.toml", "config.yaml", "content"), hugo_folders,
        lambda code, source: f"content/{code.lower()}", "_index",
    ),
    "fastapi": python_markdown(
        "docs/en/mkdocs.yml", "docs/{source}/mkdocs.yml", mkdocs_pages.fastapi_folders,
        lambda code, source: f"docs/{code.lower()}/docs",
    ),
    "mcp-sdk": python_markdown(
        "i18n/languages.yml", "mkdocs.yml", mkdocs_pages.mcp_folders,
        lambda code, source: "docs" if code == source else f"i18n/{code.lower()}/pages",
    ),
}
Headings = Sequence[SourceHeading]


def dialect_of(root: Path) -> str:
    """The dialect that the files of a tree tell, doc-builder where none do."""
    found = (name for name, dialect in DIALECTS.items() if any((root / sign).exists() for sign in dialect.signs))
    return next(found, "doc-builder")
