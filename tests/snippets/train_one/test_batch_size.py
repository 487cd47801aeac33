"""The search for a batch size shrinks by 0.9 until it fits, and passes other errors on."""

from bisect import bisect_left
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from accelerate.utils import find_executable_batch_size
from transformers import Trainer

from snippets.train_one import batch_size as snippet

from _tiny import device, run, tiny_batch, tiny_checkpoint, tiny_dataset, tiny_model

# Room for the activations of 8 rows of 16 tokens and not of 9, measured below.
ROWS = 8


@pytest.fixture(scope="module")
def budget() -> int:
    """Bytes that the activations of `ROWS` rows take, and a little more."""
    limits = range(100_000, 100_000_000, 100_000)
    return limits[bisect_left(limits, True, key=lambda limit: fits(ROWS, limit))]


def fits(rows: int, limit: int) -> bool:
    try:
        with snippet.memory_budget(limit):
            tiny_model()(**tiny_batch(rows)).loss.backward()
    except torch.OutOfMemoryError:
        return False
    return True


def test_the_batch_shrinks_by_a_tenth_until_it_fits(budget: int) -> None:
    with tiny_checkpoint() as checkpoint, snippet.memory_budget(budget):
        tried = snippet.find(tiny_dataset(rows=32), checkpoint, device())
    assert tried == [32, 28, 25, 22, 19, 17, 15, 13, 11, 9, 8]


def test_a_batch_that_fits_at_once_is_kept() -> None:
    with tiny_checkpoint() as checkpoint:
        assert snippet.find(tiny_dataset(rows=32), checkpoint, device()) == [32]


def test_trainer_shrinks_its_batch_as_well(budget: int, tmp_path: Path) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), per_device_train_batch_size=10)
    with snippet.memory_budget(budget):
        assert snippet.trainer_batch_size(args, tiny_dataset(rows=32)) == 8


def test_without_the_search_trainer_fails(budget: int, tmp_path: Path) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), auto_find_batch_size=False)
    trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset(rows=32))
    with snippet.memory_budget(budget), pytest.raises(torch.OutOfMemoryError):
        run(trainer)


def test_another_error_is_passed_on_at_the_first_try() -> None:
    tried = []

    @find_executable_batch_size(starting_batch_size=32)
    def train(batch_size: int) -> None:
        tried.append(batch_size)
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        train()
    assert tried == [32]


@pytest.mark.claim("perf_train_gpu_one#batch-size", "transformers/trainer.py::Trainer._update_auto_batch_size")
def test_the_next_try_of_trainer_goes_on_with_what_the_failed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[tuple[int, int, bool]] = []  # step, rows, whether the weights are as they were made
    step = Trainer.training_step

    def watched(trainer: Trainer, model: torch.nn.Module, inputs: dict[str, torch.Tensor], *rest: object):
        same = torch.equal(model.lm_head.weight, tiny_model().lm_head.weight)
        tries.append((trainer.state.global_step, len(inputs["input_ids"]), same))
        if len(tries) == 2:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return step(trainer, model, inputs, *rest)

    monkeypatch.setattr(Trainer, "training_step", watched)
    args = replace(snippet.training_arguments(str(tmp_path)), per_device_train_batch_size=10)
    trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset(rows=32))
    run(trainer)
    assert tries[:3] == [(0, 10, True), (1, 10, False), (0, 9, False)]
