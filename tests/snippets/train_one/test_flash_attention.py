"""Without the package transformers refuses FlashAttention by name; with it and a GPU it gives SDPA's logits."""

from importlib.util import find_spec

import pytest
import torch
from transformers.integrations import flash_attention
from transformers.modeling_flash_attention_utils import fa_peft_integration_check
from transformers.utils import is_flash_attn_2_available

from snippets.train_one import flash_attention as snippet

from _tiny import tiny_batch, tiny_checkpoint, tiny_model


@pytest.mark.skipif(find_spec("flash_attn") is not None, reason="shows what happens without the package flash-attn")
@pytest.mark.parametrize("generation", [2, 3, 4])
def test_without_the_package_a_model_is_refused(generation: int) -> None:
    assert f"the package for FlashAttention{generation} doesn't seem to be installed" in snippet.missing(
        tiny_model().config, f"flash_attention_{generation}"
    )


@pytest.mark.skipif(find_spec("flash_attn") is not None, reason="shows what happens without the package flash-attn")
def test_without_the_package_loading_says_so() -> None:
    with tiny_checkpoint() as checkpoint, pytest.raises(ImportError, match="FlashAttention2"):
        snippet.load(checkpoint)


@pytest.mark.skipif(find_spec("kernels") is not None, reason="shows what happens without the package kernels")
def test_without_the_package_kernels_the_hubs_kernel_is_refused() -> None:
    assert "`kernels` is either not installed" in snippet.missing(tiny_model().config, "kernels-community/flash-attn2")


def test_what_needs_no_package_is_not_refused() -> None:
    assert snippet.missing(tiny_model().config, "sdpa") == ""


@pytest.mark.claim(
    "train_speed#flash-attention",
    "transformers/modeling_flash_attention_utils.py::fa_peft_integration_check",
)
def test_under_autocast_the_kernel_gets_bf16_from_weights_in_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stub in the kernel's place: what transformers hands over by then."""
    received = []

    def kernel(query, key, value, mask, target_dtype=None, **kwargs):
        received.extend(fa_peft_integration_check(query, key, value, target_dtype))
        return torch.zeros_like(query)

    monkeypatch.setattr(flash_attention, "_flash_attention_forward", kernel)
    model = tiny_model()
    model.config._attn_implementation = "flash_attention_2"
    tokens = tiny_batch()["input_ids"]
    with torch.autocast(tokens.device.type, torch.bfloat16):
        model(tokens)
    assert {tensor.dtype for tensor in received} == {torch.bfloat16}


@pytest.mark.skipif(not is_flash_attn_2_available(), reason="needs the package flash-attn and a GPU that it runs on")
def test_with_it_the_logits_are_those_of_sdpa() -> None:
    tokens = tiny_batch()["input_ids"]
    with tiny_checkpoint() as checkpoint, torch.autocast("cuda", torch.bfloat16):
        flash = snippet.load(checkpoint).cuda()
        logits = flash(tokens).logits
        flash.set_attn_implementation("sdpa")
        torch.testing.assert_close(logits, flash(tokens).logits, rtol=0.05, atol=0.02)
