"""PO files with the translations of a framework's pages: where they lie, and their messages."""

import contextlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from posixpath import relpath
from typing import NamedTuple

from hexapla.errors import ConfigError
from hexapla.files import read_text, walk_files
from hexapla.frameworks.framework import Framework
from hexapla.languages import bcp47, is_code


class TranslatedMessage(NamedTuple):
    """A message and its translation, which starts on a line of the file; `rest` says that it is reStructuredText."""

    source: str
    target: str
    line: int
    rest: bool
    formatted: bool


class MessageCatalog(NamedTuple):
    """A PO file: its language, its translated messages, the lines of the file, and how many messages are not ready."""

    path: str
    language: str
    messages: tuple[TranslatedMessage, ...]
    lines: tuple[str, ...]
    untranslated: int
    fuzzy: int
    obsolete: int


def find_catalogs(root: Path, site: str, framework: Framework) -> Iterator[tuple[str, str]]:
    """The path and the language of each PO file of a site, whose folder is "" or has a final slash.

    They lie where `Framework.catalogs` says, seen from the file that tells the framework: others are a program's own.
    """
    if not framework.catalogs:
        return
    marks = (file for mark in framework.marks for file in (root / site).glob(mark))
    homes = {file.parent.relative_to(root).as_posix() for file in marks} or {"."}
    for path in po_files(root):
        found = next(filter(None, (re.fullmatch(framework.catalogs, relpath(path, home)) for home in homes)), None)
        if found and is_code(bcp47(found["lang"])):
            yield path, bcp47(found["lang"])


@lru_cache(maxsize=32)
def po_files(root: Path) -> tuple[str, ...]:
    """The paths of the PO files of a tree."""
    return tuple(path for path in walk_files(root, "") if path.endswith(".po"))


def read_catalog(root: Path, path: str, language: str) -> MessageCatalog:
    """The messages of a PO file. Raises ConfigError where nothing is installed that reads it, OSError and ValueError.
    """
    return parse_catalog(read_text(root, path), path, language)


@lru_cache(maxsize=256)
def parse_catalog(text: str, path: str, language: str) -> MessageCatalog:
    """The messages of a PO file with a text. Raises as `read_catalog` does."""
    try:
        import polib  # type: ignore[import-untyped]  # of the extra `translate`: most trees have no PO files
    except ImportError as error:
        raise ConfigError("PO files are read with polib; install it with `pip install 'hexapla[translate]'`") from error
    try:
        entries = polib.pofile(f"{text}\n")  # which opens a file where all of the text is the name of one
    except OSError as error:  # polib's word for a file that is none
        raise ValueError(str(error)) from error
    lines = tuple(text.splitlines())
    current = [each for each in entries if not each.obsolete]
    ready = [each for each in current if each.translated()]
    made = (TranslatedMessage(each.msgid, each.msgstr, msgstr_line(lines, each.linenum), is_rest(each.occurrences),
                              any(flag.endswith("-format") for flag in each.flags)) for each in ready if each.msgstr)
    fuzzy = sum(each.fuzzy for each in current)
    return MessageCatalog(path, language, tuple(made), lines, len(current) - len(ready) - fuzzy, fuzzy,
                          len(entries) - len(current))


def is_rest(occurrences: list[tuple[str, str]]) -> bool:
    """Whether a message comes from a page of reStructuredText or the docstring of a program."""
    return any(file.endswith((".rst", ".py", ".txt")) for file, _ in occurrences)


def msgstr_line(lines: tuple[str, ...], number: int) -> int:
    """The line, from 1, on which the translation of the message starts that begins on a line."""
    places = range(max(number, 1), len(lines) + 1)
    return next((place for place in places if lines[place - 1].lstrip().startswith("msgstr")), 1)


def describe_catalogs(root: Path, site: str, framework: Framework) -> tuple[list[str], str]:
    """The languages that PO files have, and how much of their messages is translated, in a line, "" without any."""
    found = list(find_catalogs(root, site, framework))
    if not found:
        return [], ""
    languages = sorted({language for _, language in found})
    told, read = [], []
    for path, language in found:
        with contextlib.suppress(OSError, ValueError):  # a finding says so
            try:
                read.append(read_catalog(root, path, language))
            except ConfigError as error:
                return languages, f"messages in PO files are not counted: {error}"
    for language in languages:
        own = [each for each in read if each.language == language]
        ready, left, fuzzy, gone = (sum(numbers) for numbers in zip((0,) * 4, *(
            (len(each.messages), each.untranslated, each.fuzzy, each.obsolete) for each in own), strict=True))
        told.append(f"{language} {ready} of {ready + left + fuzzy} ({fuzzy} fuzzy, {gone} obsolete)")
    return languages, f"messages translated in PO files: {'; '.join(told)}"
