"""The works of a layer are those of a real one, and the weights of a mixture of experts those of its model."""

import pytest
import torch
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM, LlamaForCausalLM

from snippets.roofline import law
from snippets.roofline import layer as snippet


def test_the_shapes_are_those_of_the_model() -> None:
    with torch.device("meta"):
        layer = LlamaForCausalLM(snippet.LLAMA_8B).model.layers[0]
    shapes = {name.split(".")[-2].removesuffix("_proj"): tuple(weight.shape)[::-1]
              for name, weight in layer.named_parameters() if weight.dim() == 2}
    assert snippet.matrices(snippet.LLAMA_8B) == shapes


def test_the_weights_of_the_layers_are_those_of_the_law() -> None:
    config = snippet.LLAMA_8B
    layer = sum(inner * columns for inner, columns in snippet.matrices(config).values())
    head = config.hidden_size * config.vocab_size
    assert config.num_hidden_layers * layer + head == law.used_weights(config)


@pytest.mark.parametrize("tokens", [16, 1024])
def test_the_products_of_the_backward_pass_are_as_intense_as_that_of_the_forward_pass(tokens: int) -> None:
    inner, columns = snippet.matrices(snippet.LLAMA_8B)["up"]
    forward = law.product(tokens, inner, columns)
    assert law.product(tokens, columns, inner) == law.product(inner, tokens, columns) == forward


def test_attention_in_one_kernel_has_the_operations_and_bytes_of_the_exercise() -> None:
    """In a layer 2·T²·h operations, 4·T·h bytes of queries and outputs, a quarter of that of keys and values."""
    work = snippet.fused_attention(snippet.LLAMA_8B, 1000)
    assert work.flops == 32 * 2 * 1000**2 * 4096
    assert work.bytes == 32 * 1.25 * 4 * 1000 * 4096


def test_decoding_alone_is_bound_by_memory_and_the_rest_by_compute_but_for_norms_and_activations() -> None:
    bound = {
        stage: {name for name, work in snippet.works(snippet.LLAMA_8B, *sizes).items()
                if law.intensity(work) < law.ridge(law.H100)}
        for stage, sizes in snippet.STAGES.items()
    }
    assert bound["training"] == bound["prefill"] == {"norm", "SwiGLU"}
    assert bound["decoding"] == {*snippet.matrices(snippet.LLAMA_8B), "attention", "norm", "SwiGLU"}


def test_the_weights_of_experts_are_those_of_the_model() -> None:
    config = DeepseekV3Config(
        vocab_size=96, hidden_size=32, intermediate_size=80, moe_intermediate_size=24, num_hidden_layers=4,
        num_attention_heads=2, num_key_value_heads=2, n_routed_experts=8, num_experts_per_tok=2, n_group=2,
        topk_group=1, q_lora_rank=12, kv_lora_rank=8, qk_rope_head_dim=4, qk_nope_head_dim=6, v_head_dim=5,
    )  # fmt: skip
    with torch.device("meta"):
        model = DeepseekV3ForCausalLM(config)
    weights = {name: weight for name, weight in model.named_parameters() if weight.dim() > 1 and "embed" not in name}
    whole = sum(weight.numel() for weight in weights.values())
    idle = sum(weight.numel() * 6 // 8 for weight in weights.values() if weight.dim() == 3)
    assert snippet.expert_weights(config) == (whole, whole - idle)
