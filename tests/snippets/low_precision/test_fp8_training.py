"""FP8 layers keep their weights' type, leave out what kernels cannot take, and learn as bf16 does."""

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
    MixtralConfig,
    MixtralForCausalLM,
)

from snippets.low_precision import fp8_training as snippet


def converted(model: nn.Module) -> set[str]:
    return {name for name, module in model.named_modules() if type(module).__name__ == "Float8Linear"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_all_layers_but_the_head_are_converted_and_weights_stay(dtype: torch.dtype) -> None:
    model = snippet.to_fp8(snippet.tiny_model(dtype))
    assert len(converted(model)) == 2 * 7
    assert "lm_head" not in converted(model)
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}


@pytest.mark.parametrize(("recipe", "scales"), [("tensorwise", "tensorwise"), ("rowwise", "axiswise")])
def test_a_recipe_says_how_weights_are_scaled(recipe: str, scales: str) -> None:
    model = snippet.to_fp8(snippet.tiny_model(), recipe)
    layers = [module for name, module in model.named_modules() if name in converted(model)]
    assert {layer.config.cast_config_weight.scaling_granularity.value for layer in layers} == {scales}


@pytest.mark.claim("low_precision#fp8-training", "transformers/models/mixtral/modeling_mixtral.py::MixtralExperts")
def test_the_experts_of_a_mixture_are_left_out() -> None:
    """They are stacked parameters, no `nn.Linear`: the attention alone is converted."""
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "num_local_experts": 8}
    model = MixtralForCausalLM(MixtralConfig(**sizes, **heads)).to(torch.bfloat16)
    found = converted(snippet.to_fp8(model))
    assert found and all(".self_attn." in name for name in found)
    experts = [name for name, parameter in model.named_parameters() if ".experts." in name and parameter.dim() == 3]
    assert len(experts) == 2 * 2


@pytest.mark.claim("low_precision#fp8-training", "transformers/pytorch_utils.py::Conv1D")
def test_nothing_is_converted_in_gpt2() -> None:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=256, n_embd=64, n_layer=1, n_head=4))
    assert not converted(snippet.to_fp8(model))


def test_a_layer_of_an_odd_size_is_left_out() -> None:
    model = nn.Sequential(nn.Linear(32, 30), nn.Linear(30, 32), nn.Linear(32, 32))
    assert [snippet.suitable(layer, str(index)) for index, layer in enumerate(model)] == [False, False, True]


SIZES = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_labels": 16}


@pytest.mark.parametrize("adapter", [None, {}, {"modules_to_save": ["lm_head"]}])
def test_a_head_whose_size_kernels_can_take_is_left_out_too(adapter: dict[str, list[str]] | None) -> None:
    """Also below an adapter, which puts its own names before the head's, and behind it if it trains the head."""
    model = LlamaForCausalLM(LlamaConfig(**SIZES, num_attention_heads=4))
    whole = model if adapter is None else get_peft_model(model, LoraConfig(target_modules=["q_proj"], **adapter))
    found = converted(snippet.to_fp8(whole))
    assert any("q_proj" in name for name in found)
    assert not any("lm_head" in name for name in found)


@pytest.mark.claim(
    "low_precision#fp8-training", "transformers/modeling_layers.py::GenericForSequenceClassification.__init__"
)
def test_a_head_of_another_name_is_converted() -> None:
    model = LlamaForSequenceClassification(LlamaConfig(**SIZES, num_attention_heads=4, pad_token_id=0))
    assert "score" in converted(snippet.to_fp8(model))


@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "rowwise_with_gw_hp"])
def test_it_learns_as_bf16_does(recipe: str) -> None:
    plain = snippet.losses(snippet.tiny_model())
    found = snippet.losses(snippet.to_fp8(snippet.tiny_model(), recipe))
    assert found[-1] < found[0] - 0.5
    assert abs(found[-1] - plain[-1]) < 0.1
    assert found != plain


def test_a_recipe_without_a_name_is_an_error() -> None:
    with pytest.raises(AssertionError, match="recipe_name fp8 not in valid names"):
        snippet.to_fp8(snippet.tiny_model(), "fp8")
