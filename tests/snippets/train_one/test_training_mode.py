"""Each loop of one's own trains in training mode: a model that from_pretrained returned is not in it."""

from collections.abc import Callable

import pytest
import torch
from transformers import PreTrainedModel

from snippets.train_one import batch_size, bf16, fp16, gradient_accumulation, lomo

from _tiny import device, tiny_batch, tiny_checkpoint, tiny_dataset, tiny_model


def adamw(model: PreTrainedModel) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters())


@pytest.mark.parametrize("loop", [
    lambda model: gradient_accumulation.accumulate(model, adamw(model), tiny_dataset(rows=2)),
    lambda model: fp16.train(model, adamw(model), [tiny_batch()]),
    lambda model: bf16.train(model, adamw(model), [tiny_batch()]),
    lambda model: lomo.train(model, [tiny_batch()]),
])
def test_a_loop_trains_in_training_mode(loop: Callable[[PreTrainedModel], object]) -> None:
    modes: list[bool] = []
    model = tiny_model().eval()
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    loop(model)
    assert modes and all(modes)


def test_the_search_for_a_batch_size_does_too(monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[bool] = []

    def load(*_: object, **__: object) -> PreTrainedModel:
        model = tiny_model().eval()
        model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
        return model

    monkeypatch.setattr(batch_size.AutoModelForCausalLM, "from_pretrained", load)
    with tiny_checkpoint() as checkpoint:
        batch_size.find(tiny_dataset(rows=4), checkpoint, device())
    assert modes and all(modes)
