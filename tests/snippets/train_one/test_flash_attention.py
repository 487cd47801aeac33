"""Without the package transformers refuses FlashAttention by name; with it and a GPU it gives SDPA's logits."""

from importlib.util import find_spec

import pytest
import torch
from transformers.utils import is_flash_attn_2_available

from snippets.train_one import flash_attention as snippet

from _tiny import tiny_batch, tiny_model


@pytest.mark.skipif(find_spec("flash_attn") is not None, reason="shows what happens without the package flash-attn")
@pytest.mark.parametrize("generation", [2, 3, 4])
def test_without_the_package_a_model_is_refused(generation: int) -> None:
    assert f"the package for FlashAttention{generation} doesn't seem to be installed" in snippet.missing(
        tiny_model().config, f"flash_attention_{generation}"
    )


@pytest.mark.skipif(find_spec("kernels") is not None, reason="shows what happens without the package kernels")
def test_without_the_package_kernels_the_hubs_kernel_is_refused() -> None:
    assert "`kernels` is either not installed" in snippet.missing(tiny_model().config, "kernels-community/flash-attn2")


def test_what_needs_no_package_is_not_refused() -> None:
    assert snippet.missing(tiny_model().config, "sdpa") == ""
    assert snippet.load(tiny_model().config, "sdpa").dtype == torch.bfloat16


@pytest.mark.skipif(not is_flash_attn_2_available(), reason="needs the package flash-attn and a GPU that it runs on")
def test_with_it_the_logits_are_those_of_sdpa() -> None:
    config, tokens = tiny_model().config, tiny_batch()["input_ids"]
    logits = {}
    for name in ("flash_attention_2", "sdpa"):
        torch.manual_seed(0)
        logits[name] = snippet.load(config, name).cuda()(tokens).logits
    torch.testing.assert_close(logits["flash_attention_2"], logits["sdpa"], rtol=0.05, atol=0.02)
