"""The operations per token are those that a step runs, and the largest shape is the one that was reported."""

import pytest
import torch
from _profiling import tiny_model
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    AutoModelForCausalLM,
    BartConfig,
    DeepseekV3Config,
    Gemma3Config,
    GPT2Config,
    LlamaConfig,
    MixtralConfig,
    PreTrainedConfig,
    Qwen2Config,
    Qwen2VLConfig,
    Qwen3_5TextConfig,
)

from snippets.profiling import mfu as snippet

pytestmark = pytest.mark.needs(device="cpu")

LENGTH = 32


def test_the_operations_are_those_that_a_step_runs() -> None:
    model = tiny_model()
    model.set_attn_implementation("eager")  # The counter knows no formula for the CPU's fused kernel.
    row = torch.ones(1, LENGTH, dtype=torch.long, device=model.device)
    with FlopCounterMode(display=False) as counter:
        model(input_ids=row, labels=row).loss.backward()
    layers, width = 2, 64
    masked = 6 * layers * width * LENGTH * LENGTH  # The counter counts what the mask takes away.
    assert counter.get_total_flops() == LENGTH * snippet.flops_per_token(model.config, LENGTH) + masked


def test_a_frozen_weight_needs_four_operations() -> None:
    counted = []
    for frozen in (False, True):
        model = tiny_model()
        model.set_attn_implementation("eager")
        if frozen:
            model.requires_grad_(False)
            model.enable_input_require_grads()
        row = torch.ones(1, LENGTH, dtype=torch.long, device=model.device)
        with FlopCounterMode(display=False) as counter:
            model(input_ids=row, labels=row).loss.backward()
        counted.append(counter.get_total_flops() / LENGTH)
    layers = [module.weight.numel() for module in tiny_model().modules() if isinstance(module, torch.nn.Linear)]
    assert counted[0] - counted[1] == 2 * sum(layers)


def test_a_model_that_reads_images_counts_its_text_model() -> None:
    text = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    text |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    config = Gemma3Config(text_config=text)
    assert snippet.flops_per_token(config, LENGTH) == snippet.flops_per_token(config.text_config, LENGTH)


def test_tied_embeddings_are_the_head_and_count_once() -> None:
    model = tiny_model()
    tied = LlamaConfig(**(model.config.to_dict() | {"tie_word_embeddings": True}))
    assert snippet.flops_per_token(tied, LENGTH) == snippet.flops_per_token(model.config, LENGTH)


def test_embeddings_of_positions_are_looked_up_too() -> None:
    layers = 2 * (3 * 32 * 32 + 32 * 32 + 2 * 4 * 32 * 32)
    assert snippet.flops_per_token(GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=99), 0) == 6 * (
        layers + 99 * 32
    )


@pytest.mark.claim("profiling#mfu", "transformers/models/auto/modeling_auto.py::MODEL_FOR_CAUSAL_LM_MAPPING_NAMES")
@pytest.mark.parametrize(("config", "reason"), [
    (BartConfig(), "encoder-decoder"),  # Otherwise the decoder alone would be counted.
    (DeepseekV3Config(), "latent attention"),
    (Qwen2VLConfig(), "Unrecognized configuration"),
])
def test_what_is_not_counted_is_an_error(config: PreTrainedConfig, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        snippet.flops_per_token(config, LENGTH)


def test_of_a_mixture_of_experts_those_count_that_a_token_uses() -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 100}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    config = MixtralConfig(**sizes, **heads, num_local_experts=8, num_experts_per_tok=2)
    attention, router, expert = 2 * 64 * 64 + 2 * 64 * 32, 64 * 8, 3 * 64 * 32
    assert snippet.flops_per_token(config, 0) == 6 * (2 * (attention + router + 2 * expert) + 100 * 64)


@pytest.mark.parametrize("kind", [MixtralConfig, Qwen2Config])
def test_a_configuration_need_not_name_the_size_of_a_head(kind: type) -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 100}
    config = kind(**sizes, num_attention_heads=4, num_key_value_heads=2)
    assert not getattr(config, "head_dim", None)
    attention = snippet.flops_per_token(config, LENGTH) - snippet.flops_per_token(config, 0)
    assert attention == 6 * 2 * 2 * 64 * LENGTH / 2


def test_a_convolution_is_no_stack_of_experts() -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 4, "vocab_size": 100}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    config = Qwen3_5TextConfig(**sizes, **heads, tie_word_embeddings=True)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    assert any("conv1d" in name for name, _ in model.named_parameters())
    products = sum(weight.numel() for weight in model.parameters() if weight.dim() > 1)
    assert snippet.flops_per_token(config, 0) == 6 * products


def test_without_attention_it_is_six_per_weight() -> None:
    layers = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336)
    assert snippet.flops_per_token(snippet.LLAMA_8B, 0) == 6 * (layers + 128_256 * 4096)


def test_mfu_is_a_share_of_the_peak() -> None:
    rate = snippet.H100 / snippet.flops_per_token(snippet.LLAMA_8B, 8192)
    assert snippet.mfu(snippet.LLAMA_8B, 8192, rate / 2, snippet.H100) == pytest.approx(0.5)


def test_the_shape_is_that_of_405b() -> None:
    assert snippet.flops_per_token(snippet.LLAMA_405B, 0) / 6 == pytest.approx(405.85e9 - 128_256 * 16_384, rel=1e-3)
