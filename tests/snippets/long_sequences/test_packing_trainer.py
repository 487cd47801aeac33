"""A Trainer with the flattening collator learns from one sequence what it learns from its texts alone."""

from pathlib import Path

import pytest
import torch
from packing import packing_error
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer

from snippets.long_sequences import packing_trainer as snippet


@pytest.fixture
def trainer(tmp_path: Path) -> Trainer:
    return snippet.train_tiny(str(tmp_path))


def test_a_batch_is_one_sequence_with_the_lengths_and_without_a_mask(trainer: Trainer) -> None:
    lengths = [len(text) + 1 for text in snippet.TEXTS]  # A token is a letter, and the last one the end token.
    (batch,) = trainer.get_train_dataloader()
    assert list(batch["input_ids"].shape) == [1, sum(lengths)]
    assert sorted(batch["cu_seq_lens_q"].diff().tolist()) == sorted(lengths)
    assert "attention_mask" not in batch
    assert trainer.model.is_activation_checkpointing


def test_samples_stay_apart_and_the_loss_is_that_of_the_samples_alone(trainer: Trainer, tmp_path: Path) -> None:
    assert packing_error(trainer.model.eval(), trainer.train_dataset) < 0.02  # Its forward pass is under autocast.
    assert trainer.state.global_step == 3
    untrained = AutoModelForCausalLM.from_pretrained(tmp_path / "checkpoint", dtype=torch.float32)
    rows = [torch.tensor([sample["input_ids"]]) for sample in trainer.train_dataset]
    expected = sum(untrained(input_ids=row, labels=row).loss.item() * (row.shape[1] - 1) for row in rows)
    losses = [entry["train_loss"] for entry in trainer.state.log_history if "train_loss" in entry]
    assert losses == [pytest.approx(expected / sum(row.shape[1] - 1 for row in rows), rel=0.01)]


def test_what_was_trained_is_saved_with_the_tokenizer(trainer: Trainer, tmp_path: Path) -> None:
    saved = AutoModelForCausalLM.from_pretrained(trainer.args.output_dir).state_dict()
    trained = {name: weight.cpu() for name, weight in trainer.model.state_dict().items()}
    assert saved.keys() == trained.keys()
    assert all(saved[name].equal(weight) for name, weight in trained.items())
    untrained = AutoModelForCausalLM.from_pretrained(tmp_path / "checkpoint", dtype=torch.float32)
    assert not saved["lm_head.weight"].equal(untrained.lm_head.weight)
    tokenizer = AutoTokenizer.from_pretrained(trainer.args.output_dir)
    last = trainer.train_dataset[-1]["input_ids"]
    assert tokenizer.decode(last) == snippet.TEXTS[-1] + tokenizer.eos_token
