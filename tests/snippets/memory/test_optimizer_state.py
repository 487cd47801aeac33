"""The state of an optimizer on fake tensors takes the bytes that it takes on real ones, and that its format says."""

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertForMaskedLM

from snippets.memory import optimizer_state as snippet

from _tiny import state_bytes

pytestmark = pytest.mark.needs(device="cpu")

MATRIX = 512 * 1024
TABLE = 256 * 4  # bytes of a table of the values that a byte stands for


def linear() -> nn.Module:
    return nn.Linear(1024, 512, bias=False)


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("AdamW", 4 + 4),
        ("AdamW, 8-bit (bitsandbytes)", 2 * (1 + 4 / 256) + 2 * TABLE / MATRIX),
        ("AdamW, 4-bit (torchao)", 2 * (1 / 2 + 4 / 128) + 2 * (16 * 4) / MATRIX),
        ("AdamW, 4-bit, blocks of 256", 2 * (1 / 2 + 4 / 256) + 2 * (16 * 4) / MATRIX),
        ("Adafactor", 4 * (512 + 1024) / MATRIX),
    ],
)
def test_a_matrix_takes_what_the_format_says(name: str, held: float) -> None:
    assert snippet.bytes_per_parameter(linear, snippet.optimizers[name]) == held


def test_there_is_no_other_optimizer() -> None:
    assert len(snippet.optimizers) == 5


def bert() -> nn.Module:
    sizes = {"hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4, "num_hidden_layers": 1}
    return BertForMaskedLM(BertConfig(vocab_size=1000, **sizes))


@pytest.mark.parametrize("name", ["AdamW", "AdamW, 8-bit (bitsandbytes)", "Adafactor"])
def test_a_real_model_takes_the_same(name: str) -> None:
    model = bert()
    optimizer = snippet.optimizers[name](model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    real = state_bytes(optimizer) / sum(parameter.numel() for parameter in model.parameters())
    assert snippet.bytes_per_parameter(bert, snippet.optimizers[name]) == real
