"""The digests of files: one whose state is as it was when it was read last is not read again.

Of a check of 2,700 pages that are as they were, reading and digesting them was a quarter.
"""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from time import time_ns
from typing import NamedTuple

from hexapla.cache import Cache, digest, key_of
from hexapla.files import read_file

# Nanoseconds: the coarsest clock of a file system. A file that changed so lately may change again unseen.
TICK = 2_000_000_000


class FileState(NamedTuple):
    """What changes when a file is written, replaced or linked again: times in nanoseconds, size and inode."""

    changed: int
    written: int
    size: int
    inode: int

    def is_linked_from(self, other: "FileState") -> bool:
        """Whether this is the same file as it was, perhaps with other links, which change one of its times alone."""
        return self[1:] == other[1:]


def state_of(path: str) -> FileState:
    """The state of a file. Raises OSError."""
    try:
        found = os.stat(path)  # noqa: PTH116  # a Path for each would double the time
    except OSError:  # a link that leads nowhere
        found = os.lstat(path)
    return FileState(found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino)


class FileDigests:
    """The digests of files, with the states that they had then in the cache."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.key = key_of("digests of files")
        self.read: dict[str, list[list[int] | str]] = {}  # and not recorded yet

    @cached_property
    def recorded(self) -> dict[str, list[list[int] | str]]:
        """The state and the digest of each file, as the cache has them."""
        return self.cache.get(self.key) or {}

    def digest(self, root: Path, path: str) -> str:
        """The digest of the bytes of a file below `root`, "" for one that cannot be read."""
        file = os.path.join(root, path)  # noqa: PTH118  # there are thousands
        try:
            state, now = state_of(file), time_ns()
            known = self.read.get(file) or self.recorded.get(file)
            if known and known[0] == [*state]:
                return str(known[1])
            made = digest(read_file(root, path))
        except OSError:
            return ""
        if state.changed + TICK < now:
            self.read[file] = [[*state], made]
        return made

    def record_digests(self) -> None:
        """Record the files that were read."""
        if self.read:
            self.recorded.update(self.read)
            self.cache.put(self.key, self.recorded)
            self.read = {}


def folder_states(folders: Iterable[Path], digests: FileDigests) -> dict[str, str] | None:
    """The digests of all files below some folders, None with what bytes do not tell: links to folders, signatures."""
    found: dict[str, str] = {}
    for folder in folders:
        for directory, names, files in os.walk(folder):
            paths = [os.path.join(directory, name) for name in files]  # noqa: PTH118  # there are hundreds
            if any(os.path.islink(os.path.join(directory, name)) for name in names):  # noqa: PTH114, PTH118
                return None
            names[:] = [name for name in names if name != "__pycache__"]
            if any(path.endswith(".sig") for path in paths):
                return None
            found.update((path, digests.digest(folder, path)) for path in paths)
    return found
