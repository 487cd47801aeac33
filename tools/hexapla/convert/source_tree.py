"""Read a tree of pages in several languages, and write one whole or not at all."""

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from hexapla.convert.conversion_records import ConversionNote
from hexapla.errors import ConfigError
from hexapla.files import OutsideError, is_within, join_inside, read_file
from hexapla.languages import is_code

PAGES = {".md", ".mdx"}
# What a reader's browser would run from this site: it belongs to the site before. Every other file is copied as it is.
PROGRAMS = {".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".vue", ".svelte", ".astro", ".html", ".htm", ".xhtml"}
LIVE_PICTURE = re.compile(rb"<script|<foreignObject|<!ENTITY|[\s\"'/]on\w+\s*=|javascript\s*:", re.I)
LARGEST = 100_000_000  # bytes of a file


class LanguageTree(NamedTuple):
    """The files of a language: pages as text by their path without ending, everything else as bytes by its path."""

    pages: Mapping[str, str]
    files: Mapping[str, bytes]


def language_folders(root: Path) -> dict[str, Path]:
    """The folders named by the code of a language."""
    return {
        folder.name: folder for folder in sorted(root.iterdir() if root.is_dir() else ())
        if folder.is_dir() and not folder.is_symlink() and is_code(folder.name)
    }


def read_tree(
    root: Path, source: str, find: Callable[[Path, str], Mapping[str, Path]], index: str
) -> tuple[dict[str, LanguageTree], list[ConversionNote]]:
    """The languages that `find` finds; `index` is the name of pages that stand for folders. Raises ConfigError."""
    if not root.is_dir():
        raise ConfigError(f"{root}: is no folder; name the one that holds the languages' folders")
    notes: list[ConversionNote] = []
    trees = {code: read_language(folder, code, notes) for code, folder in find(root, source).items()}
    trees = {code: name_index(tree, index, "index", code) for code, tree in trees.items() if tree.pages}
    if source not in trees:
        raise ConfigError(f"{root}: has no pages in {source}; name the source language with --source")
    return trees, notes


def name_index(tree: LanguageTree, old: str, new: str, code: str) -> LanguageTree:
    """A tree whose pages that stand for their folders have another name. Raises ConfigError."""
    if old == new:
        return tree
    pages: dict[str, str] = {}
    for page, text in tree.pages.items():
        folder, _, name = page.rpartition("/")
        # Always here, and back where the folder holds other pages.
        branch = old == "_index" or not folder or any(
            each.startswith(f"{folder}/") and each != f"{folder}/{old}" for each in tree.pages)
        made = f"{folder}/{new}".lstrip("/") if name == old and branch else page
        if made in pages:
            raise ConfigError(f"{code}/{page}.md: there is {made}.md beside it; take one of them away")
        pages[made] = text
    return LanguageTree(pages, tree.files)


def read_language(folder: Path, code: str, notes: list[ConversionNote]) -> LanguageTree:
    """The files of one language. Raises ConfigError."""
    pages: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for directory, names, found in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(found):
            file = Path(directory) / name
            path = file.relative_to(folder).as_posix()
            try:
                join_inside(folder, path)
            except OutsideError:
                notes.append(ConversionNote("link-outside", f"{code}/{path}", 1, "leads out of the tree; left out"))
                continue
            if file.suffix in PAGES:
                key = path.removesuffix(file.suffix)
                if key in pages:
                    raise ConfigError(f"{file}: there is a page of this name with another ending; take one away")
                pages[key] = read_text(file, folder)
            elif reason := refusal_reason(file):
                notes.append(ConversionNote("file", f"{code}/{path}", 1, f"{reason}; it is left out"))
            else:
                files[path] = read_file(folder, file)
    return LanguageTree(pages, files)


def refusal_reason(file: Path) -> str:
    """Why a file that is no page is not copied, "" for one that is."""
    if not file.is_file():
        return "is no file but a device or a pipe"
    if file.name.startswith("."):
        return "is hidden"
    if file.stat().st_size > LARGEST:
        return f"has more than {LARGEST // 1_000_000} MB"
    if file.suffix.lower() in PROGRAMS:
        return "is a program or a page of HTML of the site before"
    if file.suffix.lower() == ".svg" and LIVE_PICTURE.search(file.read_bytes()):
        return "is a picture that runs a script"
    return ""


def read_text(file: Path, folder: Path | None = None) -> str:
    """The text of a page, in a folder that it does not lie outside of. Raises ConfigError."""
    try:
        return read_file(folder or file.parent, file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: is not UTF-8 at byte {error.start}; save it as UTF-8") from error


def check_target(target: Path, source: Path) -> None:
    """See that a tree can be written to a folder. Raises ConfigError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target}: is not empty; name a folder that does not exist yet")
    if is_within(source, target):
        raise ConfigError(f"{target}: lies inside {source}; name a folder elsewhere")


def write_tree(target: Path, files: Mapping[str, bytes]) -> None:
    """Write all files into `target`, or none: they are written beside it and take its place at once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        for path, data in files.items():
            file = join_inside(temporary, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        temporary.chmod(0o755)
        temporary.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        rmtree(temporary, ignore_errors=True)
