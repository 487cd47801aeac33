"""Recording begins before the run, and the snapshot is written also where the run fails."""

from pathlib import Path

import pytest
import torch

from snippets.memory import record_allocations as snippet


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    found: list[str | None] = []
    monkeypatch.setattr(torch.cuda.memory, "_record_memory_history", lambda enabled="record": found.append(enabled))
    monkeypatch.setattr(torch.cuda.memory, "_dump_snapshot", found.append)
    return found


def test_a_run_is_recorded_from_its_beginning(calls: list[str | None]) -> None:
    snippet.record_allocations(lambda: calls.append("run"))
    assert calls == ["record", "run", "step.pickle", None]


def test_a_run_that_fails_leaves_its_snapshot(calls: list[str | None]) -> None:
    with pytest.raises(torch.OutOfMemoryError):
        snippet.record_allocations(run_out_of_memory, "failed.pickle")
    assert calls == ["record", "failed.pickle", None]


def run_out_of_memory() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.needs("cuda")
def test_the_snapshot_is_written(tmp_path: Path) -> None:
    file = tmp_path / "step.pickle"
    snippet.record_allocations(lambda: torch.empty(1000, device="cuda"), str(file))
    assert file.stat().st_size > 0
