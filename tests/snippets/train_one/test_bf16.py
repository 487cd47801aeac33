"""bf16 computes in bf16, keeps the weights in fp32, and has the range of fp32 with fewer digits."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import Trainer

from snippets.train_one import bf16 as snippet

from _tiny import linear_dtypes, relative_difference, run, tiny_batch, tiny_dataset, tiny_model


def test_autocast_computes_in_bf16_and_keeps_the_weights_in_fp32() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    snippet.train(model, torch.optim.AdamW(model.parameters(), lr=1e-3), [tiny_batch()])
    assert dtypes == {torch.bfloat16}
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert relative_difference(dict(model.named_parameters()), before) > 0


def test_trainer_computes_in_bf16_and_keeps_the_weights_in_fp32(tmp_path: Path) -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    run(Trainer(model, snippet.training_arguments(str(tmp_path)), train_dataset=tiny_dataset()))
    assert dtypes == {torch.bfloat16}
    assert {p.dtype for p in model.parameters()} == {torch.float32}


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_without_use_cpu_trainer_refuses_bf16_on_a_cpu(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="use_cpu"):
        replace(snippet.training_arguments(str(tmp_path)), use_cpu=False)


def test_a_number_that_overflows_fp16_fits_in_bf16() -> None:
    assert torch.tensor(1e38).to(torch.float16).isinf()
    assert torch.tensor(1e38).to(torch.bfloat16).isfinite()


def test_bf16_has_the_range_of_fp32_and_8_times_coarser_steps_than_fp16() -> None:
    table = snippet.ranges()
    assert table["bf16"] == (pytest.approx(table["fp32"][0], rel=0.01), 2**-7)
    assert table["fp16"] == (65504, 2**-10)
    smallest = torch.finfo(torch.bfloat16).smallest_normal
    assert smallest == torch.finfo(torch.float32).smallest_normal
