"""Files in and out: text that is text, writes that are whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".rst", ".txt", ".po", ".html"})
LARGEST = 64 * 1024 * 1024     # bytes; a page has some ten thousand


class FileProblem(Exception):
    """A file that cannot be read or written; the message is one sentence that says which, why and what to do."""


@dataclass(frozen=True)
class Source:
    """A file's text, and what it looked like when it was read."""

    path: Path
    text: str
    modified: int
    size: int


def pages_under(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and the text files under the folders named, in order; hidden folders are passed over."""
    for path in paths:
        if not path.exists():
            raise FileProblem(f"{path}: no such file or folder; check the spelling")
        if not path.is_dir():
            yield path
            continue
        for found in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in found.relative_to(path).parts)
            if found.suffix.lower() in SUFFIXES and not hidden and found.is_file():
                yield found


def read_source(path: Path) -> Source:
    """The text of a file, line endings and byte order mark as they are."""
    try:
        before = path.stat()
        if before.st_size > LARGEST:
            raise FileProblem(f"{path}: larger than {LARGEST // 2**20} MB; split it into parts")
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if b"\0" in data:
        raise FileProblem(f"{path}: holds NUL bytes, so it is binary or UTF-16; convert it to UTF-8 first")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileProblem(
            f"{path}: byte {data[error.start]:#04x} at offset {error.start} is not UTF-8; "
            "convert the file from its own encoding first, nothing is lost yet"
        ) from error
    return Source(path, text, before.st_mtime_ns, before.st_size)


def write_repaired(source: Source, text: str, keep: bool) -> Path | None:
    """Put the text in the file's place, the old one beside it as NAME.garbled where it is to be kept.

    Returns where the old one is. Raises FileProblem, with the file as it was, where anything is in the way.
    """
    path = source.path.resolve()
    beside = path.with_name(path.name + ".garbled")
    try:
        now = path.stat()
        if (now.st_mtime_ns, now.st_size) != (source.modified, source.size):
            raise FileProblem(f"{source.path}: changed while it was being repaired; run the repair again")
        if not os.access(path, os.W_OK):
            raise FileProblem(f"{source.path}: is read-only; make it writable or repair a copy")
        if keep and beside.exists():
            raise FileProblem(f"{beside}: is there already; move it away or pass --no-keep")
        if keep:
            put(beside, source.text, like=path)
        put(path, text, like=path)
    except OSError as error:
        raise FileProblem(f"{source.path}: not written ({error.strerror}); the file is as it was") from error
    return beside if keep else None


def put(path: Path, text: str, like: Path | None = None) -> None:
    """Write a file whole or not at all, with the mode of `like`, or for its owner alone."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".repair-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if like is not None:
            shutil.copymode(like, name)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
