"""Descendant processes: list them, measure their memory, end them."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
PARENT_DEATH_SIGNAL = 1  # prctl: the signal that we get when our parent ends
CHILD_SUBREAPER = 36  # prctl: a process whose parent has ended becomes our child, not the system's


def control(option: int, value: int) -> None:
    """Ask the kernel for an option of this process (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children(process: int) -> list[int]:
    """The processes whose parent is `process`; none if the system does not tell."""
    found: list[int] = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has just ended
            found += map(int, file.read_text().split())
    return found


def descendants(process: int) -> list[int]:
    """The children of a process, their children, and so on."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        new = children(waiting.pop())
        found += new
        waiting += new
    return found


def resident_bytes(processes: list[int]) -> int:
    """Bytes of memory that these processes hold together; a page that two share counts twice."""
    total = 0
    for process in processes:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    return total


def proportional_bytes(processes: list[int]) -> int:
    """Bytes of memory that these processes hold together, each page counted once; slow: every page is looked at."""
    total = 0
    for process in processes:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return total


def use_more_than(processes: list[int], limit: int) -> bool:
    """Whether these processes hold more than `limit` bytes together."""
    return resident_bytes(processes) > limit and proportional_bytes(processes) > limit


def kill_all(group: int) -> None:
    """End the processes of a group and all our descendants."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    while True:
        for process in children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)  # a child that ends leaves us its own children
        except ChildProcessError:
            return
