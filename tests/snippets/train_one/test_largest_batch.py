"""The search ends at the largest try whose steps fit, and each of them is one in bf16 with checkpointing."""

import pytest
import torch
from transformers import LlamaForCausalLM

from snippets.train_one import largest_batch as snippet

from _tiny import device, tiny_checkpoint


def test_the_search_ends_where_two_steps_in_bf16_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    original, seen = LlamaForCausalLM.forward, []

    def forward(model: LlamaForCausalLM, tokens: torch.Tensor, **options: object) -> object:
        seen.append((len(tokens), torch.is_autocast_enabled(tokens.device.type), model.is_activation_checkpointing))
        if len(tokens) > 9:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return original(model, tokens, **options)

    monkeypatch.setattr(LlamaForCausalLM, "forward", forward)
    with tiny_checkpoint() as checkpoint:
        assert snippet.largest_batch(checkpoint=checkpoint, length=16, device=device().type) == 9
    tries, autocast, checkpointed = zip(*seen, strict=True)
    assert tries[0] == 64
    assert tries[-3:] == (11, 9, 9)
    assert {*autocast} == {*checkpointed} == {True}


def test_the_state_of_the_embedding_alone_is_in_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Recorded(snippet.bnb.optim.AdamW8bit):
        def __init__(self, *args: object) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(snippet.bnb.optim, "AdamW8bit", Recorded)
    with tiny_checkpoint() as checkpoint:
        snippet.largest_batch(checkpoint=checkpoint, length=16, device=device().type)
    states = [state["state1"] for state in made[-1].state.values()]
    large = [state for state in states if state.numel() >= 4096]  # bitsandbytes keeps what is smaller in fp32
    assert [state.dtype for state in large] == [torch.float32, *[torch.uint8] * (len(large) - 1)]
    assert len(large) > 1
