"""What git knows of a project: commits, the text that a file had at a revision, the whole tree at a revision.

Where there is no repository, or no git, there are no commits and no texts: nothing here fails for that.
"""

import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

BLOB_DIGITS = 12  # of a blob's name, as records keep it
COMMIT_DIGITS = 9  # of a commit's name, for people
TIMEOUT = 120     # seconds


def blob_name(data: bytes) -> str:
    """The first 12 digits of the name that git gives a file of these bytes, line ends as git stores them."""
    stored = data.replace(b"\r\n", b"\n")
    return sha1(b"blob %d\0" % len(stored) + stored, usedforsecurity=False).hexdigest()[:BLOB_DIGITS]


class FileRevision(NamedTuple):
    """A file as a commit left it: the blob's short name, the commit's, its date, who wrote it, its first line."""

    blob: str
    commit: str
    date: str
    author: str
    subject: str


class Repository:
    """The repository that the folder `root` is in. Paths are relative to `root`; texts are decoded as UTF-8."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: dict[tuple[str, str], str | None] = {}

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes | None:
        """The output of a git command, None where it fails or git is missing."""
        command = ["git", "-c", "core.quotepath=off", "-C", str(self.root), *arguments]
        try:
            done = subprocess.run(command, input=stdin, capture_output=True, timeout=TIMEOUT, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def lines(self, *arguments: str) -> list[str]:
        """The lines that a git command prints, none where it fails."""
        return (self.run(*arguments) or b"").decode("utf-8", "replace").splitlines()

    def commit(self, revision: str) -> str | None:
        """The commit that a revision names, None where there is none."""
        found = self.lines("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return found[0] if found else None

    @cached_property
    def head(self) -> str | None:
        """The commit that is checked out, None without one."""
        return self.commit("HEAD")

    @cached_property
    def user_name(self) -> str:
        """The name that commits are made in, "" where git knows none."""
        return "".join(self.lines("config", "user.name")).strip()

    @cached_property
    def prefix(self) -> str:
        """The path of `root` in the repository, "" or with a final slash."""
        return "".join(self.lines("rev-parse", "--show-prefix")).strip()

    @cached_property
    def uncommitted(self) -> frozenset[str]:
        """Paths with changes that are not committed."""
        listed = self.lines("status", "--porcelain", "--no-renames", "--", ".")
        return frozenset(line[3:].removeprefix(self.prefix) for line in listed)

    @cached_property
    def last_commits(self) -> dict[str, str]:
        """The last commit that changed each file, found in one walk through the history."""
        found: dict[str, str] = {}
        commit = ""
        for line in self.lines("log", "--format=%x00%H", "--name-only", "--no-renames", "--", "."):
            if line.startswith("\0"):
                commit = line[1:]
            elif line:
                found.setdefault(line.removeprefix(self.prefix), commit)
        return found

    def commits(self, paths: Iterable[str], limit: int) -> list[str]:
        """The last commits that changed one of the files, the newest first."""
        return self.lines("log", "--format=%H", f"--max-count={limit}", "--", *paths)

    def text_at(self, revision: str, path: str) -> str | None:
        """A file's text at a revision, None where it did not exist."""
        key = (revision, path)
        if key not in self.texts:
            found = self.run("show", f"{revision}:./{path}")
            self.texts[key] = None if found is None else found.decode("utf-8", "replace")
        return self.texts[key]

    def texts_at(self, revision: str, folder: str) -> tuple[str, ...]:
        """The texts of the files in a folder at a revision, in the order of their names."""
        names = self.lines("ls-tree", "--name-only", revision, "--", f"./{folder}/")
        return tuple(text for name in names if (text := self.text_at(revision, name)))

    def source_text_then(self, translation: str, source: str) -> str | None:
        """The source's text at the translation's last change, None where it is today's or cannot be known."""
        if self.head is None or translation in self.uncommitted:
            return None
        then = self.last_commits.get(translation)
        if then is None or self.last_commits.get(source) in {None, then}:
            return None
        return self.text_at(then, source)

    def revisions(self, path: str) -> Iterator[FileRevision]:
        """What a file was, the newest first, under its old names too."""
        form = "--format=%x00%H%x00%as%x00%an%x00%s"
        listed = self.lines("log", form, "--raw", "--no-abbrev", "--follow", "--", path) if self.head else []
        commit = ["", "", "", ""]
        for line in listed:
            fields = line.split()
            if line.startswith("\0"):
                commit = line[1:].split("\0", 3)
                commit[0] = commit[0][:COMMIT_DIGITS]
            elif line.startswith(":") and len(fields) > 4:
                yield FileRevision(fields[3][:BLOB_DIGITS], *commit)

    def blobs(self, names: Sequence[str]) -> dict[str, bytes]:
        """The contents of blobs by name, those that the repository has."""
        found: dict[str, bytes] = {}
        output = (self.run("cat-file", "--batch", stdin="\n".join(names).encode() + b"\n") if names else None) or b""
        position = 0
        for name in names if output else ():
            end = output.find(b"\n", position)
            header = output[position:end].split()
            position = end + 1
            if len(header) == 3 and header[1] == b"blob":
                found[name] = output[position : position + int(header[2])]
                position += int(header[2]) + 1
        return found


@contextmanager
def worktree_at(root: Path, revision: str) -> Iterator[Path]:
    """The folder `root` as it was at a revision, in a temporary folder. Raises LookupError for an unknown revision."""
    repository = Repository(root)
    commit = repository.commit(revision)
    packed = repository.run("archive", "--format=tar", f"{commit}:./") if commit else None
    if not packed:
        raise LookupError(revision)
    with TemporaryDirectory(prefix="hexapla-") as folder, tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        yield Path(folder)
