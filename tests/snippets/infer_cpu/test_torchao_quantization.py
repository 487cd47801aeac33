"""torchao keeps one byte a weight and a scale a row, which get_memory_footprint does not see."""

import pytest
import torch
from _infer_cpu import plain_tensors, tiny_model, tokens
from torch import nn

from snippets.infer_cpu import torchao_quantization as snippet

CONFIGURATIONS = snippet.configurations()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_linear_layers_have_one_byte_a_weight_and_a_scale_a_row(name: str) -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS[name])
    for module in model.modules():
        if isinstance(module, nn.Linear):
            parts = plain_tensors(module.weight)
            stored = sum(part.nbytes for part in parts)
            # A byte a weight; for every row a scale in fp32 and a zero point of one byte.
            assert stored == module.weight.numel() + (4 + 1) * module.out_features
        elif isinstance(module, nn.Embedding):
            assert module.weight.dtype == torch.float32
            assert type(module.weight) is nn.Parameter


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_logits_are_close_and_not_the_same(name: str) -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS[name])
    with torch.inference_mode():
        error = snippet.relative_error(model(tokens()).logits, tiny_model()(tokens()).logits)
    assert 0.001 < error < 0.1


def test_the_second_configuration_quantizes_activations_too() -> None:
    """The first one's only error is in the weights: the product with what they stand for is exact."""
    hidden = torch.linspace(-1, 1, 64)[None] ** 3
    errors = {}
    for name, config in CONFIGURATIONS.items():
        torch.manual_seed(0)
        layer = snippet.quantize(nn.Sequential(nn.Linear(64, 64, bias=False)), config)
        product = hidden @ layer[0].weight.dequantize().T
        errors[name] = snippet.relative_error(layer(hidden), product)
    assert errors["weights"] < 1e-5 < 1e-3 < errors["weights and activations"]


def test_the_models_own_footprint_does_not_see_it() -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS["weights"])
    assert model.get_memory_footprint() == tiny_model().get_memory_footprint()
    assert snippet.stored_bytes(model) < 0.4 * snippet.stored_bytes(tiny_model())
