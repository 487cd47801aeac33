"""What a run leaves: descendant processes are listed, measured and ended, folders are measured and emptied."""

import contextlib
import ctypes
import os
import signal
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
PARENT_DEATH_SIGNAL = 1  # prctl: the signal that we get when our parent ends
CHILD_SUBREAPER = 36  # prctl: a process whose parent has ended becomes our child, not the system's


def set_process_option(option: int, value: int) -> None:
    """Ask the kernel for an option of this process (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def list_children(process: int) -> list[int]:
    """The processes whose parent is `process`; none if the system does not tell."""
    found: list[int] = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has just ended
            found += map(int, file.read_text().split())
    return found


def list_descendants(process: int) -> list[int]:
    """The children of a process, their children, and so on."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        new = list_children(waiting.pop())
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


def proportional_bytes(processes: list[int], field: str = "Pss:") -> int:
    """Bytes of memory that these processes hold together, each page counted once; slow: every page is looked at."""
    total = 0
    for process in processes:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024
    return total


def unnamed_bytes(processes: list[int]) -> int:
    """Bytes of the open files of these processes that no folder names: memory that need not be mapped is among them."""
    found: dict[tuple[int, int], int] = {}
    for process in processes:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for link in Path(f"/proc/{process}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    file = link.stat()
                    if not file.st_nlink and stat.S_ISREG(file.st_mode):
                        found[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(found.values())


def use_more_than(processes: list[int], limit: int, stored: int = 0) -> bool:
    """Whether these processes hold more than `limit` bytes together, with those `stored` in memory under a name.

    What is stored may be mapped too, and counts once. Raises PermissionError where a process hides what it holds.
    """
    stored += unnamed_bytes(processes)
    if resident_bytes(processes) + stored <= limit:
        return False
    unmapped = max(0, stored - proportional_bytes(processes, "Pss_Shmem:"))
    return proportional_bytes(processes) + unmapped > limit


def measure_segments() -> dict[int, int]:
    """The bytes of each segment of System V shared memory of our namespace."""
    try:
        head, *rows = (line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines())
    except (OSError, ValueError):
        return {}
    number, size = head.index("shmid"), head.index("rss")
    return {int(row[number]): int(row[size]) for row in rows}


def remove_segments() -> None:
    for number in measure_segments():
        ctypes.CDLL(None).shmctl(number, 0, None)  # IPC_RMID


def kill_tree(process: int) -> None:
    """End a process, stopped or not, and its descendants: these first, since they cannot be found without it."""
    for _ in range(100):
        running = [each for each in list_descendants(process) if not is_zombie(each)]
        for each in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        if not running:
            break
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def is_zombie(process: int) -> bool:
    """Whether a process has ended, and its parent has not asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def kill_all(group: int) -> None:
    """End the processes of a group and all our descendants."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    if os.getpid() == 1:  # of a namespace: all of it at once, so that none can start another
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    while True:
        for process in list_children(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)  # a child that ends leaves us its own children
        except ChildProcessError:
            return


def bytes_below(folders: Iterable[str | Path]) -> int:
    """Bytes of disk or memory that the files below these folders take; what vanishes meanwhile is left out."""
    total = 0
    waiting = [Path(folder) for folder in folders]
    while waiting:
        for entry in list_entries(waiting.pop()):
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                total += found.st_blocks * 512
                if stat.S_ISDIR(found.st_mode):
                    waiting.append(Path(entry.path))
    return total


def list_entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """What is in a folder, nothing if it cannot be read."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        yield from found


def empty_folder(folder: Path) -> None:
    """Remove all that is in a folder, followed through no link, whatever its modes are.

    Folders are moved up before they are emptied: a path may be too long for the system, and too deep to recurse.
    """
    while waiting := [*folder.iterdir()]:
        for path in waiting:
            if path.is_symlink() or not path.is_dir():
                path.unlink()
                continue
            path.chmod(0o700)
            for inner in [*path.iterdir()]:
                if inner.is_symlink() or not inner.is_dir():
                    inner.unlink()
                else:
                    inner.chmod(0o700)
                    inner.rename(folder / os.urandom(16).hex())
            path.rmdir()
