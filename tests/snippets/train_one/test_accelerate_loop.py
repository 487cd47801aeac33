"""Accelerate's loop learns what the plain loop learns, in the precision that it is told."""

import pytest
import torch
from accelerate import Accelerator

from snippets.train_one import accelerate_loop as snippet

from _tiny import linear_dtypes, relative_difference, tiny_dataset, tiny_model


@pytest.mark.parametrize("rows", [12, 10])  # Ten leave a window of two batches at the epoch's end.
def test_in_fp32_the_losses_and_weights_are_those_of_the_plain_loop(rows: int) -> None:
    dataset, plain, accelerated = tiny_dataset(rows=rows), tiny_model(), tiny_model()
    plain_losses = snippet.plain_loop(plain, dataset)
    losses = snippet.accelerate_loop(accelerated, dataset, mixed_precision="no")
    assert losses == pytest.approx(plain_losses, abs=1e-5)
    weights = {name: parameter.detach() for name, parameter in plain.named_parameters()}
    start = {name: parameter.detach() for name, parameter in tiny_model().named_parameters()}
    ours = {name: parameter.detach() for name, parameter in accelerated.named_parameters()}
    assert relative_difference(weights, start) > 1e-3
    assert relative_difference(ours, weights) < 1e-5


@pytest.mark.parametrize(("precision", "dtype"), [("bf16", torch.bfloat16), ("no", torch.float32)])
def test_the_layers_compute_in_the_precision_that_was_asked_for(precision: str, dtype: torch.dtype) -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    snippet.accelerate_loop(model, tiny_dataset(4), precision)
    assert dtypes == {dtype}


@pytest.mark.claim("perf_train_gpu_one#accelerate", "accelerate/accelerator.py::Accelerator._do_sync")
def test_there_is_one_optimizer_step_for_four_batches_and_one_for_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    step = torch.optim.AdamW.step
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda self, *args: (steps.append(1), step(self, *args)))
    for rows, expected in ((12, 3), (10, 3), (3, 1)):
        steps.clear()
        snippet.accelerate_loop(tiny_model(), tiny_dataset(rows=rows), "no")
        assert len(steps) == expected


def test_the_gradients_before_clipping_are_those_of_the_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    norms = []  # Clipping hides from the weights how large the gradients were, and so does AdamW.
    clip = torch.nn.utils.clip_grad_norm_

    def watched(*args: object, **options: object) -> torch.Tensor:
        norms.append(clip(*args, **options))
        return norms[-1]

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", watched)
    snippet.plain_loop(tiny_model(), tiny_dataset(rows=4))
    snippet.accelerate_loop(tiny_model(), tiny_dataset(rows=4), "no")
    plain, accelerated = norms
    assert accelerated.item() == pytest.approx(plain.item(), rel=1e-4)


def test_the_model_is_checkpointed() -> None:
    model = tiny_model()
    calls = []
    model.model.layers[0].self_attn.register_forward_hook(lambda *_: calls.append(1))
    snippet.accelerate_loop(model, tiny_dataset(rows=4), "no")
    assert len(calls) == 2 * 4


def test_the_argument_fp16_is_gone() -> None:
    with pytest.raises(TypeError, match="fp16"):
        Accelerator(fp16=True)


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_fp16_on_a_cpu_goes_on_in_fp32() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    snippet.accelerate_loop(model, tiny_dataset(4), "fp16")
    assert dtypes == {torch.float32}


@pytest.mark.needs("cuda")
def test_fp16_computes_in_fp16_on_cuda() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    snippet.accelerate_loop(model, tiny_dataset(4), "fp16")
    assert dtypes == {torch.float16}
