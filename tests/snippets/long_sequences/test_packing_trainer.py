"""A Trainer with the flattening collator learns from one sequence what it learns from its samples alone."""

from pathlib import Path

import pytest
from _long_sequences import LENGTHS, samples, tiny_model
from packing import mean_loss, packing_error
from transformers import AutoModelForCausalLM, Trainer

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


def test_what_was_trained_is_saved(trainer: Trainer) -> None:
    saved = AutoModelForCausalLM.from_pretrained(trainer.args.output_dir).state_dict()
    trained = {name: weight.cpu() for name, weight in trainer.model.state_dict().items()}
    assert saved.keys() == trained.keys()
    assert all(saved[name].equal(weight) for name, weight in trained.items())
    assert not saved["lm_head.weight"].equal(tiny_model().state_dict()["lm_head.weight"].cpu())
