"""Processes that work for this one: as many as there are cores, and none outlives it, whatever ends it."""

import os
import signal


def count_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent() -> None:
    """End this process when the one that started it ends, by a signal too: nobody reads what a worker would finish."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    def end_after(sentinel: int) -> None:
        wait([sentinel])
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # what it has not finished is of no use

    if parent := parent_process():
        Thread(target=end_after, args=[parent.sentinel], daemon=True).start()
