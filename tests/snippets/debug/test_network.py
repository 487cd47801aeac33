"""Every process meets all others; where one is missing the test ends with an error and says how many came."""

import socket

import pytest
from torch.distributed import DistError

from snippets.debug import network as snippet


def test_every_process_meets_all() -> None:
    processes = snippet.PROCESSES
    met = list(range(processes))
    lines = snippet.launch(processes)
    assert [line.partition(" by ")[0] for line in lines] == [
        f"rank {rank} of {processes} met {met}" for rank in range(processes)
    ]


def test_a_missing_process_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2"}
    for name, value in (process | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(DistError, match="1/2 clients joined"):
        snippet.check(timeout=1)
