"""Every process meets all others; where one is missing the test ends with an error and says how many came."""

import socket

import pytest
import torch
import torch.distributed as dist
from torch.distributed import DistError

from snippets.debug import network as snippet


def test_every_process_meets_all() -> None:
    processes = snippet.PROCESSES
    lines = snippet.launch(processes)
    assert [line.partition(" by ")[0] for line in lines] == [
        f"rank {rank} met all {processes} processes" for rank in range(processes)
    ]


def pretend(monkeypatch: pytest.MonkeyPatch, rank: int, processes: int, met: list[int]) -> None:
    """A job of many processes in one: what all-reduce returns is `met`."""
    for name in ("init_process_group", "barrier", "destroy_process_group"):
        monkeypatch.setattr(dist, name, lambda *args, **options: None)
    monkeypatch.setattr(dist, "get_rank", lambda: rank)
    monkeypatch.setattr(dist, "get_world_size", lambda: processes)
    monkeypatch.setattr(dist, "all_reduce", lambda tensor: tensor.copy_(torch.tensor(met) if met else tensor))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_a_job_may_have_more_than_64_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, rank=70, processes=72, met=[1] * 72)
    assert snippet.check() == "rank 70 met all 72 processes by gloo"


@pytest.mark.parametrize(("met", "missing"), [([1, 0, 1, 1], r"\[1\]"), ([1, 2, 1, 1], r"\[1\]"), ([], r"\[0, 1, 2\]")])
def test_a_sum_that_lacks_a_process_is_an_error(met: list[int], missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An all-reduce that returns too early, or sums one process twice, does not pass."""
    pretend(monkeypatch, rank=3, processes=4, met=met)
    with pytest.raises(RuntimeError, match=f"rank 3 did not hear from {missing}"):
        snippet.check()


def test_a_missing_process_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2"}
    for name, value in (process | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(DistError, match="1/2 clients joined"):
        snippet.check(timeout=1)
