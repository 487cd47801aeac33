"""Many texts at once: clean ones waved through, garbled ones repaired on as many cores as there are."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hexapla.mojibake.models import Corpus
from hexapla.mojibake.repairer import Repair, repair

Progress = Callable[[int, int], None]     # done, of so many


@dataclass(frozen=True)
class Options:
    """What a repair of many texts needs to know; travels to the processes that do it."""

    clean: tuple[str, ...] = ()
    cache: Path | None = None
    threshold: float = 0.99
    guess: bool = False


_ready: tuple[Corpus, Options] | None = None     # of a worker process, set once when it starts


def _start(options: Options) -> None:
    global _ready
    _ready = (Corpus(options.clean, options.cache), options)


def _work(text: str) -> Repair:
    assert _ready is not None
    corpus, options = _ready
    return repair(text, corpus, threshold=options.threshold, guess=options.guess)


def repair_all(texts: Sequence[str], options: Options, jobs: int = 0,
               progress: Progress | None = None) -> Iterator[Repair]:
    """The repairs of texts, in their order. jobs: processes, 0 for as many as there are cores."""
    jobs = min(jobs or os.cpu_count() or 1, len(texts))
    if jobs <= 1:
        _start(options)
        results: Iterator[Repair] = map(_work, texts)
        yield from _counted(results, len(texts), progress)
        return
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(options,)) as pool:
        yield from _counted(pool.map(_work, texts), len(texts), progress)


def _counted(results: Iterator[Repair], total: int, progress: Progress | None) -> Iterator[Repair]:
    for done, result in enumerate(results, 1):
        if progress:
            progress(done, total)
        yield result
