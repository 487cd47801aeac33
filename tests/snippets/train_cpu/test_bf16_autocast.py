"""Linear layers compute in the precision that was asked for, weights stay in fp32, and the loss falls."""

from pathlib import Path

import pytest
import torch
from transformers import TrainingArguments

from snippets.train_cpu import bf16_autocast as snippet

pytestmark = [
    pytest.mark.needs(device="cpu"),
    pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what a CPU without accelerator does"),
]


def test_the_loop_computes_in_bf16_and_keeps_fp32() -> None:
    model = snippet.tiny_model()
    dtypes = snippet.watch(model)
    losses = snippet.train_in_bf16(model, [{"input_ids": snippet.ROWS, "labels": snippet.ROWS}] * 10, lr=1e-3)
    assert dtypes == {torch.bfloat16}
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert losses[-1] < losses[0] - 0.5


def test_trainer_computes_in_bf16_when_told_to() -> None:
    assert snippet.trained_in() == {torch.bfloat16}
    assert snippet.trained_in(bf16=False) == {torch.float32}


@pytest.mark.claim("perf_train_cpu#bf16", "transformers/training_args.py::TrainingArguments.__post_init__")
def test_bf16_on_a_cpu_without_use_cpu_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="You need to assign use_cpu"):
        TrainingArguments(output_dir=str(tmp_path), bf16=True)


def test_fp16_in_trainer_does_nothing_on_a_cpu() -> None:
    assert snippet.trained_in(bf16=False, fp16=True) == {torch.float32}
