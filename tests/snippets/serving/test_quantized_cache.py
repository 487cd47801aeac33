"""An FP8 cache takes half the bytes of bf16, also with padding, and changes the logits a little."""

import pytest
import torch
from _serving import prompts, tiny_model
from transformers import QuantizedCache

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
