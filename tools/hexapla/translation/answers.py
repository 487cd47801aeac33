"""What `hexapla status` said last, for the time when nothing has changed since: no page is opened then."""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence

from hexapla.files import write
from hexapla.translation import records
from hexapla.translation.history import Past
from hexapla.translation.tree import Tree, name_of, program

CACHE = ".hexapla/cache/status.json"
SETTLED = 2.0  # seconds: a file that was written more recently may be written again within the same tick of the clock


def kept(tree: Tree, asked: Sequence[str]) -> str | None:
    """What was said to the same question about the same tree, None where either is another one."""
    try:
        stored = json.loads((tree.layout.root / CACHE).read_bytes())
        if stored["asked"] == list(asked) and stored["tree"] == standing_on(tree, stored["included"])[0]:
            return str(stored["said"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def keep(tree: Tree, asked: Sequence[str], said: str) -> None:
    """Keep what was said; a folder that cannot be written to is no reason to fail."""
    name, newest = standing_on(tree, sorted(tree.stamps))
    if newest < time.time() - SETTLED:
        data = {"asked": list(asked), "tree": name, "included": sorted(tree.stamps), "said": said}
        with contextlib.suppress(OSError):
            write(tree.layout.root / CACHE, json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def standing_on(tree: Tree, included: Sequence[str]) -> tuple[str, float]:
    """A name for all that an answer stands on, and when the newest file of it was written (seconds since 1970)."""
    head = Past(tree.layout.root).git("rev-parse", "--verify", "--quiet", "HEAD").decode()
    found, newest = [program(), head], 0.0
    for path in files(tree):
        try:
            about = os.stat(path)  # noqa: PTH116  # thousands: pathlib takes longer
        except OSError:
            found.append(f"{path} missing")
            continue
        newest = max(newest, about.st_mtime)
        found.append(f"{path} {about.st_size} {about.st_mtime_ns} {about.st_ino}")
    found += [f"{place} {tree.stamp(place)}" for place in included]
    return name_of("\n".join(found)), newest


def files(tree: Tree) -> Iterator[str]:
    """The files that an answer depends on but for what pages include: settings, pages, records."""
    root = str(tree.layout.root)
    yield f"{root}/mkdocs.yml"
    for language, pages in tree.files.items():
        yield f"{root}/{records.path(language)}"
        yield from (f"{root}/{path}" for path in pages.values())
