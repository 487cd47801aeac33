"""torch_xla takes PyTorch's steps, on its own device, and compiles a graph once for all of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch_xla
import torch_xla.debug.metrics as metrics

from snippets.tpu import torch_xla_train as snippet

pytestmark = pytest.mark.env("tpu")

STEPS = 10


def test_the_losses_are_pytorchs() -> None:
    ours = torch.stack(snippet.train(snippet.tiny_model(), snippet.batches(STEPS), torch_xla.device())).cpu()
    theirs = torch.stack(snippet.train(snippet.tiny_model(), snippet.batches(STEPS), torch.device("cpu")))
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
    assert theirs[-1] < theirs[0]


def test_the_model_is_on_the_xla_device() -> None:
    model = snippet.tiny_model()
    losses = snippet.train(model, snippet.batches(1), torch_xla.device())
    assert {parameter.device.type for parameter in model.parameters()} == {"xla"} == {losses[0].device.type}


def test_a_model_in_evaluation_mode_is_switched_to_training() -> None:
    model = snippet.tiny_model().eval()
    snippet.train(model, snippet.batches(1), torch.device("cpu"))
    assert model.training


def test_steps_of_one_shape_share_a_graph() -> None:
    metrics.clear_all()
    snippet.train(snippet.tiny_model(), snippet.batches(STEPS), torch_xla.device())
    compiled, executed = snippet.compilations()
    assert executed >= STEPS
    assert compiled < STEPS / 2


def test_the_choice_of_the_device_is_left_to_torch_xla() -> None:
    variables = {name: value for name, value in os.environ.items() if name != "PJRT_DEVICE"}
    program = "import os, torch_xla_train; print(os.environ.get('PJRT_DEVICE'))"
    answer = subprocess.check_output(
        [sys.executable, "-c", program],
        env=variables | {"PJRT_SELECT_DEFAULT_DEVICE": "0"},  # torch_xla chooses none either.
        cwd=Path(snippet.__file__).parent,
        text=True,
    )
    assert answer.strip() == "None"
