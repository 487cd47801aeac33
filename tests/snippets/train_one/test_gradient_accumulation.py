"""Accumulated gradients are the large batch's, also where the rows differ in length."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import SequentialSampler
from transformers import Trainer, TrainerCallback

from snippets.train_one import gradient_accumulation as snippet
from snippets.train_one.gradient_accumulation import Rows

from _tiny import gradients, relative_difference, tiny_dataset, tiny_model

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5


@pytest.fixture(autouse=True)
def without_clipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients clipped to norm 1 would be the same after a wrong division, so they are left as they are."""

    def norm_only(parameters: Iterable[nn.Parameter], max_norm: float, **kwargs: object) -> torch.Tensor:
        return nn.utils.get_total_norm([parameter.grad for parameter in parameters])

    monkeypatch.setattr(nn.utils, "clip_grad_norm_", norm_only)


@pytest.fixture(params=["equal lengths", "unequal lengths"])
def rows(request: pytest.FixtureRequest) -> Rows:
    return tiny_dataset(4) if request.param == "equal lengths" else snippet.rows_of_unequal_length()


def test_trainer_accumulates_the_gradients_of_the_large_batch(rows: Rows, tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    assert (args.per_device_train_batch_size, args.gradient_accumulation_steps) == (1, 4)
    ours = snippet.trainer_gradients(args, rows)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) < SAME


def test_without_accumulation_trainer_sees_other_gradients(rows: Rows, tmp_path: Path) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), gradient_accumulation_steps=1)
    ours = snippet.trainer_gradients(args, rows)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) > 0.1


def test_the_loop_accumulates_the_gradients_of_the_large_batch(rows: Rows) -> None:
    ours = snippet.loop_gradients(rows, accumulation_steps=4)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) < SAME


def test_the_loop_steps_once_a_window_and_starts_the_next_from_zero() -> None:
    model, rows = tiny_model(), tiny_dataset(rows=12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)  # The weights stay those of the large batch's model.
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    snippet.accumulate(model, optimizer, rows, accumulation_steps=4)
    assert len(seen) == 3
    assert relative_difference(seen[2], snippet.large_batch_gradients(rows[8:])) < SAME


@pytest.mark.parametrize(("samples", "last"), [(10, 8), (3, 0), (9, 8)])
def test_the_last_window_of_an_epoch_is_trained_though_it_is_shorter(samples: int, last: int) -> None:
    model, rows = tiny_model(), tiny_dataset(rows=samples)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    snippet.accumulate(model, optimizer, rows, accumulation_steps=4)
    assert len(seen) == -(-samples // 4)
    assert relative_difference(seen[-1], snippet.large_batch_gradients(rows[last:])) < SAME


def test_trainer_trains_the_last_window_too(tmp_path: Path) -> None:
    """Trainer as well steps for the two batches that are left of ten, and divides by their tokens."""
    args = replace(snippet.training_arguments(str(tmp_path)), num_train_epochs=1, save_strategy="no", learning_rate=0.0)
    rows, seen = tiny_dataset(rows=10), []

    class Recorder(TrainerCallback):
        def on_pre_optimizer_step(self, *args: object, model: nn.Module, **kwargs: object) -> None:
            seen.append(gradients(model))

    trainer = Trainer(tiny_model(), args, train_dataset=rows, callbacks=[Recorder()])
    trainer._get_train_sampler = lambda *_: SequentialSampler(rows)
    trainer.train()
    assert len(seen) == 3
    assert relative_difference(seen[-1], snippet.large_batch_gradients(rows[8:])) < SAME


def test_a_mean_of_means_agrees_only_where_the_rows_are_equally_long() -> None:
    equal, unequal = tiny_dataset(4), snippet.rows_of_unequal_length()
    equal_error = relative_difference(snippet.mean_of_means_gradients(equal), snippet.large_batch_gradients(equal))
    unequal_error = relative_difference(
        snippet.mean_of_means_gradients(unequal), snippet.large_batch_gradients(unequal)
    )
    assert equal_error < SAME
    assert unequal_error > 0.1
