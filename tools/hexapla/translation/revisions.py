"""What git remembers: the text that a translation was made from, a tree as it was; nothing where there is no git."""

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from hexapla.errors import ConfigError
from hexapla.pages.blocks import read_blocks
from hexapla.translation.normalization import words
from hexapla.translation.records import Record
from hexapla.translation.sections import below, digest, parts
from hexapla.translation.status import Change, PageStanding, Standing, State
from hexapla.translation.translation_tree import Tree
from hexapla.translation.word_diff import changed_words

SHORT = 12


def blob(data: bytes) -> str:
    """The first 12 digits of the name that git gives a file of these bytes, line ends as git stores them."""
    stored = data.replace(b"\r\n", b"\n")
    return sha1(b"blob %d\0" % len(stored) + stored, usedforsecurity=False).hexdigest()[:SHORT]


@dataclass(frozen=True, slots=True)
class Old:
    """A section of the source as it was: its words, heading first, and its Markdown."""

    words: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Past:
    """The past of the repository that `root` lies in."""

    root: Path
    _pages: dict[str, dict[tuple[str, str], Old]] = field(default_factory=dict)
    _versions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _texts: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _below: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What git prints, nothing where it fails or is not there."""
        command = ["git", "-c", "core.quotepath=off", "-C", str(self.root), *arguments]
        try:
            done = subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return b""
        return done.stdout if done.returncode == 0 else b""

    @cached_property
    def known(self) -> bool:
        """Whether there is a past at all."""
        return bool(self.git("rev-parse", "--verify", "--quiet", "HEAD"))

    def fetch(self, blobs: Iterable[str]) -> None:
        """Read several pages at once."""
        wanted = [name for name in dict.fromkeys(blobs) if name and name not in self._pages]
        if not wanted or not self.known:
            return
        found = self.git("cat-file", "--batch", stdin="\n".join(wanted).encode() + b"\n")
        position = 0
        for name in wanted:
            end = found.find(b"\n", position)
            header = found[position:end].split()
            position = end + 1
            if len(header) == 3 and header[1] == b"blob":
                size = int(header[2])
                self._pages[name] = past_sections(found[position : position + size].decode("utf-8-sig", "replace"))
                position += size + 1
            else:
                self._pages[name] = {}

    def section(self, record: Record, path: str) -> Old | None:
        """The section that a record was made from; `path` is the source's page today, whose past is searched too."""
        self.fetch([record.blob])
        wanted = (record.title, record.text)
        found = self._pages.get(record.blob, {}).get(wanted)
        if found is None and path:
            if path not in self._versions:
                self._versions[path] = tuple(self.versions(path))
            for name in self._versions[path]:
                self.fetch([name])
                if found := self._pages.get(name, {}).get(wanted):
                    break
        return found

    def versions(self, path: str) -> Iterator[str]:
        """The blobs that a file has had, the newest first, under its old names too."""
        listed = self.git("log", "--format=", "--raw", "--no-abbrev", "--follow", "--", path) if self.known else b""
        for line in listed.decode("utf-8", "replace").splitlines():
            fields = line.split()
            if line.startswith(":") and len(fields) > 4:
                yield fields[3][:SHORT]

    def commits(self, paths: Iterable[str], limit: int) -> list[str]:
        """The last commits that changed one of the files, the newest first."""
        return self.git("log", "--format=%H", f"--max-count={limit}", "--", *paths).decode().split()

    def at(self, revision: str, path: str) -> str | None:
        """A file's text at a revision, None where it was not there."""
        if (revision, path) not in self._texts:
            found = self.git("show", f"{revision}:./{path}")
            self._texts[revision, path] = found.decode("utf-8", "replace") if found else None
        return self._texts[revision, path]

    def below(self, revision: str, folder: str) -> tuple[str, ...]:
        """The texts of the files in a folder at a revision, in the order of their names."""
        if (revision, folder) not in self._below:
            names = self.git("ls-tree", "--name-only", revision, "--", f"./{folder}/").decode("utf-8", "replace")
            texts = (self.at(revision, name) for name in names.splitlines())
            self._below[revision, folder] = tuple(text for text in texts if text is not None)
        return self._below[revision, folder]


def past_sections(text: str) -> dict[tuple[str, str], Old]:
    """The sections of an old page by the hashes of their title and text."""
    found: dict[tuple[str, str], Old] = {}
    for span, own in parts(text, read_blocks(text)):
        title, shown = tuple(span.title.split()), words(below(span, own))
        found[digest(" ".join(title)), digest(" ".join(shown))] = Old((*title, *shown), text[span.start : span.end])
    return found


def counted(tree: Tree, standings: Iterable[PageStanding], past: Past) -> list[PageStanding]:
    """The same, with the words that changed counted where the old text is known."""
    pages = list(standings)
    behind = [page for page in pages if page.state is State.BEHIND]
    texts = (each.record for page in behind for each in page.sections if each.change is Change.TEXT)
    past.fetch(record.blob for record in texts if record)
    today: dict[str, dict[tuple[str, str], Old]] = {}
    return [
        replace(page, sections=tuple(count(tree, page, each, past, today) for each in page.sections))
        if page.state is State.BEHIND else page
        for page in pages
    ]


def count(
    tree: Tree, page: PageStanding, standing: Standing, past: Past, today: dict[str, dict[tuple[str, str], Old]]
) -> Standing:
    """One section with its words counted."""
    if standing.change is not Change.TEXT or standing.record is None:
        return standing
    old = past.section(standing.record, page.source_path)
    if old is None:
        return standing
    if page.page not in today:
        today[page.page] = past_sections(tree.text(page.source_path))
    section = next(each for each in tree.source[page.page] if each.span.id == standing.id)
    new = today[page.page][section.title, section.text]
    return standing._replace(words=changed_words(old.words, new.words))


@contextmanager
def at(root: Path, revision: str) -> Iterator[Path]:
    """The tree as it was at a revision, in a folder of its own. Raises ConfigError where git has no such revision."""
    import tarfile  # with every way to compress; --since alone needs it

    past = Past(root)
    commit = past.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    packed = past.git("archive", "--format=tar", f"{commit}:./") if commit else b""
    if not packed:
        raise ConfigError(f"--since {revision}: git has no such revision of {root}; fetch it, or name another one")
    with TemporaryDirectory(prefix="hexapla-") as folder, tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        yield Path(folder)
