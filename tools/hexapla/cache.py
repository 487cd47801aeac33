"""A content-addressed cache: one SQLite file of answers, each under a key made of everything it is a function of.

`key_of` serializes records as a whole: a field added to one is part of the key. A key holds the versions of this
program and of the packages that read pages. Several processes may add entries at once. A file that is damaged or of
another installation is made anew, and an answer that this one did not make is none; it is safe to delete.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import Any

from hexapla.files import lock_folder
from hexapla.installation import FOLDER, StateFolder, is_plain, set_aside, state_folder

NAME = "cache.sqlite"
FILE = f"{FOLDER}/{NAME}"
LIMIT = 1_000_000_000  # bytes, some 27,000 of them a page; beyond them the older half of the entries goes
BATCH = 200          # entries written at a time
FORMAT = "CREATE TABLE answers (key text primary key, value blob)"
SCHEMA = {("table", "answers", FORMAT), ("index", "sqlite_autoindex_answers_1", None)}
# Packages that answers depend on: an upgrade rewrites their files. A test compares this with what the rooms import.
PACKAGES = (
    "jinja2", "lxml", "markdown", "markdown_it", "markupsafe", "mdit_py_plugins", "numba", "numpy", "opencc",
    "pygments", "pymdownx", "wordfreq", "yaml",
)


class Cache:
    """Answers by key, in `root/.hexapla/cache.sqlite`; `Cache(None)` keeps nothing. Another process opens its own."""

    def __init__(self, root: Path | None, folder: StateFolder | None = None) -> None:
        self.root = root
        if folder:
            self.folder = folder
        self.pending: dict[str, bytes] = {}

    def __reduce__(self) -> tuple[type["Cache"], tuple[Path | None, StateFolder | None]]:
        return Cache, (self.root, self.folder if self.root else None)

    @cached_property
    def folder(self) -> StateFolder:
        """The folder of the file, and what its answers are sealed with."""
        return state_folder(self.root) if self.root else StateFolder(None, b"")

    @cached_property
    def database(self) -> sqlite3.Connection | None:
        """The open file, None where there is none or it cannot be opened."""
        return open_database(self.folder) if self.folder.path else None

    def get(self, key: str) -> Any:
        """The answer under `key` as JSON has it (tuples are lists), None where there is none."""
        if key in self.pending:
            return decode_answer(self.pending[key])
        if self.database is not None:
            with contextlib.suppress(sqlite3.Error, ValueError, TypeError, zlib.error):
                row = self.database.execute("select value from answers where key = ?", (key,)).fetchone()
                return decode_answer(self.folder.open_sealed(row[0], key)) if row else None
        return None

    def put(self, key: str, answer: Any) -> None:
        """Keep an answer that JSON can hold; `flush` writes it."""
        if self.root is not None:
            self.pending[key] = encode_answer(answer)
            if len(self.pending) >= BATCH:
                self.flush()

    def flush(self) -> None:
        """Write what is new, all or nothing."""
        if self.pending and self.database is not None:
            sealed = [(key, self.folder.seal_data(data, key)) for key, data in self.pending.items()]
            with contextlib.suppress(sqlite3.Error), self.database:
                self.database.executemany("insert or replace into answers values (?, ?)", sealed)
        self.pending = {}

    def close(self) -> None:
        """Write what is new, drop the oldest entries of a file that has grown too large, and close it."""
        self.flush()
        if "database" in self.__dict__ and self.database is not None:
            with contextlib.suppress(sqlite3.Error):
                delete_older_half(self.database)
                self.database.close()
            del self.database


def encode_answer(answer: Any) -> bytes:
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def decode_answer(data: bytes) -> Any:
    """The answer that `encode_answer` was given. Raises ValueError and zlib.error for damaged data."""
    return json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))


def open_database(folder: StateFolder) -> sqlite3.Connection | None:
    """The database, made anew where it is damaged or not ours; None where the folder cannot be written to."""
    assert folder.path
    file = folder.path / NAME
    files = [file.with_name(f"{NAME}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    # Under a lock: where two processes turn one new file to its log, SQLite lets neither wait, and what one makes anew,
    # another that found it damaged as well must not remove.
    with contextlib.suppress(OSError), lock_folder(folder.path):
        for attempt in (1, 2):
            try:
                if not all(map(is_plain, files)):
                    raise sqlite3.DatabaseError("it is a link or no file")
                database = sqlite3.connect(file, timeout=10)
                database.execute("pragma trusted_schema = off")
                database.execute("pragma journal_mode = wal")
                database.execute("pragma synchronous = off")  # a lost cache is no loss
                lay_out_database(database, folder)
                return database
            except sqlite3.DatabaseError as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says why another process is at it
                if code == sqlite3.SQLITE_BUSY:
                    break
                if attempt == 1:
                    if not isinstance(error, sqlite3.OperationalError):  # which a folder that cannot be written to is
                        set_aside(f"{FILE} is not used but made anew: {error}")
                    for name in files:
                        with contextlib.suppress(OSError):
                            name.unlink()
    return None


def lay_out_database(database: sqlite3.Connection, folder: StateFolder) -> None:
    """Lay out an empty database as one of this installation. Raises sqlite3.DatabaseError for what is neither."""
    mark = int.from_bytes(folder.seal_data(b"", NAME)[:4], "big") >> 1
    for transaction in ("begin", "begin immediate"):  # the second keeps others from laying it out beside this process
        with database:
            database.execute(transaction)
            (found,), *_ = database.execute("pragma application_id")
            schema = {*database.execute("select type, name, sql from sqlite_master")}
            if (schema, found) == (SCHEMA, mark):
                return
            if schema or found:
                raise sqlite3.DatabaseError("this installation did not make it")
            if transaction != "begin":
                database.execute(FORMAT)
                database.execute(f"pragma application_id = {mark}")


def delete_older_half(database: sqlite3.Connection) -> None:
    """Delete the older half of the entries where the file is over the limit."""
    (pages,), (size,) = (database.execute(f"pragma {name}").fetchone() for name in ("page_count", "page_size"))
    if pages * size > LIMIT:
        with database:
            database.execute(
                "delete from answers where rowid in "
                "(select rowid from answers order by rowid limit (select count(*) / 2 from answers))"
            )
        database.execute("vacuum")


def key_of(kind: str, *parts: object) -> str:
    """The key of an answer: what kind it is, the program's versions, and everything else that it depends on.

    Parts are plain data, paths, records and top-level functions. Raises TypeError for anything else.
    """
    return digest(kind, hash_versions(), *(json.dumps(plain_value(part), ensure_ascii=False) for part in parts))


def plain_value(value: object) -> Any:
    """A value as data that is equal only for equal values."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"record": type(value).__qualname__,
                **{name: plain_value(getattr(value, name)) for name in value._fields}}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if isinstance(value, Mapping):
        return {"mapping": [[plain_value(key), plain_value(each)] for key, each in value.items()]}
    if isinstance(value, set | frozenset):
        return {"set": sorted(json.dumps(plain_value(each)) for each in value)}
    if isinstance(value, os.PathLike):
        return {"path": os.fspath(value)}
    if isinstance(value, bytes):
        return {"bytes": digest(value)}
    if isinstance(value, FunctionType) and "<" not in value.__qualname__:
        return {"function": f"{value.__module__}.{value.__qualname__}"}
    raise TypeError(f"{type(value).__qualname__} cannot be part of a cache key: make it a record")


def digest(*parts: str | bytes) -> str:
    """32 hexadecimal digits of all the parts."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


@cache
def hash_versions() -> str:
    """A digest of Python, this program and the packages that answers depend on, as they are installed."""
    files = [spec.origin for name in PACKAGES if (spec := find_spec(name)) and spec.origin]
    stamps = (stamp(file, os.stat(file)) for file in files)  # noqa: PTH116  # a Path for each would double the time
    return digest(sys.version, *stamps, *sorted(program_stamps(str(Path(__file__).parent))))


def program_stamps(folder: str) -> Iterator[str]:
    """The stamps of the program's files below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from program_stamps(entry.path)
            elif entry.name.endswith((".py", ".yml", ".json", ".html", ".npz", ".txt")):
                yield stamp(entry.path, entry.stat())


def stamp(file: str, state: os.stat_result) -> str:
    """A text that changes when a file is written again."""
    return f"{file}:{state.st_mtime_ns}:{state.st_size}"
