"""Paged AdamW keeps the state of 8-bit AdamW; on a GPU in pages, on a CPU as it always was, with a warning."""

from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import Trainer

from snippets.train_one import paged_adamw_8bit as snippet

from _tiny import device, run, state_bytes_per_parameter, tiny_dataset, tiny_model

SIDE = 1024
TABLES = 2 * 256 * 4  # bytes of the two tables that all weights share


def matrix() -> nn.Module:
    return nn.Linear(SIDE, SIDE, bias=False, device=device())


def test_the_state_is_that_of_8_bit_adamw() -> None:
    optimizer = snippet.step_once(matrix())
    assert state_bytes_per_parameter(optimizer) == 2 * (1 + 4 / 256) + TABLES / SIDE**2
    assert optimizer.is_paged


@pytest.mark.skipif(torch.cuda.is_available(), reason="shows what happens where there is no GPU")
def test_without_a_gpu_nothing_is_paged_and_a_warning_says_so() -> None:
    layer = matrix()
    with pytest.warns(UserWarning, match="Paged optimizers are not supported on CPU"):
        optimizer = snippet.step_once(layer)
    assert not snippet.is_paged(optimizer, layer.weight)


@pytest.mark.needs("cuda")
def test_on_a_gpu_large_states_are_paged() -> None:
    layer = matrix()
    assert snippet.is_paged(snippet.step_once(layer), layer.weight)


@pytest.mark.claim(
    "train_optimizers#paged-adam",
    "bitsandbytes/optim/optimizer.py::Optimizer8bit.load_state_dict",
    "transformers/trainer.py::Trainer._load_optimizer_and_scheduler",
)
@pytest.mark.parametrize(("loaded_to", "marked"), [("cpu", False), ("meta", True)])
def test_loading_a_state_makes_ordinary_tensors_that_keep_the_mark_only_if_they_are_on_the_device_already(
    loaded_to: str, marked: bool, tmp_path: Path
) -> None:
    """With the device "meta" for a GPU: `Trainer` loads to the CPU for one GPU, and to the device for several."""
    saved = snippet.bnb.optim.PagedAdamW8bit(weights := [nn.Parameter(torch.ones(SIDE, SIDE))])
    state = torch.zeros(SIDE, SIDE, dtype=torch.uint8)
    state.is_paged = True  # as `get_state_buffer` does on a GPU, where the tensor says "cpu" as well
    saved.state[weights[0]] = {"step": 1, "state1": state}
    torch.save(saved.state_dict(), tmp_path / "optimizer.pt")
    resumed = snippet.bnb.optim.PagedAdamW8bit(weights := [nn.Parameter(torch.ones(SIDE, SIDE, device="meta"))])
    resumed.load_state_dict(torch.load(tmp_path / "optimizer.pt", map_location=loaded_to, weights_only=True))
    assert resumed.state[weights[0]]["state1"].device.type == "meta"
    assert snippet.is_paged(resumed, weights[0]) == marked


def test_trainer_takes_the_paged_optimizer_with_8_bits(tmp_path: Path) -> None:
    model = tiny_model()
    trainer = run(Trainer(model, snippet.training_arguments(str(tmp_path)), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    assert optimizer.is_paged
    assert optimizer.state[model.lm_head.weight]["state1"].dtype == torch.uint8
