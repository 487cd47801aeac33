"""Folders that a run may write in: how much they hold, and emptied, whatever a snippet has put there."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path


def bytes_below(folders: Iterable[str | Path]) -> int:
    """Bytes of disk or memory that the files below these folders take; what vanishes meanwhile is left out."""
    total = 0
    waiting = [Path(folder) for folder in folders]
    while waiting:
        for entry in entries(waiting.pop()):
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                total += found.st_blocks * 512
                if stat.S_ISDIR(found.st_mode):
                    waiting.append(Path(entry.path))
    return total


def entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """What is in a folder, nothing if it cannot be read."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        yield from found


def empty_folder(folder: Path) -> None:
    """Remove all that is in a folder, followed through no link, however deep it is and whatever its modes are.

    Folders are moved up before they are emptied: a path may be too long for the system, and too deep to recurse.
    """
    while waiting := [*folder.iterdir()]:
        for path in waiting:
            if path.is_symlink() or not path.is_dir():
                path.unlink()
                continue
            path.chmod(0o700)
            for inner in [*path.iterdir()]:
                if inner.is_symlink() or not inner.is_dir():
                    inner.unlink()
                else:
                    inner.chmod(0o700)
                    inner.rename(folder / os.urandom(16).hex())
            path.rmdir()
