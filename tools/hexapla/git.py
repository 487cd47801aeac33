"""What git knows of a project: commits, files at a revision, the whole tree; without a repository or git, nothing.

A repository is data that nobody vouches for: its configuration can name programs, and its `.git` can lead elsewhere.
`run_git` is the one way to call git: no such program runs, and a repository elsewhere has to name the tree itself.
"""

import logging
import os
import shlex
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

LOG = logging.getLogger("hexapla")
BLOB_DIGITS = 12  # of a blob's name, as records keep it
COMMIT_DIGITS = 9  # of a commit's name, for people
TIMEOUT = 120     # seconds
MOST_NAMED = 4096  # bytes of a file that names a path
HISTORY = ("HEAD", "packed-refs", "refs", "reftable", "logs", "objects")  # what holds it in a folder of git's
# Settings that outrank those of the repository, each of which could run a program or reach for the network.
SETTINGS = {
    "core.fsmonitor": "false",  # a program that `git status` asks what has changed
    "core.hooksPath": os.devnull,  # hooks, which `git status` runs after it has refreshed the index
    "core.quotePath": "false",
    "core.alternateRefsCommand": "",
    "log.showSignature": "false",  # would run gpg.program for each commit
    "diff.ignoreSubmodules": "all",  # git would start another one in each, by that one's configuration
    # A partial clone fetches what it lacks, by `ext::` with any program; a protocol's own setting outranks the first.
    "protocol.allow": "never",
    **{f"protocol.{name}.allow": "never" for name in ("ext", "file", "git", "ssh", "http", "https")},
    "safe.bareRepository": "explicit",  # a folder of the tree that looks like a repository is none
}
# Variables of the user's own, kept of all that are git's: the others say which repository a hook stands in.
USERS_VARIABLES = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}
PATCHING = {"diff", "log", "show"}  # commands that can show files through a program of the configuration
FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"  # programs that git status and archive run on files


@lru_cache(maxsize=64)
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


