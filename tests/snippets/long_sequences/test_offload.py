"""Offloading moves activations and no weights, gives the same gradients, and checkpointing leaves less to move."""

import pytest
import torch
from _long_sequences import tiny_model

from snippets.long_sequences import offload as snippet


def gradients(model: torch.nn.Module) -> list[torch.Tensor]:
    return [parameter.grad for parameter in model.parameters()]


@pytest.mark.parametrize("checkpointed", [False, True])
def test_the_gradients_are_the_same(checkpointed: bool) -> None:
    plain, offloaded = tiny_model().train(), tiny_model().train()
    if checkpointed:
        offloaded.activation_checkpointing_enable()
    plain(input_ids=snippet.tokens(), labels=snippet.tokens(), use_cache=False).loss.backward()
    snippet.step(offloaded, snippet.tokens())
    for ours, theirs in zip(gradients(offloaded), gradients(plain), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_small_tensors_stay() -> None:
    assert 0 < snippet.moved_bytes(tiny_model(), smallest=1 << 18) < snippet.moved_bytes(tiny_model())
    assert snippet.moved_bytes(tiny_model(), smallest=1 << 40) == 0


def test_checkpointing_leaves_the_inputs_of_the_layers_and_the_loss() -> None:
    model = tiny_model()
    everything = snippet.moved_bytes(model)
    model.activation_checkpointing_enable()
    assert 4 * 512 * 64 * 4 < snippet.moved_bytes(model) < everything / 4


def test_no_weight_is_moved() -> None:
    model = tiny_model()
    moved: set[int] = set()
    hooks = snippet.offload(model, smallest=1)
    pack = hooks.pack_hook

    def watched(tensor: torch.Tensor) -> object:
        packed = pack(tensor)
        if isinstance(packed, tuple):
            moved.add(tensor.untyped_storage().data_ptr())
        return packed

    hooks.pack_hook = watched
    with hooks:
        model(input_ids=snippet.tokens(), labels=snippet.tokens(), use_cache=False)
    assert moved
    assert not moved & {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    assert snippet.saved_weights(model) > 0
