"""A signal to one rank ends all ranks at the same step, and the run goes on as if it had not come."""

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import torch
from transformers import TrainerControl, TrainerState, TrainingArguments

from snippets.resume import preemption as snippet
from snippets.resume.whole_checkpoint import is_whole

pytestmark = pytest.mark.needs(devices=2)


def test_both_ranks_end_at_the_step_of_the_signal_and_one_rank_goes_on(tmp_path: Path) -> None:
    whole = snippet.on_ranks(partial(snippet.train, str(tmp_path / "whole")), 2)
    ended = snippet.on_ranks(partial(snippet.train, str(tmp_path / "run"), preempted=True), 2)
    assert [each["step"] for each in ended] == [3, 3]
    assert [path.name for path in (tmp_path / "run").glob("checkpoint-*")] == ["checkpoint-3"]
    assert is_whole(tmp_path / "run/checkpoint-3")
    resume = partial(snippet.train, str(tmp_path / "run"), checkpoint=str(tmp_path / "run/checkpoint-3"))
    (resumed,) = snippet.on_ranks(resume, 1)
    assert resumed["step"] == whole[0]["step"] == 8
    moved = (ended[0]["weights"] - whole[0]["weights"]).abs().max()
    assert (resumed["weights"] - whole[0]["weights"]).abs().max() < 1e-3 * moved


@pytest.fixture
def callback(tmp_path: Path) -> Iterator[Callable[[str], TrainerControl]]:
    """Calls the method of that name as Trainer does."""
    saver = snippet.SaveOnSignal(signal.SIGUSR1)
    args, control = TrainingArguments(output_dir=str(tmp_path), use_cpu=True), TrainerControl()

    def call(method: str) -> TrainerControl:
        getattr(saver, method)(args, TrainerState(), control)
        return control

    previous = signal.getsignal(signal.SIGUSR1)
    yield call
    signal.signal(signal.SIGUSR1, previous)


def test_without_a_signal_the_run_goes_on(callback: Callable[[str], TrainerControl]) -> None:
    callback("on_train_begin")
    control = callback("on_step_end")
    assert not control.should_save and not control.should_training_stop
    os.kill(os.getpid(), signal.SIGUSR1)
    control = callback("on_step_end")
    assert control.should_save and control.should_training_stop


def test_after_the_training_the_signal_does_what_it_did_before(callback: Callable[[str], TrainerControl]) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    callback("on_train_begin")
    assert signal.getsignal(signal.SIGUSR1) != before
    callback("on_train_end")
    assert signal.getsignal(signal.SIGUSR1) == before


def test_a_step_reads_no_tensor_of_the_accelerator(
    callback: Callable[[str], TrainerControl], monkeypatch: pytest.MonkeyPatch
) -> None:
    callback("on_train_begin")
    monkeypatch.setattr(torch.Tensor, "to", lambda *_, **__: pytest.fail("a copy to a device"))
    callback("on_step_end")


@pytest.mark.parametrize(("ranks", "accumulation"), [("1", 4), ("2", 2), ("4", 1)])
def test_a_step_has_the_same_samples_on_any_number_of_ranks(
    ranks: str, accumulation: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}
    monkeypatch.setenv("WORLD_SIZE", ranks)
    monkeypatch.setattr(snippet, "TrainingArguments", lambda folder, **options: made.update(options))
    monkeypatch.setattr(snippet, "Trainer", lambda *_, **__: None)
    snippet.build(None, None, str(tmp_path))
    assert made["gradient_accumulation_steps"] == accumulation


@pytest.mark.parametrize("ranks", ["3", "5", "8"])
def test_samples_that_the_ranks_do_not_divide_are_an_error(
    ranks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", ranks)
    with pytest.raises(ValueError, match=f"no multiple of {2 * int(ranks)}: samples_per_step=8"):
        snippet.build(None, None, str(tmp_path))