def run_git(
    root: Path, arguments: Sequence[str], stdin: bytes = b"", settings: Mapping[str, str] = SETTINGS,
    given: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder without running anything that its repository names. Raises OSError, TimeoutExpired.

    `given` is a `.git` to use as it is, for questions about where it leads.
    """
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GIT_") or name in USERS_VARIABLES}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
                    "GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    if given:
        environment["GIT_DIR"] = str(given)
    elif (found := nearest_git(os.path.realpath(root))) and leads_elsewhere(found):
        environment["GIT_DIR"] = os.devnull  # which is no repository
    name, *others = arguments
    plain = ["--no-ext-diff", "--no-textconv"] if name in PATCHING else []
    command = ["git", "--no-pager", "-C", str(root), name, *plain, *others]
    return subprocess.run(command, input=stdin, env=environment, capture_output=True, timeout=TIMEOUT, check=False)


def nearest_git(folder: str) -> Path | None:
    """The `.git` that git takes for a folder: its own, else of the first one above that has one."""
    tries = (each / ".git" for each in (Path(folder), *Path(folder).parents))
    return next((each for each in tries if each.is_file() or os.path.lexists(each / "HEAD")), None)


@lru_cache(maxsize=64)
def leads_elsewhere(given: Path) -> bool:
    """Whether the repository of a `.git` is not its tree's own, or takes history from another one.

    A worktree's and a submodule's own repository lies elsewhere too, and names the tree; what was unpacked cannot have
    made it do so. Git is asked from `/`, which it takes for the tree where `core.worktree` names none.
    """
    tree, root = given.parent, Path(given.anchor)
    asked = run_git(root, ["rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"], given=given)
    *answers, _ = asked.stdout.split(b"\n")
    if len(answers) < 2:
        return True  # git itself says that it is none
    place, common, *named = (Path(os.path.realpath(os.fsdecode(answer))) for answer in answers)
    linked = place.parent.name == "worktrees" and common == place.parent.parent
    mending = ["git", "clone", "--no-local", str(tree), f"{tree}.copy"]
    # A bare one has no tree to show, and a path of two lines makes one answer too many.
    if len(answers) + bool(asked.returncode) != 3 or not (linked or common == place):
        fault = f"{place / 'commondir'}: leads to another repository"
    elif not (common.is_relative_to(tree) or (names_worktree(place, given) if linked else named == [tree])):
        fault = f"{given}: leads to {place}, which does not name this tree"
        others = given.is_symlink() or place.name == ".git"  # another tree's own, which stays so
        if linked and not others:
            mending = ["git", "-C", str(tree), "worktree", "repair"]
        elif named == [root] and not others:
            mending = ["git", f"--git-dir={place}", "config", "core.worktree", str(tree)]
    elif part := borrowed_part(common, place):
        fault = f"{part}: leads to another repository"
    else:
        return False
    LOG.warning("%s, and no history is read there; if both are yours, run %s", fault, shlex.join(mending))
    return True


def names_worktree(place: Path, given: Path) -> bool:
    """Whether the folder that git keeps for a worktree names a `.git`, links of the folders above followed."""
    file = place / "gitdir"
    if not file.is_file() or file.stat().st_size > MOST_NAMED:
        return False
    folder, name = os.path.split(place / os.fsdecode(file.read_bytes().rstrip(b"\r\n")))
    return "\0" not in folder and Path(os.path.realpath(folder), name) == given


def borrowed_part(common: Path, place: Path) -> Path | None:
    """What a repository has of another one's history: a link that leads out of it, or the list of what it borrows."""
    pending: list[Path | os.DirEntry[str]] = [folder / part for folder in {common, place} for part in HISTORY]
    while pending:
        each = pending.pop()
        if each.is_symlink():
            if not Path(os.path.realpath(each)).is_relative_to(common):
                return Path(each)
        elif each.is_dir():
            with suppress(FileNotFoundError):  # git packs meanwhile
                pending += os.scandir(each)
    alternates = common / "objects/info/alternates"
    return alternates if alternates.exists() else None


class Repository:
    """The repository that the folder `root` is in, up to a revision; paths are relative to `root`, texts UTF-8."""

    def __init__(self, root: Path, until: str = "HEAD") -> None:
        self.root, self.until = root, until
        self.texts: dict[tuple[str, str], str | None] = {}

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes | None:
        """The output of a git command, None where it fails or git is missing."""
        try:
            done = run_git(self.root, arguments, stdin, self.settings)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """`SETTINGS`, and every filter that the configuration names without a program."""
        try:
            listed = run_git(self.root, ["config", "--null", "--name-only", "--get-regexp", FILTERS]).stdout
        except (OSError, subprocess.TimeoutExpired):
            return SETTINGS
        names = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
        return SETTINGS | {name: "false" if name.endswith(".required") else "" for name in names}

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
        listed = self.lines("status", "--porcelain", "--no-renames", "--ignore-submodules=all", "--", ".")
        return frozenset(line[3:].removeprefix(self.prefix) for line in listed)

    @cached_property
    def last_commits(self) -> dict[str, str]:
        return self.commits_that_count(lambda path, subject, body: True)

    def commits_that_count(self, counts: Callable[[str, str, str], bool]) -> dict[str, str]:
        """The newest commit of each file for which `counts` is true of path, subject and body, found in one walk."""
        found: dict[str, str] = {}
        shown = ("--format=%x00%H%x00%s%x00%b%x00", "--name-only", "--no-renames", self.until, "--", ".")
        fields = iter((self.run("log", *shown) or b"").decode("utf-8", "replace").split("\0")[1:])
        for commit, subject, body, names in zip(fields, fields, fields, fields, strict=False):
            for name in names.split("\n"):
                path = name.removeprefix(self.prefix)
                if path and path not in found and counts(path, subject, body):
                    found[path] = commit
        return found

    def commits(self, paths: Iterable[str], limit: int) -> list[str]:
        """The last commits that changed one of the files, the newest first."""
        return self.lines("log", "--format=%H", f"--max-count={limit}", self.until, "--", *paths)

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

    def source_at(self, revision: str) -> str:
        """The repository of the source at the time of a commit, "" where it is this one."""
        return ""

    def revisions(self, path: str) -> Iterator[FileRevision]:
        """What a file was, the newest first, under its old names too."""
        form = "--format=%x00%H%x00%as%x00%an%x00%s"
        shown = ("--raw", "--no-abbrev", "--follow", self.until)
        listed = self.lines("log", form, *shown, "--", path) if self.head else []
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


class SourceRepository(NamedTuple):
    """Another repository that a tree's source is read from, its commit, and the folder here for copies of pages."""

    folder: Path
    commit: str
    copies: str


class JoinedRepository(Repository):
    """A repository of translations, with the history of their source, which another repository has.

    A path in the folder of copies is the other's, which has for a commit of this one what it had on that day.
    """

    def __init__(self, root: Path, source: SourceRepository) -> None:
        super().__init__(root)
        self.source, self.other = source, Repository(source.folder, source.commit)
        self.commits_then: dict[str, str] = {}

    def shared_names(self, paths: Iterable[str]) -> list[str]:
        """The paths that the other repository has for some of this tree."""
        start = self.source.copies
        return [path.removeprefix(start) for path in paths if path.startswith(start)]

    def commit(self, revision: str) -> str | None:
        return super().commit(revision) or self.other.commit(revision)

    def commit_then(self, revision: str) -> str:
        """The other repository's commit at the time of a commit: itself, or the last one before it; "" for none."""
        if revision not in self.commits_then:
            date = "".join(self.lines("show", "--no-patch", "--format=%cI", revision))
            before = self.other.lines("rev-list", "--max-count=1", f"--before={date}", self.source.commit)
            own = super().commit(revision) or revision  # "HEAD" is one there, too
            self.commits_then[revision] = self.other.commit(own) or "".join(before if date else ())
        return self.commits_then[revision]

    def text_at(self, revision: str, path: str) -> str | None:
        if not (names := self.shared_names([path])):
            return super().text_at(revision, path)
        commit = self.commit_then(revision)
        return self.other.text_at(commit, names[0]) if commit else None

    def commits(self, paths: Iterable[str], limit: int) -> list[str]:
        """The last commits that changed one of the files, the newest first: the other repository's for its own."""
        names = self.shared_names(paths := [*paths])
        return self.other.commits(names, limit) if names else super().commits(paths, limit)

    def source_text_then(self, translation: str, source: str) -> str | None:
        """The source's text at the time of the translation's last change, None where it is today's or unknown."""
        then = self.last_commits.get(translation)
        if then is None or translation in self.uncommitted:
            return None
        text = self.text_at(then, source)
        return None if text == self.text_at(self.source.commit, source) else text

    def source_at(self, revision: str) -> str:
        """The other repository at the time of a commit, as `--source-repo` takes it."""
        return f"{self.source.folder}@{self.commit_then(revision)}"

    def revisions(self, path: str) -> Iterator[FileRevision]:
        names = self.shared_names([path])
        yield from self.other.revisions(names[0]) if names else super().revisions(path)

    def blobs(self, names: Sequence[str]) -> dict[str, bytes]:
        """The contents of blobs by name, those that one of the repositories has."""
        return super().blobs(names) | self.other.blobs(names)


def plain_member(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """A member of an archive as it is put into a folder; None for a link that leads out of it, or no file."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


@contextmanager
def worktree_at(root: Path, revision: str) -> Iterator[Path]:
    """The folder `root` as it was at a revision, in a temporary folder. Raises LookupError for an unknown revision."""
    repository = Repository(root)
    commit = repository.commit(revision)
    packed = repository.run("archive", "--format=tar", f"{commit}:./") if commit else None
    if not packed:
        raise LookupError(revision)
    with TemporaryDirectory(prefix="hexapla-") as folder, tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter=plain_member)
        yield Path(folder)
