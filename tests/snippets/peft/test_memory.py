"""The counts on the meta device are those of real layers, and the bytes are those of what is really stored."""

from pathlib import Path

import pytest
import torch
from _peft import device, tiny_model
from peft import LoraConfig, get_peft_model
from transformers import Gemma3Config, Gemma3ForConditionalGeneration

from snippets.peft import memory as snippet
from snippets.peft import qlora


def test_the_shape_is_counted_without_memory() -> None:
    model = snippet.shape(snippet.LLAMA_8B)
    assert {p.device.type for p in model.parameters()} == {"meta"}
    assert sum(p.numel() for p in model.parameters()) == 8_030_261_248
    held = sum(p.nbytes for p in model.parameters())
    assert held == snippet.frozen_bytes(snippet.LLAMA_8B, quantized=False)


def test_the_rank_scales_what_is_trained() -> None:
    hidden, keys, middle, layers = 4096, 1024, 14_336, 32
    shapes = [(hidden, hidden)] * 2 + [(hidden, keys)] * 2 + [(hidden, middle)] * 3
    expected = layers * sum(16 * (inputs + outputs) for inputs, outputs in shapes)
    assert snippet.trained_parameters(snippet.LLAMA_8B, r=16) == expected
    assert snippet.trained_parameters(snippet.LLAMA_8B, r=64) == 4 * expected


def test_dora_adds_one_number_per_row() -> None:
    rows = 32 * (2 * 4096 + 2 * 1024 + 2 * 14_336 + 4096)
    dora = snippet.trained_parameters(snippet.LLAMA_8B, r=16, use_dora=True)
    assert dora - snippet.trained_parameters(snippet.LLAMA_8B, r=16) == rows


def test_the_bits_of_nf4_are_what_a_quantized_layer_stores(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path)
    model = qlora.load_for_qlora(str(tmp_path), device().type)
    assert qlora.weight_bits(model) == pytest.approx(8 * snippet.NF4, rel=0.01)


def test_the_frozen_bytes_are_those_of_both_kinds_of_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippet, "shape", lambda config: tiny_model(torch.bfloat16))
    assert snippet.frozen_bytes(snippet.LLAMA_8B, quantized=False) == sum(p.nbytes for p in tiny_model().parameters())
    linear = 4 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128)
    rest = sum(p.numel() for p in tiny_model().parameters()) - linear
    assert snippet.frozen_bytes(snippet.LLAMA_8B, quantized=True) == pytest.approx(snippet.NF4 * linear + 4 * rest)


def test_the_vision_tower_of_a_multimodal_model_counts_too() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = Gemma3Config(
        text_config=sizes | {"vocab_size": 64, "num_key_value_heads": 1, "head_dim": 16},
        vision_config=sizes | {"image_size": 28, "patch_size": 14, "vision_use_head": False},
    )
    model = Gemma3ForConditionalGeneration(config).bfloat16()
    assert snippet.frozen_bytes(config, quantized=False) == sum(p.nbytes for p in model.parameters())
    vision = 2 * (4 * 32 * 32 + 2 * 32 * 64)
    text = 2 * (2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 64)
    rest = sum(p.numel() for p in model.parameters()) - vision - text
    assert snippet.frozen_bytes(config, quantized=True) == pytest.approx(snippet.NF4 * (vision + text) + 4 * rest)
    adapted = get_peft_model(model, LoraConfig(r=4, target_modules="all-linear"))
    assert snippet.trained_parameters(config, r=4) == adapted.get_nb_trainable_parameters()[0]
