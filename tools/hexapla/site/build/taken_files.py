"""Takes the files of a site over from the site before it, where they have the content that they would be written with.

What each file had is recorded with its state once the site stands, and a file whose state is as it was is not read for
it. Of a build of 500 pages in four languages with one page changed, reading and digesting them was a sixth.
"""

import contextlib
import os
from collections.abc import Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path

from hexapla.cache import Cache, digest, key_of
from hexapla.file_digests import FileState, state_of


class TakenFiles:
    """The files of a new site in `folder`, by their addresses, beside those of the site before it in `site`."""

    def __init__(self, root: Path, folder: Path, site: Path) -> None:
        self.root, self.folder, self.site = root, folder, site
        self.key = key_of("files of a site", site)
        self.noted: dict[str, tuple[FileState, str]] = {}
        self.folders: set[str] = set()  # that were made

    @cached_property
    def recorded(self) -> Mapping[str, object]:
        """The state and the digest of each file of the site before that its build noted."""
        with closing(Cache(self.root)) as cache:
            return cache.get(self.key) or {}

    def take_file(self, name: str, content: str) -> bool:
        """Take a file over, without writing it again, where it has the content of this digest."""
        file, before = f"{self.folder}/{name}", f"{self.site}/{name}"
        with contextlib.suppress(OSError):  # there is none, or the disk knows no hard links
            state = state_of(before)
            if self.recorded.get(name) == [*state, content] or digest(Path(before).read_bytes()) == content:
                above = os.path.dirname(file)  # noqa: PTH120
                if above not in self.folders:
                    os.makedirs(above, exist_ok=True)  # noqa: PTH103
                    self.folders.add(above)
                os.link(before, file)
                self.noted[name] = state, content
                return True
        return False

    def take_files(self, digests: Mapping[str, str]) -> bool:
        """Take files over, all or none, where each has the content of its digest."""
        taken = all(self.take_file(name, content) for name, content in digests.items())
        if not taken:
            for name in digests:  # or what is written here next is written into the site before
                (self.folder / name).unlink(missing_ok=True)
        return taken

    def note_file(self, name: str, content: str) -> None:
        """Note a file that was written, with the digest of its content."""
        self.noted[name] = state_of(f"{self.folder}/{name}"), content

    def record_files(self) -> None:
        """Record what was noted of the files that stand now: another build may have put its own in their place."""
        found = {}
        for name, (noted, content) in self.noted.items():
            with contextlib.suppress(OSError):
                state = state_of(f"{self.site}/{name}")
                if state.is_linked_from(noted):
                    found[name] = [*state, content]
        with closing(Cache(self.root)) as cache:
            cache.put(self.key, found)
