"""The ranks that a snippet starts end with it, even where it is given no time to end them."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "snippets/_shared"
# Rank 0 stays for ever, and rank 1 waits for it, inside PyTorch and not in Python.
JOB = """
import os, sys, time
from pathlib import Path
sys.path.append(sys.argv[1])
import torch.distributed as dist
from _ranks import on_ranks

def stay():
    Path(sys.argv[2], str(os.getpid())).touch()
    if dist.get_rank():
        dist.barrier()
    time.sleep(600)

if __name__ == "__main__":
    on_ranks(stay, 2)
"""
PATIENCE = 30  # seconds; a rank that does not end with its parent stays for minutes

pytestmark = pytest.mark.skipif(not hasattr(fcntl, "F_SETSIG"), reason="needs Linux: no other system has F_SETSIG")


def started(folder: Path, parent: subprocess.Popen[bytes]) -> list[int]:
    """The ranks, once both are there."""
    while len(found := [int(path.name) for path in folder.iterdir()]) < 2:
        assert parent.poll() is None, "the parent ended before its ranks were there"
        time.sleep(0.05)
    return found


def outlives(process: int) -> bool:
    """Whether a process is still there when our patience ends; it is not after this."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return False
    with contextlib.closing(os.fdopen(descriptor)):
        if select.select([descriptor], [], [], PATIENCE)[0]:
            return False
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    return True


def test_ranks_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    ranks = tmp_path / "ranks"
    ranks.mkdir()
    (tmp_path / "job.py").write_text(JOB, "utf-8")
    with subprocess.Popen([sys.executable, str(tmp_path / "job.py"), str(SHARED), str(ranks)]) as parent:
        try:
            found = started(ranks, parent)
        finally:
            parent.kill()
    assert [outlives(rank) for rank in found] == [False, False]
