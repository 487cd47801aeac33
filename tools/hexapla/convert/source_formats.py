"""The table of dialects: what each brings to a conversion."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hexapla.config.checks_config import own_settings
from hexapla.convert import docusaurus, hugo, mkdocs_pages, plain_page
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder import page
from hexapla.convert.headings import SourceHeading
from hexapla.convert.prose import KEPT, find_written
from hexapla.convert.source_tree import language_folders
from hexapla.pages.lines import Closes, closes_longer, closes_same

Folders = dict[str, Path]
REGION, SCRIPT = re.compile(r"(?<=-)[a-z]{2}$"), re.compile(r"(?<=-)[a-z]{4}$")
KEPT_LINE = re.compile(r"[ \t]*" + KEPT.pattern, re.S)


class SourceDialect(NamedTuple):
    """A dialect of Markdown documentation, as functions of text.

    `signs` are files and folders whose presence tells the dialect. `folders` finds the folder of each language below a
    root, `folder` says where that of a language is written. `ours` is the form of what only a page of ours has.
    `index_page` is the name of a page that stands for its folder. `toctree` is the file that holds a language's
    navigation, "" for none that can be read. `settings` is the path of a mkdocs.yml whose settings are taken over, ""
    for none.
    """

    signs: tuple[str, ...]
    folders: Callable[[Path, str], Folders]
    folder: Callable[[str, str], str]
    read_headings: Callable[[str], list[SourceHeading]]
    ours: re.Pattern[str]
    to_site: Callable[[str, str, LinkIndex, list[SourceHeading], list[str], Take], str]
    from_site: Callable[[str, str, LinkIndex], str]
    index_page: str = "index"
    toctree: str = ""
    settings: str = ""
    closes_fence: Closes = closes_longer

    def foreign(self, text: str) -> tuple[int, str] | None:
        """The line and the text of the first thing that is ours already, None where there is none."""
        return find_written(self.ours, text)


def docusaurus_folders(root: Path, source: str) -> Folders:
    """`docs` and `i18n/ja/docusaurus-plugin-content-docs/current`; or a folder a language, its pages below `latest`."""
    if (root / "docs").is_dir():
        return {source: root / "docs", **folders_below(root, "i18n/{lang}/docusaurus-plugin-content-docs/current")}
    found = language_folders(root)
    return {code: folder / "latest" if (folder / "latest").is_dir() else folder for code, folder in found.items()}


def hugo_folders(root: Path, source: str) -> Folders:
    """The folders of languages below `content`, or `content` itself; Hugo writes their codes in lower case."""
    content = root / "content" if (root / "content").is_dir() else root
    found = {REGION.sub(lambda match: match.group().upper(), code): folder
             for code, folder in language_folders(content).items()}
    return found if source in found else {source: content}


def folders_below(root: Path, pattern: str) -> Folders:
    """The folder of each language below one that has a folder for each; a script is written as `zh-Hant` here."""
    before, _, after = pattern.partition("{lang}")
    found = language_folders(root / before) if (root / before).is_dir() else {}
    return {SCRIPT.sub(lambda match: match.group().title(), code): folder / after.strip("/")
            for code, folder in found.items() if (folder / after.strip("/")).is_dir()}


def plain_dialect(
    rules: plain_page.PageRules, signs: tuple[str, ...], folders: Callable[[Path, str], Folders],
    folder: Callable[[str, str], str], index: str = "index",
) -> SourceDialect:
    """A dialect that `rules` describe."""
    return SourceDialect(signs, folders, folder, plain_page.headings_of, plain_page.OURS,
                         partial(plain_page.to_site, rules), partial(plain_page.from_site, rules), index)


def python_markdown(
    sign: str, settings: str, folders: Callable[[Path, str], Folders], folder: Callable[[str, str], str]
) -> SourceDialect:
    """Pages that MkDocs reads as they are, in folders of a project's own; no heading gets another id than it has."""
    return SourceDialect(
        (sign,), folders, folder, lambda text: [], KEPT_LINE, mkdocs_pages.to_site, mkdocs_pages.from_site,
        settings=settings, closes_fence=closes_same)


DIALECTS: Mapping[str, SourceDialect] = {
    "doc-builder": SourceDialect(
        ("_toctree.yml", "en/_toctree.yml"),
        lambda root, source: {source: root} if (root / "_toctree.yml").is_file() else language_folders(root),
        lambda code, source: code, page.headings_of, page.OURS, page.to_site, page.to_doc_builder,
        toctree="_toctree.yml",
    ),
    "docusaurus": plain_dialect(
        docusaurus.RULES, ("docusaurus.config.js", "docusaurus.config.ts"), docusaurus_folders,
        lambda code, source: "docs" if code == source else f"i18n/{code}/docusaurus-plugin-content-docs/current",
    ),
    "hugo": plain_dialect(
        hugo.RULES, ("hugo.yaml", "hugo.toml", "config.toml", "config.yaml", "content"), hugo_folders,
        lambda code, source: f"content/{code.lower()}", "_index",
    ),
    "fastapi": python_markdown(
        "docs/en/mkdocs.yml", "docs/{source}/mkdocs.yml",
        lambda root, source: folders_below(root, "docs/{lang}/docs"), lambda code, source: f"docs/{code.lower()}/docs",
    ),
    "mcp-sdk": python_markdown(
        "i18n/languages.yml", "mkdocs.yml",
        lambda root, source: {source: root / "docs", **folders_below(root, "i18n/{lang}/pages")},
        lambda code, source: "docs" if code == source else f"i18n/{code.lower()}/pages",
    ),
}
Headings = Sequence[SourceHeading]


def dialect_of(root: Path) -> str:
    """The dialect that the settings of a tree name or its files tell, doc-builder where nothing does."""
    named = str(own_settings(root)[1].get("framework", ""))
    if named in DIALECTS:
        return named
    found = (name for name, dialect in DIALECTS.items() if any((root / sign).exists() for sign in dialect.signs))
    return next(found, "doc-builder")
