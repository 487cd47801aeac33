"""Read and write the project's files: nothing outside its folders, and a write is whole or not at all.

What people write too, pages and records, is written by `replace_if_unchanged` alone.
"""

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hexapla.errors import ConfigError

PATIENCE = 30.0  # seconds that a lock of another process is waited for, and after which it counts as left behind


class OutsideError(ValueError):
    """A path that leads out of the folder it has to stay in."""


class ChangedError(ConfigError):
    """A file that somebody changed since it was read: it is left as it is now."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{path}: was changed while this ran, and is left as it is now; run this again")


def inside(folder: Path, path: str) -> Path:
    """`folder/path`, symbolic links followed. Raises OutsideError where that leaves `folder`."""
    base = folder.resolve()
    target = (base / path).resolve()
    if not target.is_relative_to(base):
        raise OutsideError(f"{path!r} leads out of {folder.name}/")
    return target


def included_file(folders: Iterable[Path], path: str) -> Path:
    """The file at `path` in the first of the folders that has it. Raises OutsideError and FileNotFoundError."""
    found = (file for folder in folders if (file := inside(folder, path)).is_file())
    for file in found:
        return file
    raise FileNotFoundError(path)


def pages_under(folder: Path) -> Iterator[Path]:
    """The Markdown files below a folder in a stable order; links to folders are not followed (they may be loops)."""
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(".md"):
                yield Path(directory) / name


def write(path: Path, data: bytes, new_mode: int = 0o644) -> None:
    """Replace `path` by `data` at once, keeping its mode (`new_mode`: a new file's); interrupted, leave the old file.

    Raises OSError that names `path`.
    """
    with replacement(path, data, new_mode) as temporary:
        temporary.replace(path)


def replace_if_unchanged(path: Path, before: bytes | None, data: bytes | None, new_mode: int = 0o644) -> None:
    """Replace `path` by `data` at once where it still holds `before`; None is a file that is not there, or is to go.

    Who else does that waits. Raises ChangedError where the file holds anything else, OSError that names `path`.
    """
    with replacement(path, data or b"", new_mode) as temporary, locked_handle(path):
        now = path.read_bytes() if path.is_file() else None
        if now != before:
            raise ChangedError(path)
        if data is None:
            path.unlink(missing_ok=True)
        elif before is None:
            put_new(temporary, path)
        else:
            temporary.replace(path)


def put_new(temporary: Path, path: Path) -> None:
    """Put a file where none is yet. Raises ChangedError where somebody was faster, and OSError."""
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise ChangedError(path) from error
    except OSError:  # a file system without such links
        temporary.replace(path)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that lock the folder waiting; it is made where it is not there.

    The folder itself is locked where the system can do that, which leaves nothing behind. Elsewhere a file in it is,
    which is taken over once it is old. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked_handle(folder) as held:
        if held:
            yield
            return
    with locked_by_file(folder / ".lock"):
        yield


@contextmanager
def locked_handle(path: Path) -> Iterator[bool]:
    """Keep other processes that lock a file or folder waiting; False where it is not there or the system cannot."""
    handle, held = -1, False
    try:
        with suppress(ImportError, OSError):
            import fcntl

            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.flock(handle, fcntl.LOCK_EX)
            held = True
        yield held
    finally:
        if handle >= 0:
            os.close(handle)


@contextmanager
def locked_by_file(file: Path) -> Iterator[None]:
    """Keep others waiting while a file is there."""
    while True:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with suppress(FileNotFoundError):
                if time.time() - file.stat().st_mtime > PATIENCE:
                    file.unlink()
            time.sleep(0.02)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


@contextmanager
def replacement(path: Path, data: bytes, new_mode: int) -> Iterator[Path]:
    """A new file beside `path` with `data` and its mode, to be put in its place. Raises OSError that names `path`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(path.stat().st_mode if path.exists() else new_mode)
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:  # it names a file that nobody has heard of, or none where a disk is full
        raise OSError(error.errno, error.strerror, str(path)) from error
