"""fp16 autocast computes in fp16, the scaler skips a step that overflowed, and Trainer on a CPU does neither."""

from pathlib import Path

import pytest
import torch
from transformers import Trainer

from snippets.train_one import fp16 as snippet

from _tiny import linear_dtypes, relative_difference, run, tiny_batch, tiny_dataset, tiny_model


def test_autocast_computes_in_fp16_and_keeps_the_weights_in_fp32() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    snippet.train(model, optimizer, [tiny_batch()])
    assert dtypes == {torch.float16}
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert relative_difference(dict(model.named_parameters()), before) > 0


def test_the_gradients_are_unscaled_before_they_are_clipped() -> None:
    model = tiny_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    norms = []
    optimizer.register_step_pre_hook(
        lambda *_: norms.append(torch.nn.utils.get_total_norm([p.grad for p in model.parameters()]).item())
    )
    snippet.train(model, optimizer, [tiny_batch()])
    # A scaled gradient would be clipped to norm 1 and then divided by 65536.
    assert norms == [pytest.approx(1.0, rel=0.01)]


def test_a_step_with_an_infinite_gradient_is_skipped_and_the_next_is_not() -> None:
    model = tiny_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    steps = []
    optimizer.register_step_post_hook(lambda *_: steps.append(1))
    handle = model.lm_head.weight.register_hook(lambda gradient: torch.full_like(gradient, torch.inf))
    before = {name: p.detach().clone() for name, p in model.named_parameters()}

    snippet.train(model, optimizer, [tiny_batch()])
    assert not steps
    assert relative_difference(dict(model.named_parameters()), before) == 0

    handle.remove()
    snippet.train(model, optimizer, [tiny_batch()])
    assert len(steps) == 1


def trainer_dtypes(output_dir: Path) -> set[torch.dtype]:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    run(Trainer(model, snippet.training_arguments(str(output_dir)), train_dataset=tiny_dataset()))
    return dtypes


@pytest.mark.needs("cuda")
def test_trainer_computes_in_fp16_on_cuda(tmp_path: Path) -> None:
    assert trainer_dtypes(tmp_path) == {torch.float16}


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_trainer_on_a_cpu_goes_on_in_fp32(tmp_path: Path) -> None:
    assert trainer_dtypes(tmp_path) == {torch.float32}


def test_numbers_above_65504_overflow() -> None:
    assert snippet.overflow() == (65504.0, 65504.0, float("inf"))
