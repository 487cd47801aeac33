"""What `hexapla status` said last, for the time when nothing has changed since: no page is opened then."""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence

from hexapla.files import write
from hexapla.translation import records
from hexapla.translation.kept import name_of, program
from hexapla.translation.revisions import Past
from hexapla.translation.translation_tree import Tree

CACHE = ".hexapla/cache/status.json"
SETTLED = 2.0  # seconds: a file that was written more recently may be written again within the same tick of the clock


class Question:
    """What is asked of a tree. Its files are looked at here, before any is read: a later change is seen next time."""

    def __init__(self, tree: Tree, asked: Sequence[str]) -> None:
        self.tree, self.asked = tree, list(asked)
        head = Past(tree.layout.root).git("rev-parse", "--verify", "--quiet", "HEAD").decode()
        self.stands_on, newest = [program(), head], 0.0
        for path in files(tree):
            try:
                about = os.stat(path)  # noqa: PTH116  # thousands: pathlib takes longer
            except OSError:
                self.stands_on.append(f"{path} missing")
                continue
            newest = max(newest, about.st_mtime)
            self.stands_on.append(f"{path} {about.st_size} {about.st_mtime_ns} {about.st_ino}")
        self.settled = newest < time.time() - SETTLED

    def name(self, included: Sequence[str]) -> str:
        """A name for all that the answer stands on; `included` are the files that pages include."""
        stamps = (f"{place} {self.tree.stamp(place)}" for place in included)
        return name_of("\n".join((*self.stands_on, *stamps)).encode("utf-8", "surrogatepass"))

    def kept(self) -> str | None:
        """What was said to the same question about the same tree, None where either is another one."""
        try:
            stored = json.loads((self.tree.layout.root / CACHE).read_bytes())
            if stored["asked"] == self.asked and stored["tree"] == self.name(stored["included"]):
                return str(stored["said"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def keep(self, said: str) -> None:
        """Keep what was said; a folder that cannot be written to is no reason to fail."""
        if self.settled:
            included = sorted(self.tree.stamps)
            data = {"asked": self.asked, "tree": self.name(included), "included": included, "said": said}
            with contextlib.suppress(OSError):
                packed = json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")
                write(self.tree.layout.root / CACHE, packed)


def files(tree: Tree) -> Iterator[str]:
    """The files that an answer depends on but for what pages include: settings, pages, records."""
    root = str(tree.layout.root)
    yield f"{root}/mkdocs.yml"
    for language, pages in tree.files.items():
        yield f"{root}/{records.path(language)}"
        yield from (f"{root}/{path}" for path in pages.values())
