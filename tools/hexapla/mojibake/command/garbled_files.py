"""Read garbled files and write repaired ones: text that is text, writes that are whole or not at all."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hexapla.files import ChangedError, is_own_file, replace_if_unchanged

SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".rst", ".txt", ".po", ".html"})
LARGEST = 64 * 1024 * 1024     # bytes; a page has some ten thousand


class FileError(Exception):
    """A file that cannot be read or written; the message is one sentence that says which, why and what to do."""


class SourceFile(NamedTuple):
    """A file's text as it was read."""

    path: Path
    text: str


def text_files(paths: Iterable[Path]) -> Iterator[Path]:
    """List the files named, and the text files under the folders named, in order; hidden folders are left out."""
    for path in paths:
        if not path.exists():
            raise FileError(f"{path}: no such file or folder; check the spelling")
        if not path.is_dir():
            yield path
            continue
        for found in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in found.relative_to(path).parts)
            if found.suffix.lower() in SUFFIXES and not hidden and is_own_file(path, found):
                yield found


def read_source(path: Path) -> SourceFile:
    """Read a file's text, line endings and byte order mark as they are. Raises FileError."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: larger than {LARGEST // 2**20} MB; split it into parts")
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if b"\0" in data:
        raise FileError(f"{path}: holds NUL bytes, so it is binary or UTF-16; convert it to UTF-8 first")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: byte {data[error.start]:#04x} at offset {error.start} is not UTF-8; "
            "convert the file from its own encoding first, nothing is lost yet"
        ) from error
    return SourceFile(path, text)


def write_repaired(source: SourceFile, text: str, keep: bool) -> Path | None:
    """Replace a file by its repaired text; with `keep` the garbled one is left beside it. Raises FileError."""
    path, garbled = source.path.resolve(), source.text.encode("utf-8")
    beside = path.with_name(path.name + ".garbled")
    try:
        if not os.access(path, os.W_OK):
            raise FileError(f"{source.path}: is read-only; make it writable or repair a copy")
        kept = beside.read_bytes() if keep and beside.exists() else None
        if kept not in (None, garbled):
            raise FileError(f"{beside}: is there already; move it away or pass --no-keep")
        if keep:
            replace_if_unchanged(beside, kept, garbled, stat.S_IMODE(path.stat().st_mode))
        replace_if_unchanged(path, garbled, text.encode("utf-8"))
    except ChangedError as error:
        raise FileError(f"{source.path}: changed while it was being repaired; run the repair again") from error
    except OSError as error:
        raise FileError(f"{source.path}: not written ({error.strerror}); the file is as it was") from error
    return beside if keep else None
