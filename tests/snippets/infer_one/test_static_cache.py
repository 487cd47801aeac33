"""A static cache gives attention keys of one length, and the tokens that the growing cache gives."""

import pytest
import torch
from _infer_one import device, prompt, tiny_model
from transformers import (
    AutoModelForCausalLM,
    GPTNeoConfig,
    LEDConfig,
    LEDForConditionalGeneration,
)

from snippets.infer_one import static_cache as snippet

NEW_TOKENS = 32


def test_the_tokens_are_those_of_the_growing_cache() -> None:
    tokens = snippet.generate(tiny_model(), prompt())
    assert tokens.shape[1] == prompt()["input_ids"].shape[1] + NEW_TOKENS
    assert snippet.same_tokens(tiny_model(), prompt())


def test_the_keys_have_one_length_with_the_static_cache_alone() -> None:
    start = prompt()["input_ids"].shape[1]
    assert snippet.key_lengths(tiny_model(), None) == set(range(start + 1, start + NEW_TOKENS))
    assert len(snippet.key_lengths(tiny_model(), "static")) == 1


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
@pytest.mark.claim(
    "perf_infer_gpu_one#static-cache",
    "transformers/generation/utils.py::GenerationMixin._valid_auto_compile_criteria",
)
def test_on_a_cpu_nothing_is_compiled() -> None:
    snippet.generate(tiny_model(), prompt())
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 0


@pytest.mark.claim(
    "perf_infer_gpu_one#static-cache", "transformers/models/gpt_neo/modeling_gpt_neo.py::GPTNeoSelfAttention._attn"
)
def test_a_gpt_neo_reads_the_wrong_part_of_a_static_cache() -> None:
    torch.manual_seed(0)
    layers = {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 8}
    special = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    model = AutoModelForCausalLM.from_config(GPTNeoConfig(vocab_size=256, hidden_size=64, **layers, **special))
    model = model.to(device()).eval()
    growing, static = (
        model.generate(
            **prompt(), max_new_tokens=4, do_sample=False, cache_implementation=cache, output_logits=True,
            return_dict_in_generate=True,
        ).logits
        for cache in (None, "static")
    )
    assert not torch.allclose(growing[1], static[1], atol=1e-4)
    assert not model._can_compile_fullgraph
    assert not snippet.same_tokens(model, prompt())


@pytest.mark.claim(
    "perf_infer_gpu_one#static-cache", "transformers/models/led/modeling_led.py::LEDDecoderAttention.forward"
)
def test_a_static_cache_changes_the_logits_of_led_as_well() -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "attention_window": 8}
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "init_std": 0.2}
    widths = {"encoder_ffn_dim": 128, "decoder_ffn_dim": 128}
    lengths = {"max_encoder_position_embeddings": 128, "max_decoder_position_embeddings": 128}
    special = {"eos_token_id": None, "pad_token_id": 0, "decoder_start_token_id": 1}
    led = LEDForConditionalGeneration(LEDConfig(**sizes, **heads, **widths, **lengths, **special)).to(device()).eval()
    options = {"max_new_tokens": 2, "output_logits": True, "return_dict_in_generate": True}
    growing, static = (
        led.generate(**prompt(), **options, cache_implementation=cache).logits[0] for cache in (None, "static")
    )
    assert (static - growing).norm() / growing.norm() > 1e-2
    assert not led._can_compile_fullgraph
