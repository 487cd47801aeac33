"""The step that is timed calls the model for the last token of a full cache, each time for the same one."""

import pytest
import torch
from transformers import LlamaConfig

from snippets.roofline import decoding as snippet

pytestmark = pytest.mark.measures
CONFIG = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2,
)


def test_every_call_is_for_the_last_token(monkeypatch: pytest.MonkeyPatch) -> None:
    model = snippet.random_model(CONFIG)
    caches = []
    made = snippet.StaticCache
    monkeypatch.setattr(snippet, "StaticCache", lambda **settings: caches.append(made(**settings)) or caches[-1])
    step = snippet.decoding_step(model, batch=3, context=16)
    for _ in range(2):
        assert step().shape == (3, 1, 64)
        assert {int(layer.cumulative_length) for layer in caches[0].layers} == {16}
    keys = caches[0].layers[0].keys
    assert keys.shape == (3, 2, 16, 8)
    assert torch.count_nonzero(keys[:, :, 1:15]) == 0  # where nothing was generated
    assert torch.count_nonzero(keys[:, :, 15]) > 0


@pytest.mark.needs("cuda")
def test_a_replayed_graph_gives_what_the_call_gives() -> None:
    x = torch.ones(4, device="cuda")
    y = torch.zeros(4, device="cuda")
    replay = snippet.record_graph(lambda: y.copy_(2 * x))
    x.fill_(3)
    replay()
    assert y.tolist() == [6, 6, 6, 6]
