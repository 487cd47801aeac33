"""torchao keeps one byte a weight and a scale a row, which get_memory_footprint does not see."""

from collections import Counter

import pytest
import torch
import torchao.kernel.intmm
from _infer_cpu import tiny_model, tokens
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torchao.quantization import FqnToConfig, quantize_
from transformers import LlamaConfig, LlamaForCausalLM, MixtralConfig, MixtralForCausalLM

from snippets.infer_cpu import torchao_quantization as snippet

pytestmark = pytest.mark.measures
CONFIGURATIONS = snippet.CONFIGURATIONS

# The instructions by which torchao chooses how to multiply integers; every way runs on every processor.
INSTRUCTIONS = {"neither": set(), "AMD, and Intel without AMX": {"vnni"}, "Intel with AMX": {"vnni", "amx_tile"}}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_linear_layers_have_one_byte_a_weight_and_a_scale_a_row(name: str) -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS[name])
    for module in model.modules():
        if isinstance(module, nn.Linear):
            parts = snippet.plain_tensors(module.weight)
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


@pytest.mark.claim("perf_infer_cpu#quantization", "torchao/quantization/quant_api.py::quantize_")
def test_stacked_experts_are_quantized_by_name_alone() -> None:
    sizes = {"vocab_size": 128, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1}
    config = MixtralConfig(
        **sizes, num_attention_heads=4, num_key_value_heads=2, num_local_experts=4, experts_implementation="eager"
    )
    torch.manual_seed(0)
    model = MixtralForCausalLM(config).eval()
    experts, weights = model.model.layers[0].mlp.experts, CONFIGURATIONS["weights"]
    with torch.inference_mode():
        exact = model(tokens() % 128).logits
        snippet.quantize(model, weights)
        assert type(experts.gate_up_proj) is type(experts.down_proj) is nn.Parameter
        names = r"re:.*experts\.(gate_up_proj|down_proj)"
        quantize_(model, FqnToConfig({names: weights}), filter_fn=None)
        assert {type(experts.gate_up_proj).__name__, type(experts.down_proj).__name__} == {"Int8Tensor"}
        assert 0.001 < snippet.relative_error(model(tokens() % 128).logits, exact) < 0.1


def test_the_models_own_footprint_does_not_see_it() -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS["weights"])
    assert model.get_memory_footprint() == tiny_model().get_memory_footprint()
    assert snippet.stored_bytes(model) < 0.4 * snippet.stored_bytes(tiny_model())


def operators(config: str) -> Counter[tuple[str, tuple[int, ...]]]:
    """The operators of one linear layer in eager mode, with the shape of their first tensor."""
    layer = nn.Sequential(nn.Linear(96, 160, bias=False))
    if config in CONFIGURATIONS:
        snippet.quantize(layer, CONFIGURATIONS[config])
    with torch.inference_mode(), profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
        layer(torch.ones(1, 96))
    return Counter((event.name, tuple(next(iter(event.input_shapes), ()))) for event in recorded.events())


@pytest.mark.parametrize("instructions", INSTRUCTIONS.values(), ids=list(INSTRUCTIONS))
@pytest.mark.claim("perf_infer_cpu#quantization", "torchao/kernel/intmm.py::_int_scaled_matmul_cpu")
def test_in_eager_mode_quantized_weights_are_copied_whole_and_activations_quantized_one_step_at_a_time(
    monkeypatch: pytest.MonkeyPatch, instructions: set[str]
) -> None:
    """What makes them slower than fp32, which multiplies by the weights at once; with VNNI alone, both are copied."""
    for name in ("vnni", "amx_tile"):
        monkeypatch.setattr(torchao.kernel.intmm, f"_cpu_is_{name}_supported", lambda has=name in instructions: has)
    plain, weights, both = (operators(name) for name in ("fp32", *CONFIGURATIONS))
    copied = ("aten::copy_", (96, 160))
    assert plain[copied] == 0 and weights[copied] == 1
    assert both["aten::_int_mm", (1, 96)] == 1
    assert both[copied] == both["aten::sum", (96, 160)] == (instructions == {"vnni"})
    assert both.total() > 3 * weights.total() > 3 * plain.total()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_static_cache_gives_the_quantized_model_s_tokens(name: str) -> None:
    model = snippet.quantize(tiny_model(), CONFIGURATIONS[name])
    assert snippet.tokens_per_second(model, tokens(1), compiled=False) > 0


def test_of_an_8b_shape_eight_bits_leave_less_than_a_third_of_fp32_and_about_half_of_bf16() -> None:
    shape = {"vocab_size": 128_256, "hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32}
    with torch.device("meta"):
        model = LlamaForCausalLM(LlamaConfig(**shape, num_attention_heads=32, num_key_value_heads=8))
    linear = sum(module.weight.numel() for module in model.modules() if isinstance(module, nn.Linear))
    other = sum(parameter.numel() for parameter in model.parameters()) - linear
    assert (linear + 4 * other) / (4 * (linear + other)) == pytest.approx(0.30, abs=0.005)
    assert (linear + 2 * other) / (2 * (linear + other)) == pytest.approx(0.53, abs=0.005)
