"""A limit on the CPU time of one step, so that no page can hold up a run."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 20.0


class TimeLimitError(Exception):
    """A step took longer than its limit."""


@contextmanager
def time_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise TimeLimitError in the block when it has taken `seconds` of this process's CPU time.

    Signals reach the main thread alone, and Windows has none of this kind: elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, raise_time_limit)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def raise_time_limit(number: int, frame: FrameType | None) -> None:
    """The handler of the timer's signal. Raises TimeLimitError."""
    raise TimeLimitError
