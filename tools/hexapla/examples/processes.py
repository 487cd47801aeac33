"""The processes below this one: which there are, how much memory they hold, and their end."""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
PARENT_DEATH_SIGNAL = 1  # prctl: the signal that we get when our parent ends
CHILD_SUBREAPER = 36  # prctl: a process whose parent has ended becomes our child, not the system's


def adopt() -> None:
    """From now on no descendant leaves us, whatever session or group it makes for itself (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """From now on this process is ended when its parent is (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def children(process: int) -> list[int]:
    """The processes whose parent is `process`; none where the system does not tell."""
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


def resident(processes: list[int]) -> int:
    """Bytes of memory that these processes hold together; a page that two share counts twice."""
    total = 0
    for process in processes:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    return total


def proportional(processes: list[int]) -> int:
    """Bytes of memory that these processes hold together, each page counted once; slow: every page is looked at."""
    total = 0
    for process in processes:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return total


def over(processes: list[int], limit: int) -> bool:
    """Whether these processes hold more than `limit` bytes together."""
    return resident(processes) > limit and proportional(processes) > limit


def end_all(group: int) -> None:
    """End the processes of a group, and every descendant that we have, those of its children too."""
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
