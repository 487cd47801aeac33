"""The CPU time of a piece of work for a page and for one twice as long, in one process: no machine's speed matters."""

import gc
import signal
import sys
import time
from collections.abc import Callable
from functools import lru_cache

FLOOR = 0.1  # seconds; what takes less for pages as short as these is not slow, and not measured well either
LIMIT = 3.0  # seconds; what takes longer for pages as short as these is cut off
MOST = 3     # times the CPU for a page twice as long; 2 is linear, 4 quadratic
TRIES = 6

Work = Callable[[], object]


class TooLongError(BaseException):
    """Work that was cut off; no `except Exception` of the work's own catches it."""


def superlinear(prepare: Callable[[int], Work], count: int) -> str:
    """What `count` and twice as many items take, "" unless that is over three times the CPU (and four times over nine).

    `prepare(count)` makes the work; what it does itself is not measured.
    """
    once, twice = LIMIT, seconds(prepare(2 * count))
    for number in range(TRIES):
        if twice < FLOOR:
            return ""
        once = min(once, seconds(prepare(count)))
        if twice < LIMIT and twice <= MOST * once:
            return ""
        if twice < LIMIT or number == 0:  # what was compiled for it may have taken the first time
            twice = min(twice, seconds(prepare(2 * count)))
    if twice < LIMIT and seconds(prepare(4 * count)) <= min(MOST * MOST * once, 0.99 * LIMIT):
        return ""  # a longer time is measured better, if it was not cut off
    return f"{once:.2f} s for {count} items, {twice:.2f} s{' and more' * (twice == LIMIT)} for {2 * count}"


def seconds(work: Work) -> float:
    """The CPU time of one call, its texts not known from an earlier one; LIMIT where it was cut off."""
    forget()
    gc.disable()
    fired = []

    def cut_off(*_: object) -> None:
        fired.append(True)
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, cut_off)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    start = time.process_time()
    try:
        work()
        return min(time.process_time() - start, LIMIT)
    except (TooLongError, Exception):
        if not fired:
            raise
        return LIMIT  # a callback out of C swallows the timer's own error, and another one follows from it
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()


def forget() -> None:
    """Empty the bounded caches of the package: those hold what was worked out of texts, the others are tables."""
    for clear in clearing(frozenset(name for name in sys.modules if name.startswith("hexapla"))):
        clear()


@lru_cache(maxsize=1)
def clearing(names: frozenset[str]) -> list[Callable[[], None]]:
    """What empties each bounded cache of some modules."""
    values = [value for name in names for value in vars(sys.modules[name]).values()]
    caches = [value for value in values if hasattr(value, "cache_parameters")]
    return [value.cache_clear for value in caches if value.cache_parameters()["maxsize"] is not None]
