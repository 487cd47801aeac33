"""The counts of operations and bytes are those of a real forward pass, on a shape with grouped heads."""

import pytest
import torch
from _serving import prompts, tiny_model
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    AutoModelForCausalLM,
    DeepseekV3Config,
    Gemma3Config,
    LlamaConfig,
    MixtralConfig,
    Qwen2Config,
    Qwen3_5TextConfig,
    Qwen3MoeConfig,
)

from snippets.profiling import mfu
from snippets.serving import bounds as snippet
from snippets.serving.bounds import Device

pytestmark = pytest.mark.needs(device="cpu")

PROMPT = 24
UNIT = Device(flops=1.0, bandwidth=1.0)


@pytest.fixture(scope="module")
def shape() -> snippet.Shape:
    return snippet.shape_of(tiny_model().config)


def test_the_operations_of_a_prompt_are_those_that_run(shape: snippet.Shape) -> None:
    model = tiny_model()
    model.set_attn_implementation("eager")  # The counter knows no formula for the CPU's fused kernel.
    with torch.inference_mode(), FlopCounterMode(display=False) as counter:
        model(input_ids=prompts(PROMPT)["input_ids"], logits_to_keep=1)
    masked = 2 * shape.layers * shape.query_width * PROMPT**2  # The counter counts what the mask takes away.
    assert counter.get_total_flops() == snippet.first_token(shape, UNIT, PROMPT) + masked


@pytest.mark.parametrize("kind", [LlamaConfig, Qwen2Config, MixtralConfig, Qwen3MoeConfig, Qwen3_5TextConfig])
def test_the_weights_are_those_that_mfu_counts(kind: type) -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 4, "vocab_size": 100}
    config = kind(**sizes, num_attention_heads=4, num_key_value_heads=2)
    shape = snippet.shape_of(config)
    assert 6 * (shape.stack + shape.head) == mfu.flops_per_token(config, 0)
    attention = snippet.first_token(shape, UNIT, PROMPT) - 2 * (shape.stack * PROMPT + shape.head)
    trained = mfu.flops_per_token(config, PROMPT) - mfu.flops_per_token(config, 0)
    assert 3 * attention == pytest.approx(PROMPT * trained)


def test_of_a_mixture_of_experts_a_token_uses_a_few() -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 100}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    shape = snippet.shape_of(MixtralConfig(**sizes, **heads, num_local_experts=8, num_experts_per_tok=2))
    attention, router, expert = 2 * 64 * 64 + 2 * 64 * 32, 64 * 8, 3 * 64 * 32
    assert shape.stack == 2 * (attention + router + 2 * expert)
    assert (shape.query_width, shape.cache) == (64, 2 * 2 * 32)


def test_the_cache_is_what_generation_keeps(shape: snippet.Shape) -> None:
    output = tiny_model().generate(**prompts(PROMPT), max_new_tokens=1, return_dict_in_generate=True)
    layers = output.past_key_values.layers
    assert sum(layer.keys.numel() + layer.values.numel() for layer in layers) == shape.cache * PROMPT


def test_bytes_limit_a_small_batch_and_operations_a_large_one(shape: snippet.Shape) -> None:
    weights = 2 * (shape.stack + shape.head)
    attention = 4 * shape.layers * shape.query_width * 7
    free = Device(flops=1e30, bandwidth=1.0)
    assert snippet.first_token(shape, free, PROMPT) == weights
    assert snippet.next_token(shape, free, context=0, batch=1) == weights
    assert snippet.next_token(shape, free, context=7, batch=3) == weights + 2 * shape.cache * 7 * 3
    assert snippet.next_token(shape, Device(flops=1.0, bandwidth=1e30), context=7, batch=3) == 3 * (weights + attention)


def test_four_bits_shrink_the_weights_and_not_the_cache(shape: snippet.Shape) -> None:
    free = Device(flops=1e30, bandwidth=1.0)
    wide, narrow = (snippet.next_token(shape, free, 1000, 4, size) for size in (2, 0.5))
    assert wide - narrow == 1.5 * (shape.stack + shape.head)


@pytest.mark.claim(
    "serving#bounds", "transformers/models/deepseek_v3/modeling_deepseek_v3.py::DeepseekV3Attention.forward"
)
def test_latent_attention_caches_one_vector_for_all_heads() -> None:
    ranks = {"q_lora_rank": 32, "kv_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 100}
    config = DeepseekV3Config(**sizes, **ranks, num_attention_heads=4, num_key_value_heads=4, first_k_dense_replace=2)
    shape = snippet.shape_of(config)
    assert shape.query_width == 4 * (24 + 16) / 2  # Scores are of 24 numbers a head, values of 16.
    model = AutoModelForCausalLM.from_config(config)
    cache = model(input_ids=torch.arange(PROMPT)[None], use_cache=True).past_key_values
    assert sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers) == shape.cache * PROMPT


def test_of_a_multimodal_model_the_text_part_counts() -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 2, "vocab_size": 100, "head_dim": 16}
    config = Gemma3Config(text_config=sizes | {"num_attention_heads": 4, "num_key_value_heads": 2})
    assert snippet.shape_of(config) == snippet.shape_of(config.text_config)


def test_prompts_that_arrive_add_their_operations_and_read_the_weights_with_the_batch(shape: snippet.Shape) -> None:
    slow, free = Device(flops=1.0, bandwidth=1e30), Device(flops=1e30, bandwidth=1.0)
    alone, served = (snippet.next_token(shape, slow, 0, 3, 2, *more) for more in ((), (PROMPT, 6)))
    one = snippet.first_token(shape, slow, PROMPT) - 2 * shape.head  # The answer's tokens have the output layer.
    assert served - alone == pytest.approx(3 / 6 * one)
    assert snippet.next_token(shape, free, 0, 3, 2, PROMPT, 6) == snippet.next_token(shape, free, 0, 3)
