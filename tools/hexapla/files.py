"""Read and write the project's files: nothing outside its folders, and a write is whole or not at all.

What people write too, pages and records, is written by `replace_if_unchanged` alone.
"""

import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar

from hexapla.errors import ConfigError

AnyPath = TypeVar("AnyPath", str, Path)

LARGEST = 64 * 1024 * 1024  # bytes of a file that is read as a whole
OPENING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))
NAMED_SCHEMA = re.compile(r"# schema: (\d{1,9})")
NO_PAGES = {"node_modules", "site-packages", "__pycache__"}  # folders whose files are of no page
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")  # characters that no name of a page holds, and a terminal acts upon
PATIENCE = 30.0  # seconds that a lock of another process is waited for, and after which it counts as left behind


class RefusedFileError(ConfigError, OSError):
    """A file of a tree that is not read: a device or a pipe, or larger than any page."""


class OutsideError(RefusedFileError):
    """A path that leads out of the folder it has to stay in."""


class ChangedError(ConfigError):
    """A file that somebody changed since it was read: it is left as it is now."""

    def __init__(self, path: object) -> None:
        super().__init__(f"{path}: was changed while this ran, and is left as it is now; run this again")


@contextmanager
def open_file(root: Path | str, path: Path | str) -> Iterator[BinaryIO]:
    """A file of a tree to read, by Path or by name below `root`. Raises OutsideError, RefusedFileError, OSError."""
    handle = os.open(resolve_inside(root, path), OPENING)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise RefusedFileError(f"{path}: is no file but a folder, a device or a pipe; take it out of the tree")
        yield stream


def read_file(root: Path | str, path: Path | str) -> bytes:
    """The bytes of a file of a tree. Raises as `open_file` does, RefusedFileError for one that is too large, too."""
    with open_file(root, path) as stream:
        too_large = os.fstat(stream.fileno()).st_size > LARGEST
        found = b"" if too_large else stream.read(LARGEST + 1)
        if too_large or len(found) > LARGEST:
            raise RefusedFileError(f"{path}: is larger than {LARGEST // 1024 // 1024} MB; cut it into several")
        return found


def read_text(root: Path | str, path: Path | str, errors: str = "strict") -> str:
    """The text of a file of a tree, its lines ended by a line feed. Raises as `read_file` does, UnicodeDecodeError."""
    return read_file(root, path).decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def later_schema(named: object, known: int) -> str:
    """What is wrong with a file of a later schema than this version knows, "" for nothing.

    >>> later_schema("# schema: 2", 1), later_schema("# schema: 1", 1), later_schema(None, 1)
    ('has schema 2, and this version reads 1; install a later hexapla', '', '')
    """
    found = NAMED_SCHEMA.fullmatch(named) if isinstance(named, str) else None
    number = int(found[1]) if found else named
    if isinstance(number, int) and number > known:
        return f"has schema {number}, and this version reads {known}; install a later hexapla"
    return ""


def resolve_inside(root: Path | str, path: Path | str) -> str:
    """A path of a tree without links: a Path as it is, a name below `root`. Raises OutsideError where it leads out."""
    base = real_folder(root)
    # There are thousands: pathlib takes longer.
    real = os.path.realpath(os.path.join(root, path) if isinstance(path, str) else path)  # noqa: PTH118
    if not f"{real}{os.sep}".startswith(base):
        raise OutsideError(f"{str(path)!r} leads out of {base.rsplit(os.sep, 2)[-2]}/")
    return real


def real_folder(root: Path | str) -> str:
    """A folder without links, with a final separator."""
    return absolute_folder(os.path.abspath(root))  # noqa: PTH100  # what is relative is so to another folder later


@lru_cache(maxsize=64)
def absolute_folder(root: str) -> str:
    """A folder that is given by its whole path, without links, with a final separator."""
    return os.path.realpath(root).rstrip(os.sep) + os.sep


