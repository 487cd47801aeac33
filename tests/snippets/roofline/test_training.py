"""The step that is timed trains the model, with the operations that the law counts."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import LlamaConfig

from snippets.roofline import law
from snippets.roofline import training as snippet

pytestmark = pytest.mark.measures
CONFIG = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, attn_implementation="eager",  # whose products PyTorch counts
)


def test_the_operations_of_a_step_are_those_of_the_law() -> None:
    step = snippet.training_step(CONFIG, batch=2, length=8)
    with FlopCounterMode(display=False) as counter:
        step()
    # The law leaves out the masked half of attention.
    assert law.training(CONFIG, 2, 8) <= counter.get_total_flops() <= 1.2 * law.training(CONFIG, 2, 8)


def test_a_step_changes_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    models = []
    made = snippet.LlamaForCausalLM
    monkeypatch.setattr(snippet, "LlamaForCausalLM", lambda config: models.append(made(config)) or models[-1])
    step = snippet.training_step(CONFIG, batch=2, length=8)
    before = models[0].lm_head.weight.detach().clone()
    step()
    assert not torch.equal(before, models[0].lm_head.weight)
