"""Repair of corpora larger than a machine, on Ray Data: JSON Lines or Parquet in and out, resumable.

Needs the extra [ray]. A row is a document; `column` holds its text. Rows come out with the repaired text in the same
column and what was found in `garbled`, `steps` and `uncertain`. The result is what `repair` gives for each row.
"""

import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.mojibake.model.models import Corpus
from hexapla.mojibake.repairer import THRESHOLD, repair


class RayJob(NamedTuple):
    """The options of a Ray job, as they are sent to the workers."""

    clean: tuple[str, ...] = ()
    column: str = "text"
    threshold: float = THRESHOLD
    guess: bool = False
    cache: Path | None = None


class Repairer:
    """Repairs batches of rows; made once in each worker, so that a worker builds its models once."""

    def __init__(self, job: RayJob) -> None:
        self._job = job
        self._corpus = Corpus(job.clean, job.cache)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch of columns in, the same columns with the repaired text and what was found out."""
        job = self._job
        done = [repair(str(text), self._corpus, threshold=job.threshold, guess=job.guess) for text in batch[job.column]]
        return {**batch, job.column: [each.text for each in done], "garbled": [each.garbled for each in done],
                "steps": ["; ".join(each.diagnosis.steps) for each in done],
                "uncertain": [len(each.uncertain) for each in done]}


def repair_dataset(dataset: Any, job: RayJob, workers: int = 1) -> Any:
    """A ray.data.Dataset with every row repaired, by so many workers, on half a core each: reading needs room."""
    strategy = import_module("ray.data").ActorPoolStrategy(size=workers)
    return dataset.map_batches(Repairer, fn_constructor_args=(job,), compute=strategy, num_cpus=0.5)


def repair_files(sources: Iterable[Path], target: Path, job: RayJob, workers: int = 1) -> list[Path]:
    """Repair files of JSON Lines or Parquet, each into a folder of its name under the target; lists those done now.

    A folder is filled under NAME.part and passed over once it is there: a run goes on where it was. Raises ValueError.
    """
    data: Any = import_module("ray.data")
    done_now = []
    for source in sources:
        out, part = target / source.name, target / f"{source.name}.part"
        if out.exists():
            continue
        shutil.rmtree(part, ignore_errors=True)
        if source.suffix == ".jsonl":
            repair_dataset(data.read_json(str(source), lines=True), job, workers).write_json(str(part))
        elif source.suffix == ".parquet":
            repair_dataset(data.read_parquet(str(source)), job, workers).write_parquet(str(part))
        else:
            raise ValueError(f"{source}: neither .jsonl nor .parquet; convert it first")
        part.rename(out)
        done_now.append(source)
    return done_now
