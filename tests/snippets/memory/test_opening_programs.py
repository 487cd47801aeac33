"""The steps whose peak is estimated are those of the programs; test_compare.py has the formulas beside a simulation."""

from collections.abc import Callable
from pathlib import Path

import pytest
from _tiny_texts import save_checkpoint
from transformers import Trainer

from snippets.memory import opening_programs as snippet
from snippets.peft import adapters
from snippets.train_one import whole_program as all_weights

pytestmark = pytest.mark.needs(device="cpu")


@pytest.mark.parametrize("program", [all_weights.train_on_texts, adapters.finetune])
def test_the_steps_are_those_of_the_programs(
    program: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Trainer] = []
    monkeypatch.setattr(Trainer, "train", lambda trainer: trained.append(trainer))
    program(save_checkpoint(tmp_path / "checkpoint"), ["a" * 1000], str(tmp_path / "out"))
    (trainer,) = trained
    assert trainer.args.per_device_train_batch_size == snippet.BATCH
    assert len(trainer.train_dataset[0]["input_ids"]) == snippet.LENGTH
    assert trainer.args.activation_checkpointing
    assert trainer.args.bf16
    if program is all_weights.train_on_texts:
        assert trainer.args.optim == snippet.SMALL_STATE["optimizer"].replace("-", "_")
        assert trainer.args.gradient_accumulation_steps > 1
