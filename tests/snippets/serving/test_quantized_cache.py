"""An FP8 cache takes half the bytes of bf16, also with padding, and changes the logits a little."""

import pytest
import torch
from _serving import prompts, tiny_model
from transformers import MistralConfig, MistralForCausalLM, QuantizedCache

from snippets.serving import quantized_cache as snippet


def test_half_the_bytes_of_unequal_prompts() -> None:
    inputs = prompts(31, 8, 17)
    plain = snippet.generate(tiny_model(), inputs, 8)
    quantized = snippet.generate_with_fp8_cache(tiny_model(), inputs, 8)
    assert isinstance(quantized.past_key_values, QuantizedCache)
    assert snippet.cache_bytes(plain) == 2 * snippet.cache_bytes(quantized) == 2 * 2 * 4 * 2 * 16 * 3 * (31 + 7)


def test_the_prompt_is_read_unquantized_and_later_tokens_are_not() -> None:
    inputs = prompts(31)
    plain = snippet.generate(tiny_model(), inputs, 8)
    quantized = snippet.generate_with_fp8_cache(tiny_model(), inputs, 8)
    assert torch.equal(plain.logits[0], quantized.logits[0])
    difference = (plain.logits[1] - quantized.logits[1]).float().norm() / plain.logits[1].float().norm()
    assert 0 < difference < 0.1


@pytest.mark.parametrize("backend", ["hqq", "quanto"])
def test_the_other_backends_need_their_own_package(backend: str) -> None:
    with pytest.raises(ImportError, match="You need to install"):
        tiny_model().generate(
            **prompts(8), max_new_tokens=2, cache_implementation="quantized", cache_config={"backend": backend}
        )


def test_fp8_takes_no_option_of_the_others() -> None:
    with pytest.raises(ValueError, match="fp8"):
        tiny_model().generate(
            **prompts(8), max_new_tokens=2, cache_implementation="quantized",
            cache_config={"backend": "fp8", "nbits": 8},
        )


@pytest.mark.parametrize("drafts", ["prompt_lookup_num_tokens", "assistant_early_exit", "assistant_model"])
@pytest.mark.claim("serving#speculative", "transformers/cache_utils.py::BaseQuantizedLayer")
def test_a_quantized_cache_takes_no_drafts(drafts: str) -> None:
    option = {drafts: tiny_model() if drafts == "assistant_model" else 2}
    with pytest.raises((IndexError, ValueError), match=r"too many indices|Passing both `cache_implementation`"):
        tiny_model().generate(
            **prompts(16), **option, max_new_tokens=48, do_sample=False, cache_implementation="quantized",
            cache_config={"backend": "fp8"},
        )


@pytest.mark.claim("serving#cache", "transformers/cache_utils.py::QuantizedCache.__init__")
def test_a_sliding_window_is_an_error() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = MistralForCausalLM(MistralConfig(vocab_size=256, num_key_value_heads=2, sliding_window=16, **sizes))
    with pytest.raises(ValueError, match="only full attention layers"):
        snippet.generate_with_fp8_cache(model.eval(), prompts(8), 2)
