"""In fp32 a model with grouped key-value heads stores the attention matrices where only the math kernel is left."""

import pytest
import torch
import torch.nn.functional as F
from transformers import LlamaConfig, LlamaForCausalLM

from snippets.memory import attention_kernels as snippet

pytestmark = pytest.mark.needs(device="cpu")

HEADS, LAYERS = 8, 2


def grouped() -> LlamaForCausalLM:
    sizes = {"vocab_size": 64, "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": LAYERS}
    return LlamaForCausalLM(LlamaConfig(**sizes, num_attention_heads=HEADS, num_key_value_heads=2))


def test_the_math_kernel_grows_with_the_square_of_the_length() -> None:
    """A matrix for each layer and head is kept, and two more exist in the backward pass of one layer."""
    fused, math = snippet.by_kernel(grouped, rows=2, length=1024).values()
    matrix = 4 * 2 * HEADS * 1024 * 1024
    assert math.total() - fused.total() == pytest.approx((LAYERS + 2) * matrix, rel=0.1)


@pytest.mark.claim("will_it_fit#formulas", "transformers/integrations/sdpa_attention.py::use_gqa_in_sdpa",
                   "torch/nn/functional.py#L6447-L6448")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_keys_and_values_are_repeated_for_a_padding_mask_alone(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the type, without padding attention gets grouped heads, which two kernels of a GPU take."""
    seen: list[tuple[bool, int]] = []
    attention = F.scaled_dot_product_attention

    def watched(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **options: object) -> torch.Tensor:
        seen.append((bool(options.get("enable_gqa")), key.shape[1]))
        return attention(query, key, value, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", watched)
    model, tokens = grouped().to(dtype), torch.ones(2, 6, dtype=torch.long)
    padding = tokens.clone()
    padding[0, 0] = 0
    for mask in (tokens, padding):
        model(tokens, attention_mask=mask)
    assert seen == [(True, 2)] * LAYERS + [(False, HEADS)] * LAYERS
