"""A worker that hangs or is killed becomes an error in the training loop, with a message that tells which."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from torch import nn
from transformers import TrainingArguments

from snippets.hangs import loader as snippet


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (snippet.hang, "DataLoader timed out after 3 seconds"),
        (snippet.be_killed, r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"),
        (lambda: None, "no error"),
    ],
)
def test_the_loop_is_told_what_happened_to_a_worker(cause: Callable[[], object], said: str) -> None:
    message = snippet.message(cause)
    assert re.match(said, message)


@pytest.mark.claim("hangs#workers", "transformers/trainer.py::Trainer._get_dataloader")
def test_the_loader_of_trainer_has_the_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippet.TrainerWithTimeout, "loader_timeout", 3)
    args = TrainingArguments(
        str(tmp_path), dataloader_num_workers=2, per_device_train_batch_size=2, remove_unused_columns=False
    )
    trainer = snippet.TrainerWithTimeout(
        nn.Linear(1, 1), args, train_dataset=snippet.Stops(snippet.hang), data_collator=list
    )
    with pytest.raises(RuntimeError, match="DataLoader timed out after 3 seconds"):
        for _ in trainer.get_train_dataloader():
            pass
