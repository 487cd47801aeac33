"""A signal to one rank ends all ranks at the same step, and the run goes on as if it had not come."""

import os
import signal
from functools import partial
from pathlib import Path

import pytest
import torch
from transformers import TrainerControl, TrainerState, TrainingArguments

from snippets.resume import preemption as snippet

pytestmark = pytest.mark.needs(devices=2)


def test_both_ranks_end_at_the_step_of_the_signal_and_one_rank_goes_on(tmp_path: Path) -> None:
    whole = snippet.on_ranks(partial(snippet.train, str(tmp_path / "whole")), 2)
    ended = snippet.on_ranks(partial(snippet.train, str(tmp_path / "run"), preempted=True), 2)
    assert [each["step"] for each in ended] == [3, 3]
    assert [path.name for path in (tmp_path / "run").glob("checkpoint-*")] == ["checkpoint-3"]
    resume = partial(snippet.train, str(tmp_path / "run"), checkpoint=str(tmp_path / "run/checkpoint-3"))
    (resumed,) = snippet.on_ranks(resume, 1)
    assert resumed["step"] == whole[0]["step"] == 8
    moved = (ended[0]["weights"] - whole[0]["weights"]).abs().max()
    assert (resumed["weights"] - whole[0]["weights"]).abs().max() < 1e-3 * moved


def test_without_a_signal_the_run_goes_on(tmp_path: Path) -> None:
    previous = signal.getsignal(signal.SIGUSR1)
    callback = snippet.SaveOnSignal(signal.SIGUSR1)
    args = TrainingArguments(output_dir=str(tmp_path), use_cpu=not torch.accelerator.is_available())
    control = TrainerControl()
    callback.on_step_end(args, TrainerState(), control)
    assert not control.should_save and not control.should_training_stop
    os.kill(os.getpid(), signal.SIGUSR1)
    callback.on_step_end(args, TrainerState(), control)
    assert control.should_save and control.should_training_stop
    signal.signal(signal.SIGUSR1, previous)
