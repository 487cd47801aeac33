"""The program for one GPU, as it is, trains by DDP on two ranks: with as many samples per step, to the same weights."""

from functools import partial
from pathlib import Path

import pytest
import torch
from _ranks import on_ranks
from _tiny_texts import TEXTS, save_checkpoint
from transformers import AutoModelForCausalLM

from snippets.train_one.whole_program import train_on_texts

pytestmark = pytest.mark.needs(devices=2)


def train(folder: str, ranks: int) -> None:
    train_on_texts(
        f"{folder}/checkpoint", TEXTS, f"{folder}/on-{ranks}",
        gradient_accumulation_steps=8 // ranks, optim="adamw_torch", num_train_epochs=1,
    )  # fmt: skip


def read_weights(folder: Path) -> torch.Tensor:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return torch.cat([weight.flatten() for weight in model.parameters()])


def test_two_ranks_reach_the_weights_of_one(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "checkpoint")
    for ranks in (1, 2):
        on_ranks(partial(train, str(tmp_path), ranks), ranks)
    before, one, two = (read_weights(tmp_path / name) for name in ("checkpoint", "on-1", "on-2"))
    assert (two - one).norm() < 0.05 * (one - before).norm()
