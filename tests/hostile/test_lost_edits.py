"""What is killed recovers by the same command, and what a person saves meanwhile is there in the end.

A few moments of each command; `python -m benchmarks.lost_edits` has all, and 200 pairs of commands at once.
"""

import ast
from pathlib import Path

import pytest
from hexapla.errors import ConfigError
from hexapla.files import ChangedError, replace_if_unchanged
from hexapla.setup import page_moves
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lost_edits import COMMANDS, SAVED, TOGETHER, Trees

PACKAGE = Path(__file__).parents[2] / "tools/hexapla"
# Who writes without comparing, and what: nothing there is a page, a record or a setting.
OURS = {
    "baseline.py": "findings that are accepted", "evidence_store.py": "recorded runs",
    "moves.py": "moves on their way", "installation.py": "a key and sealed caches",
    "exchange/exchange_files.py": "files for translators' tools", "source_copy.py": "copies of another repository",
}


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    return Trees(tmp_path_factory.mktemp("trees"))


@pytest.mark.parametrize("name", COMMANDS)
@settings(deadline=None, max_examples=3, derandomize=True)
@given(number=st.integers(1, 30))
def test_a_command_that_was_killed_is_finished_by_the_next_run(trees, name, number):
    assert trees.killed(name, number) in (None, trees.after(name))


@pytest.mark.parametrize("name", COMMANDS)
@settings(deadline=None, max_examples=4, derandomize=True)
@given(number=st.integers(1, 50))
def test_what_a_person_saves_meanwhile_is_there_in_the_end(trees, name, number):
    assert SAVED in (trees.saved(name, number) or SAVED)


@settings(deadline=None, max_examples=5, derandomize=True)
@given(pair=st.tuples(st.sampled_from(TOGETHER), st.sampled_from(TOGETHER)))
def test_two_commands_at_once_lose_nothing(trees, pair):
    assert trees.together(*pair)[0]


# What was read, what stands there when it is written, and what is written; None is no file.
SWAPS = [(before, now, data) for before in (None, b"a") for now in (None, b"a", b"b", b"") for data in (None, b"c")]


@pytest.mark.parametrize(("before", "now", "data"), SWAPS)
def test_a_file_is_replaced_where_it_is_as_it_was_read(tmp_path, before, now, data):
    file = tmp_path / "page.md"
    if now is not None:
        file.write_bytes(now)
    if now == before:
        replace_if_unchanged(file, before, data)
    else:
        with pytest.raises(ChangedError, match=r"page\.md: was changed while this ran"):
            replace_if_unchanged(file, before, data)
    left = data if now == before else now
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([] if left is None else [left])


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"moves": [["a"]]}', '{"moves": [["../x", "docs/a"]]}', '{"moves": [["docs/a", ".git/hooks/a"]]}',
    '{"moves": [[".git/a", ".git/b"]]}', '{"moves": [["docs/a", "other/a"]]}', '{"moves": [[".", "."]]}',
])
def test_moves_that_came_with_a_tree_stay_in_a_folder_of_pages(tmp_path, text):
    (tmp_path / page_moves.ON_THE_WAY).write_text(text)
    with pytest.raises(ConfigError, match="is no list of moves"):
        page_moves.recover_moves(tmp_path, True)


def test_a_dry_run_moves_nothing_back(tmp_path):
    (tmp_path / page_moves.ON_THE_WAY).write_text('{"moves": [["docs/a.md", "docs/en/a.md"]]}')
    (tmp_path / "docs/en").mkdir(parents=True)
    (tmp_path / "docs/en/a.md").touch()
    with pytest.raises(ConfigError, match="with --write"):
        page_moves.recover_moves(tmp_path, False)
    page_moves.recover_moves(tmp_path, True)
    assert [each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("*.*")] == ["docs/a.md"]


def test_there_is_one_way_to_write_what_people_write_too():
    found = set()
    for file in PACKAGE.rglob("*.py"):
        names = {alias.name for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                 if isinstance(node, ast.ImportFrom) and node.module == "hexapla.files" for alias in node.names}
        found |= {file.relative_to(PACKAGE).as_posix()} if "write_file" in names else set()
    assert not [path for path in found if not path.endswith(tuple(OURS))]
    assert all(any(path.endswith(name) for path in found) for name in OURS)
