"""Every linear layer keeps one byte a weight, and the logits stay close."""

import pytest
import torch
from _infer_cpu import tiny_model, tokens
from torch import nn

from snippets.infer_cpu import dynamic_quantization as snippet

pytestmark = pytest.mark.needs(device="cpu")


@pytest.fixture(scope="module")
def quantized() -> nn.Module:
    with pytest.warns(DeprecationWarning, match="torchao"):
        return snippet.quantize(tiny_model())


def test_every_linear_layer_is_quantized(quantized: nn.Module) -> None:
    plain = {name: module for name, module in tiny_model().named_modules() if isinstance(module, nn.Linear)}
    for name, module in plain.items():
        layer = quantized.get_submodule(name)
        assert layer.weight().dtype == torch.qint8
        assert snippet.weight_bytes(layer) * 4 == snippet.weight_bytes(module)
    assert len(plain) == 4 * 7 + 1


def test_the_logits_are_close_and_not_the_same(quantized: nn.Module) -> None:
    with torch.inference_mode():
        error = snippet.relative_error(quantized(tokens()).logits, tiny_model()(tokens()).logits)
    assert 0.001 < error < 0.1


def test_the_model_that_was_given_stays_as_it_is() -> None:
    model = tiny_model()
    with pytest.warns(DeprecationWarning):
        snippet.quantize(model)
    assert type(model.lm_head) is nn.Linear
