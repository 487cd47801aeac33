"""Copy the pages of a source in another repository, at a commit, into the folder `.hexapla`.

They are read from git's objects: nothing of that repository is run, and nothing of its working tree is looked at.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from hashlib import new as new_hash
from pathlib import Path, PurePosixPath

from hexapla.errors import ConfigError
from hexapla.files import CONTROL, LARGEST, join_inside, lock_folder, read_file, write_file
from hexapla.frameworks.registry import FRAMEWORKS
from hexapla.git import COMMIT_DIGITS, Repository, SourceRepository
from hexapla.installation import FOLDER, is_plain, state_folder

OPTION = "--source-repo"
MARKS = {mark.replace("{lang}", "*") for each in FRAMEWORKS for mark in each.marks}  # files that tell where pages lie
ENDINGS = {ending for each in FRAMEWORKS for ending in each.endings}
AT_ONCE = 500  # files that are asked for in one call of git
KEPT = 4  # copies, those that were used last
USED: dict[Path, int] = {}  # the copies that this process reads, each open and locked until it ends


def copy_source(root: Path, given: str) -> SourceRepository:
    """The source that `DIR@REVISION` names, its pages copied to a folder below `root`. Raises ConfigError, OSError."""
    folder, revision = split_revision(given)
    if not folder.is_dir():
        raise ConfigError(f"{OPTION} {given}: {folder} is no folder; name a clone of the source's repository: DIR@REV")
    if folder.samefile(root):
        raise ConfigError(f"{OPTION} {given}: is the tree itself; name another repository, or leave it out")
    repository = Repository(folder)
    if repository.run("rev-parse", "--git-dir") is None:
        raise ConfigError(f"{OPTION} {given}: {folder} is in no repository that git opens; name a clone: DIR@REV")
    if not (commit := repository.commit(revision)):
        raise ConfigError(f"{OPTION} {given}: {folder} has no commit {revision!r}; fetch it there, or name another one")
    state = state_folder(root).path
    if state is None:
        raise ConfigError(f"{root}: {FOLDER} cannot be used, and the pages of {OPTION} are kept in it; remove it")
    copies = f"{FOLDER}/source/{commit[:COMMIT_DIGITS]}/"
    target = root / copies
    if Path(os.path.realpath(target)) != state.resolve() / target.relative_to(state):
        raise ConfigError(f"{root}: {copies} is a link or lies in one, and the pages of {OPTION} are kept there; "
                          f"remove {FOLDER}/source")
    with lock_folder(state):
        copy_pages(repository, commit, target)
        remove_copies(target)
    return SourceRepository(folder.resolve(), commit, copies)


def remove_copies(used: Path) -> None:
    """Remove the copies but for the last few and those that a process reads; on Windows, without such locks, none."""
    with suppress(ImportError, OSError):
        import fcntl

        os.utime(used)
        if used not in USED:
            handle = os.open(used, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_SH)
            USED[used] = handle
        copies = [each for each in used.parent.iterdir() if each.is_dir() and not each.is_symlink()]
        for old in sorted(copies, key=lambda each: each.stat().st_mtime_ns)[:-KEPT]:
            handle = os.open(old, os.O_RDONLY)
            with suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(old)
            os.close(handle)


def split_revision(given: str) -> tuple[Path, str]:
    """The folder and the revision that `DIR@REVISION` names; either may hold an `@`, and the revision may be left out.

    >>> split_revision("clones/docs@v2@{1}")
    (PosixPath('clones/docs'), 'v2@{1}')
    """
    parts = given.split("@")
    for count in range(len(parts), 0, -1):
        folder = Path("@".join(parts[:count]))
        if folder.is_dir():
            return folder.absolute(), "@".join(parts[count:]) or "HEAD"
    return Path(parts[0]), "@".join(parts[1:]) or "HEAD"


def copy_pages(repository: Repository, commit: str, target: Path) -> None:
    """Make a folder hold the pages of a commit and nothing else. Raises ConfigError for a clone that lacks some."""
    wanted = {path: name for path, name in files_of(repository, commit) if is_wanted(path)}
    target.mkdir(parents=True, exist_ok=True)
    for directory, _, files in os.walk(target):
        for file in (Path(directory, name) for name in files):
            if file.relative_to(target).as_posix() not in wanted:
                file.unlink()
    lacking = [path for path, name in wanted.items() if not has_blob(target, path, name)]
    for some in (lacking[start : start + AT_ONCE] for start in range(0, len(lacking), AT_ONCE)):
        found = repository.blobs([wanted[path] for path in some])
        for path in some:
            if wanted[path] not in found:
                raise ConfigError(f"{OPTION}: the clone {repository.root} lacks {path} at {commit[:COMMIT_DIGITS]}, "
                                  "as a partial clone does; clone all of it")
            write_file(join_inside(target, path), found[wanted[path]])


def files_of(repository: Repository, commit: str) -> Iterator[tuple[str, str]]:
    """The path and the blob of each regular file below a repository's folder, links and what is no page's size left."""
    listed = repository.run("ls-tree", "-r", "-z", "--long", commit)
    if listed is None:
        raise ConfigError(f"{OPTION}: the clone {repository.root} lacks files of {commit[:COMMIT_DIGITS]}, "
                          "as a partial clone does; clone all of it")
    for row in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        meta, _, path = row.partition("\t")
        mode, kind, name, size = meta.split()
        parts = path.split("/")
        too_large = size.isdecimal() and int(size) > LARGEST  # "BAD" of a blob that the clone lacks
        if kind == "blob" and mode.startswith("100") and not (
                too_large or CONTROL.search(path) or {"", ".", "..", ".git"} & {*parts}):
            yield path, name


def is_wanted(path: str) -> bool:
    """Whether a file is a page, or one that tells a site's framework and where its pages lie."""
    file = PurePosixPath(path)
    return file.suffix in ENDINGS or any(each.match(mark) for mark in MARKS for each in (file, file.parent))


def has_blob(folder: Path, path: str, name: str) -> bool:
    """Whether a file holds what git calls by that name: a copy is not believed because it is there."""
    file = folder / path
    if not file.is_file() or not is_plain(file):
        return False
    data = read_file(folder, path)
    kind = "sha1" if len(name) == 40 else "sha256"
    return new_hash(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == name
