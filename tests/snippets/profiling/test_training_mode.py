"""What is profiled is a model in training mode, and its batches are on its device."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import torch
from _profiling import batches, tiny_model
from transformers import PreTrainedModel

from snippets.profiling import data_stalls, recompiles, slow_training, trace

pytestmark = pytest.mark.measures


class Elsewhere(dict):
    """A batch in another place than the model, as a loader makes it for a GPU: each tensor remembers a move."""

    def __init__(self, batch: dict[str, torch.Tensor]) -> None:
        super().__init__({name: Tensor(tensor) for name, tensor in batch.items()})


class Tensor:
    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    def to(self, place: torch.device) -> torch.Tensor:
        return self.tensor.to(place)


@pytest.mark.parametrize("loop", [
    lambda model, batches, _: slow_training.train(
        model, batches, torch.optim.AdamW(model.parameters()), lambda *_: None
    ),
    lambda model, batches, _: data_stalls.waiting_share(model, batches),
    lambda model, batches, folder: trace.profile_steps(model, batches, str(folder / "trace.json")),
    lambda model, batches, _: recompiles.compilations_begun(model, map(moved, batches)),
])
def test_a_loop_trains_in_training_mode_on_the_models_device(
    loop: Callable[[PreTrainedModel, Iterable, Path], object], tmp_path: Path
) -> None:
    modes: list[bool] = []
    model = tiny_model().eval()
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    loop(model, [Elsewhere(batch) for batch in batches(6)], tmp_path)
    assert modes == [True] * 6


def moved(batch: Elsewhere) -> dict[str, torch.Tensor]:
    return {name: tensor.to(torch.device("cpu")) for name, tensor in batch.items()}
