"""Read and write the project's files: nothing outside its folders, and a write is whole or not at all."""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 30.0  # seconds that a lock of another process is waited for, and after which it counts as left behind


class OutsideError(ValueError):
    """A path that leads out of the folder it has to stay in."""


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


def user_cache(kind: str, project: Path | None = None) -> Path:
    """A folder in this user's cache, a project's own if one is given; no tree can bring it along, as one in it."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").resolve() / "hexapla" / kind
    key = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:16] if project else ""
    folder = base / f"{project.resolve().name}-{key}" if project else base
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, data, new_mode)
    except OSError as error:  # it names a file that nobody has heard of, or none where a disk is full
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that lock the folder waiting; it is made where it is not there.

    The folder itself is locked where the system can do that, which leaves nothing behind. Elsewhere a file in it is,
    which is taken over once it is old. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = -1
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    except (ImportError, OSError):
        if handle >= 0:
            os.close(handle)
        with locked_by_file(folder / ".lock"):
            yield
        return
    try:
        yield
    finally:
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


def replace(path: Path, data: bytes, new_mode: int) -> None:
    """Put `data` into a new file beside `path`, then that file in its place. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(path.stat().st_mode if path.exists() else new_mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
