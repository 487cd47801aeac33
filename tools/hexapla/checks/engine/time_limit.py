"""A limit on the CPU time of one step, so that no page can hold up a run."""

import signal
import threading
from functools import cache
from types import FrameType

SECONDS = 20.0


class TimeLimitError(BaseException):
    """A step took longer than its limit; no `except Exception` of a renderer's extension goes on in spite of it."""


class TimeLimit:
    """A block in which TimeLimitError is raised when it has taken `seconds` of this process's CPU time.

    Signals reach the main thread alone, and Windows has none of this kind: elsewhere there is no limit.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self.possible:
            install_handler()
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)

    def __exit__(self, *error: object) -> None:
        if self.possible:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@cache
def install_handler() -> None:
    """Install the handler of the timer's signal, once a process: asking which one is installed takes longer."""
    signal.signal(signal.SIGVTALRM, raise_time_limit)


def raise_time_limit(number: int, frame: FrameType | None) -> None:
    """The handler of the timer's signal. Raises TimeLimitError."""
    raise TimeLimitError