def walk_files(root: Path, folder: str) -> Iterator[str]:
    """Files below `root/folder`, relative to `root`; links to folders are not followed: loops. Raises OutsideError."""
    base = str(root)
    resolve_inside(root, folder)
    for directory, names, files in os.walk(root / folder if folder else root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in NO_PAGES)
        inside = directory[len(base) :].strip(os.sep).replace(os.sep, "/")
        for name in sorted(files):
            yield f"{inside}/{name}" if inside else name


def is_own_file(root: Path | str, path: Path | str) -> bool:
    """Whether a path is one of a regular file that no link puts outside of the tree."""
    try:
        return Path(resolve_inside(root, path)).is_file()
    except OSError:
        return False


def own_files(root: Path, files: Iterable[AnyPath]) -> Iterator[AnyPath]:
    """Those of many files, by their whole paths, that `is_own_file` is true of; each folder is followed once."""
    inside: dict[str, bool] = {}
    for file in files:
        folder = os.path.dirname(file)  # noqa: PTH120
        if folder not in inside:
            inside[folder] = is_within(root, Path(folder))
        try:
            is_plain = inside[folder] and stat.S_ISREG(os.lstat(file).st_mode)
        except OSError:
            continue
        if is_plain or is_own_file(root, Path(file)):
            yield file


def is_within(root: Path, folder: Path) -> bool:
    """Whether a folder, links followed, is that of the tree or in it."""
    return f"{os.path.realpath(folder)}{os.sep}".startswith(real_folder(root))


def join_inside(folder: Path, path: Path | str) -> Path:
    """A Path, or what a name stands for below `folder`, links followed. Raises OutsideError where that leaves it."""
    return Path(resolve_inside(folder, path))


def included_file(folders: Iterable[Path], path: str) -> Path:
    """The file at `path` in the first of the folders that has it. Raises OutsideError and FileNotFoundError."""
    for folder in folders:
        if (file := join_inside(folder, path)).is_file():
            return file
    raise FileNotFoundError(path)


def links_outside(root: Path, folder: Path) -> Iterator[Path]:
    """The links to folders below a folder that lead out of the tree, or to a folder that they stand in."""
    for directory, names, _ in os.walk(folder):
        for link in (Path(directory, name) for name in names):
            if link.is_symlink() and (
                not f"{(real := os.path.realpath(link))}{os.sep}".startswith(real_folder(root))
                or f"{os.path.realpath(directory)}{os.sep}".startswith(f"{real}{os.sep}")
            ):
                yield link


def user_folder(variable: str, below_home: str) -> Path:
    """The folder of this program among the user's, by a variable of XDG. Raises RuntimeError where there is no home."""
    given = Path(os.environ.get("LOCALAPPDATA" if os.name == "nt" else variable) or "")
    return (given if given.is_absolute() else Path.home() / below_home) / "hexapla"


def user_cache(kind: str, project: Path | None = None) -> Path:
    """A folder in this user's cache, a project's own if one is given; no tree can bring it along, as one in it."""
    base = user_folder("XDG_CACHE_HOME", ".cache").resolve() / kind
    key = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:16] if project else ""
    folder = base / f"{project.resolve().name}-{key}" if project else base
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def pages_under(folder: Path) -> Iterator[Path]:
    """The Markdown files below a folder in a stable order."""
    return (folder / path for path in walk_files(folder, "") if path.endswith(".md") and not CONTROL.search(path))


def write_file(path: Path, data: bytes, new_mode: int = 0o644) -> None:
    """Replace `path` by `data` at once, its mode kept (`new_mode`: a new file's). Raises OSError that names `path`."""
    with make_replacement(path, data, new_mode) as temporary:
        temporary.replace(path)


def replace_if_unchanged(path: Path, before: bytes | None, data: bytes | None, new_mode: int = 0o644) -> None:
    """Replace `path` by `data` at once where it still holds `before`; None is a file that is not there, or is to go.

    Raises ChangedError where the file holds anything else, OSError that names `path`.
    """
    with make_replacement(path, data or b"", new_mode) as temporary, locked_handle(path):
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
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other processes that lock a folder waiting. Raises OSError.

    The folder itself is locked where the system can do that, which leaves nothing behind, else a file in it.
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
def make_replacement(path: Path, data: bytes, new_mode: int) -> Iterator[Path]:
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
