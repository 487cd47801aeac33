"""A Trainer with the flattening collator learns from one sequence what it learns from its samples alone."""

from pathlib import Path

import pytest
from _long_sequences import LENGTHS, samples, tiny_model
from packing import mean_loss, packing_error
from transformers import Trainer

from snippets.long_sequences import packing_trainer as snippet


@pytest.fixture
def trainer(tmp_path: Path) -> Trainer:
    return snippet.train_tiny(str(tmp_path))


def test_a_batch_is_one_sequence_with_the_lengths_and_without_a_mask(trainer: Trainer) -> None:
    (batch,) = trainer.get_train_dataloader()
    assert list(batch["input_ids"].shape) == [1, sum(LENGTHS)]
    assert sorted(batch["cu_seq_lens_q"].diff().tolist()) == sorted(LENGTHS)
    assert "attention_mask" not in batch


def test_samples_stay_apart_and_the_loss_is_that_of_the_samples_alone(trainer: Trainer) -> None:
    assert packing_error(trainer.model.eval(), samples()) < 0.02  # Its forward pass is under autocast.
    assert trainer.state.global_step == 3
    losses = [entry["train_loss"] for entry in trainer.state.log_history if "train_loss" in entry]
    assert losses == [pytest.approx(mean_loss(tiny_model()).item(), rel=0.01)]
