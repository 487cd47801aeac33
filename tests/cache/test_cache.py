"""The cache: what is put comes back, also after damage and beside other processes; keys differ where values do."""

import ast
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

import pytest
from hexapla import cache
from hexapla.cache import FILE, PACKAGES, Cache, key_of
from hexapla.files import lock_folder
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hang_limit import HANG

PACKAGE = Path(cache.__file__).parent
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Record(NamedTuple):
    """A record with a field of each kind that keys are made of."""

    name: str = "a"
    number: int = 1
    exact: float = 1.5
    whether: bool = True
    nothing: object = None
    path: Path = Path("a")
    data: bytes = b"a"
    words: tuple[str, ...] = ("a", "b")
    table: object = None
    function: object = key_of


OTHERS = [
    ("name", "b"), ("number", 2), ("exact", 1.25), ("whether", False), ("nothing", 0), ("nothing", ""), ("nothing", ()),
    ("path", Path("b")), ("path", "a"), ("data", b"b"), ("words", ("b", "a")), ("words", ("ab",)), ("words", "ab"),
    ("table", {"a": "b"}), ("table", {"a": ("b",)}), ("table", frozenset({"a"})), ("function", Cache.put),
]


@pytest.mark.parametrize(("field", "value"), OTHERS)
def test_a_changed_field_is_another_key(field, value):
    assert key_of("kind", Record()) != key_of("kind", Record()._replace(**{field: value}))


def test_keys_differ_by_kind_order_and_number_of_parts():
    several = (("a", "b", "c"), ("a", "c", "b"), ("a", ("b", "c")), ("a", "bc"), ("b", "b", "c"))
    keys = [key_of(*parts) for parts in several]
    assert len(set(keys)) == len(keys)
    assert key_of("a", {"x": 1, "y": 2}) == key_of("a", {"x": 1, "y": 2})


@pytest.mark.parametrize("value", [lambda: None, object(), iter(()), Cache(None)], ids=lambda each: type(each).__name__)
def test_what_has_hidden_state_is_no_part_of_a_key(value):
    with pytest.raises(TypeError, match="cannot be part of a cache key"):
        key_of("kind", value)


@settings(max_examples=25, deadline=None)
@given(JSON)
def test_an_answer_comes_back(tmp_path_factory, answer):
    root = tmp_path_factory.mktemp("cache")
    kept = Cache(root)
    kept.put("key", answer)
    assert kept.get("key") == answer
    kept.close()
    assert Cache(root).get("key") == answer


def test_without_a_root_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = Cache(None)
    kept.put("key", 1)
    kept.close()
    assert kept.get("key") is None
    assert not list(tmp_path.iterdir())


def test_processes_write_at_once(tmp_path):
    code = (
        "import sys; from pathlib import Path; from hexapla.cache import Cache\n"
        "kept = Cache(Path(sys.argv[1]))\n"
        "for number in range(400):\n    kept.put(f'{sys.argv[2]} {number}', [number] * 50)\n    kept.flush()\n"
        "kept.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, tmp_path, name]) for name in "abc"]
    assert [process.wait(timeout=HANG) for process in running] == [0, 0, 0]
    kept = Cache(tmp_path)
    assert all(kept.get(f"{name} {number}") == [number] * 50 for name in "abc" for number in range(400))


def test_what_is_put_while_another_process_lays_out_the_file_is_kept(tmp_path):
    file = tmp_path / FILE
    with (ThreadPoolExecutor() as threads, lock_folder(file.parent),
          sqlite3.connect(file, isolation_level=None) as other):
        other.execute("begin immediate")
        kept = Cache(tmp_path)
        done = threads.submit(lambda: (kept.put("key", 1), kept.close()))
        wait([done], timeout=0.5)
        other.execute("rollback")
    done.result()
    assert Cache(tmp_path).get("key") == 1


def test_a_file_of_another_program_is_made_anew(tmp_path):
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    kept = Cache(tmp_path)
    kept.put("key", 1)
    kept.close()
    assert Cache(tmp_path).get("key") == 1


def test_a_file_that_has_grown_too_large_loses_its_older_half(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 100_000)
    kept = Cache(tmp_path)
    for number in range(400):
        kept.put(str(number), os.urandom(600).hex())
    kept.close()
    kept = Cache(tmp_path)
    assert kept.get("0") is None
    assert kept.get("399") is not None


def test_the_versions_of_all_packages_that_answers_depend_on_are_in_the_key():
    """What is read by pages, rules, repair and conversion: third-party packages that these rooms import."""
    imported = set()
    for room in ("checks", "pages", "mojibake", "hanzi", "translation", "config", "languages.py", "glossary.py"):
        path = PACKAGE / room
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
                    [node.module] if isinstance(node, ast.ImportFrom) else []
                )
                imported |= {name.split(".")[0] for name in names}
    ours = {"hexapla", "rich", "ray", "selectolax", "polib", "rapidfuzz", "defusedxml", "translate"}
    assert imported - set(sys.stdlib_module_names) - ours <= set(PACKAGES)
