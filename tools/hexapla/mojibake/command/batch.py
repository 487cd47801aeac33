"""Repair many texts in worker processes, one a core by default."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from hexapla.mojibake.model.models import Corpus
from hexapla.mojibake.repairer import Repair, repair
from hexapla.processes import count_cores, end_with_parent

Progress = Callable[[int, int], None]     # done, of so many


class BatchOptions(NamedTuple):
    """The options of a batch, as they are sent to the worker processes."""

    clean: tuple[str, ...] = ()
    cache: Path | None = None
    threshold: float = 0.99
    guess: bool = False


_ready: tuple[Corpus, BatchOptions] | None = None     # of a worker process, set once when it starts


def _start(options: BatchOptions) -> None:
    global _ready
    end_with_parent()
    _ready = (Corpus(options.clean, options.cache), options)


def _work(text: str) -> Repair:
    assert _ready is not None
    corpus, options = _ready
    return repair(text, corpus, threshold=options.threshold, guess=options.guess)


def repair_all(texts: Sequence[str], options: BatchOptions, jobs: int = 0,
               progress: Progress | None = None) -> Iterator[Repair]:
    """Repair texts, in their order. jobs: the number of processes, 0 for one a core."""
    jobs = min(jobs or count_cores(), len(texts))
    if jobs <= 1:
        _start(options)
    several = ProcessPoolExecutor(jobs, initializer=_start, initargs=(options,)) if jobs > 1 else nullcontext()
    with several as pool:
        for done, result in enumerate(pool.map(_work, texts) if pool else map(_work, texts), 1):
            if progress:
                progress(done, len(texts))
            yield result
