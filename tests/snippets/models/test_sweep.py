"""The table's cells are what a fresh try gives, and a second sweep has nothing left to do."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from _building import known_types
from _cells import FILE, NOT_TRIED, Cell, dump_table, read_table
from _methods import METHODS, Method

from snippets.models import sweep as snippet

pytestmark = pytest.mark.needs(device="cpu")

SAMPLE = ("llama", "gemma2", "t5")  # The guide's target; caps and windows; an encoder with a decoder.


def sweep_again(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the sweep on a table that has it already, in this process; what it prints."""
    monkeypatch.setattr(sys, "argv", ["sweep.py", *SAMPLE, "--write", "--file", str(file)])
    monkeypatch.setattr(snippet, "prepare", lambda: None)  # It has been done, or is not needed.
    capsys.readouterr()
    snippet.main()
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of a sweep on the sample, in a process that has never run a backward pass."""
    file = tmp_path_factory.mktemp("models") / "evidence.json"
    command = [sys.executable, str(snippet.__file__), *SAMPLE, "--write", "--file", str(file)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return file


@pytest.mark.slow
@pytest.mark.parametrize("model_type", SAMPLE)
def test_a_fresh_try_gives_the_cells_of_the_table(model_type: str, fresh: Path) -> None:
    ours, recorded = read_table(fresh).types[model_type], read_table().types[model_type]
    assert ours.traits == recorded.traits or not recorded.date
    for method, cell in recorded.cells.items():
        again = ours.cells[method]
        assert cell.result == NOT_TRIED or (again.result, again.message) == (cell.result, cell.message), method
        if cell.difference and cell.difference > 1e-3:  # Below, it is rounding alone.
            assert cell.difference / 3 < again.difference < 3 * cell.difference, method  # Processors round differently.


@pytest.mark.slow
def test_a_second_sweep_has_nothing_left_to_try(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = fresh.read_bytes()
    assert sweep_again(fresh, monkeypatch, capsys) == ""
    assert fresh.read_bytes() == before


@pytest.mark.slow
def test_a_cell_that_is_missing_is_tried_alone(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = tmp_path / "tried"
    monkeypatch.setattr(snippet, "try_method", note_in(tried, snippet.try_method))
    table = read_table(fresh)
    record = table.types["llama"]
    left = {method: cell for method, cell in record.cells.items() if method != "packing"}
    file = tmp_path / "evidence.json"
    file.write_text(dump_table(replace(table, types={**table.types, "llama": replace(record, cells=left)})))
    assert sweep_again(file, monkeypatch, capsys).startswith("llama:")
    assert read_table(file).types["llama"].cells == record.cells
    assert tried.read_text() == "packing\n"


def note_in(file: Path, try_method: Callable[..., Cell]) -> Callable[..., Cell]:
    """The function that tries a method, which notes in a file what it has tried, in whatever process."""
    def noting(subject: object, method: Method) -> Cell:
        with file.open("a") as notes:
            notes.write(f"{method.name}\n")
        return try_method(subject, method)

    return noting


@pytest.mark.parametrize(("work", "said"), [
    (lambda: [1, "two"], [1, "two"]),
    (lambda: os.kill(os.getpid(), signal.SIGSEGV), "the process ended with status 11"),
    (lambda: time.sleep(60), "no result within 0.2 s"),
    (lambda: bytearray(2 * snippet.MEMORY), "the process ended with status 256"),
], ids=["works", "crashes", "hangs", "takes too much memory"])
def test_however_a_process_ends_there_is_a_result(work: Callable[[], object], said: object) -> None:
    assert snippet.run_in_fork(work, seconds=0.2 if said == "no result within 0.2 s" else 20) == said


def test_a_result_follows_the_tolerance_of_today() -> None:
    method = METHODS[0]
    assert snippet.judged(Cell("works", 2 * method.tolerance), method).result == "differs"
    assert snippet.judged(Cell("differs", method.tolerance / 2), method).result == "works"
    assert snippet.judged(Cell("raises", message="no"), method).result == "raises"


def test_the_table_has_a_row_for_each_method_and_type() -> None:
    table = read_table()
    assert set(table.types) == set(known_types())
    assert set(table.methods) == {each.name for each in METHODS}
    assert all(set(each.cells) == set(table.methods) for each in table.types.values() if not each.failure)


def test_each_section_of_a_method_exists() -> None:
    pages = Path(__file__).parents[3] / "docs" / "en"
    for method, about in json.loads(FILE.read_text(encoding="utf-8"))["methods"].items():
        page, anchor = about["section"].split("#")
        assert f"{{#{anchor}}}" in (pages / f"{page}.md").read_text(encoding="utf-8"), method
