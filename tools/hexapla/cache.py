"""What was found before, by the content of everything it came from: one SQLite file, no pickle.

SQLite makes each write whole or not at all, also between two runs at once. A cache that cannot be read or written is
no reason to fail: it is made anew, or the run goes without.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hexapla

FILE = ".hexapla/cache/check.sqlite"
LIMIT = 200_000  # entries; beyond them the oldest half goes
# Packages that say how a page is rendered: an upgrade rewrites their files.
RENDERERS = ("markdown", "pymdownx", "markdown_it", "mdit_py_plugins", "lxml", "yaml")


class Cache:
    """A table of JSON by key; `Cache(None)` remembers nothing."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self.pending: dict[str, str] = {}

    @cached_property
    def database(self) -> sqlite3.Connection | None:
        """Opened when something is asked for."""
        return open_database(self.root / FILE) if self.root else None

    def get(self, key: str) -> Any:
        """What was put under `key`, None for nothing."""
        if self.database is None:
            return None
        with contextlib.suppress(sqlite3.Error, ValueError):
            row = self.database.execute("select value from found where key = ?", (key,)).fetchone()
            return json.loads(row[0]) if row else None
        return None

    def put(self, key: str, value: Any) -> None:
        """Remember a value; it is written by `close`."""
        if self.root is not None:
            self.pending[key] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            if len(self.pending) >= 500:
                self.write()

    def parsed(self, text: str, parse: Callable[[str], Any]) -> Any:
        """What `parse` makes of a text, kept by its content if it is plain data."""
        if self.root is None or "&" in text:  # an alias of YAML lets few lines stand for more than memory holds
            return parse(text)
        key = digest("parsed", program(), f"{parse.__module__}.{parse.__name__}", text)
        kept = self.get(key)
        if kept is None:
            kept = parse(text)
            with contextlib.suppress(TypeError, ValueError, RecursionError):
                if json.loads(json.dumps(kept)) == kept:
                    self.put(key, kept)
        return kept

    def write(self) -> None:
        """Write what is new, all or nothing."""
        if self.pending and self.database is not None:
            with contextlib.suppress(sqlite3.Error), self.database:
                self.database.executemany("insert or replace into found values (?, ?)", self.pending.items())
        self.pending = {}

    def close(self) -> None:
        """Write what is new and let go of the file."""
        self.write()
        if "database" in self.__dict__ and self.database is not None:
            with contextlib.suppress(sqlite3.Error):
                if self.database.execute("select count(*) from found").fetchone()[0] > LIMIT:
                    with self.database:
                        self.database.execute(
                            "delete from found where rowid in (select rowid from found order by rowid limit ?)",
                            (LIMIT // 2,),
                        )
                self.database.close()


def open_database(file: Path) -> sqlite3.Connection | None:
    """The database, made anew where it is damaged; None where the folder cannot be written to."""
    for attempt in (1, 2):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(file, timeout=5)
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = off")  # a lost cache is no loss
            database.execute("create table if not exists found (key text primary key, value text)")
            return database
        except sqlite3.DatabaseError:
            if attempt == 1:
                with contextlib.suppress(OSError):
                    file.unlink()
        except OSError:
            break
    return None


def digest(*parts: str | bytes) -> str:
    """32 hexadecimal digits of all the parts."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


@cache
def program() -> str:
    """A digest of this program and what renders for it, as installed: what an old one found answers for no new one."""
    files = [spec.origin for name in RENDERERS if (spec := find_spec(name)) and spec.origin]
    folder = str(Path(hexapla.__file__).parent)
    return digest(*(stamp(file, Path(file).stat()) for file in files), *sorted(stamps(folder)))


def stamps(folder: str) -> Iterator[str]:
    """The stamps of the program's files below a folder; a Path for each would double the time."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from stamps(entry.path)
            elif entry.name.endswith((".py", ".yml")):
                yield stamp(entry.path, entry.stat())


def stamp(file: str, state: os.stat_result) -> str:
    """What changes when a file is written again."""
    return f"{file}:{state.st_mtime_ns}:{state.st_size}"
