"""Adafactor keeps one number for every row and column of a matrix, measured and by the formula."""

from pathlib import Path

import pytest
import torch
from transformers import Trainer

from snippets.train_one import adafactor as snippet

from _tiny import run, state_bytes, tiny_dataset, tiny_model


def test_trainer_keeps_rows_and_columns_only(tmp_path: Path) -> None:
    model = tiny_model()
    args = snippet.training_arguments(str(tmp_path))
    trainer = run(Trainer(model, args, train_dataset=tiny_dataset()))
    state = trainer.optimizer.optimizer.state[model.lm_head.weight]
    rows, columns = model.lm_head.weight.shape
    assert state["exp_avg_sq_row"].shape == (rows,)
    assert state["exp_avg_sq_col"].shape == (columns,)
    assert "exp_avg" not in state
    assert state_bytes(trainer.optimizer.optimizer) == sum(
        snippet.expected_state_bytes(parameter.shape) for parameter in model.parameters()
    )


@pytest.mark.parametrize(("rows", "columns"), [(64, 64), (1024, 1024), (1024, 4096)])
def test_a_matrix_takes_four_bytes_for_every_row_and_column(rows: int, columns: int) -> None:
    assert snippet.matrix_state(rows, columns) == 4 * (rows + columns) / (rows * columns)
    assert snippet.matrix_state(rows, columns) == snippet.expected_state_bytes(torch.Size((rows, columns))) / (
        rows * columns
    )


def test_a_vector_takes_four_bytes_an_element() -> None:
    assert snippet.expected_state_bytes(torch.Size((64,))) == 4 * 64
