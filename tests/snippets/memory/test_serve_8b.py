"""Each step of the case is simulated as it runs, to the byte: quantized weights, prompts in pieces, an FP8 cache."""

from collections import Counter
from pathlib import Path

import pytest
import torch
from _peft import tiny_model
from torch import nn
from transformers import AutoModelForCausalLM, LlamaConfig

from snippets.memory import serve_8b as snippet

from peak import PeakMemory

TINY = LlamaConfig(
    vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2,
)  # fmt: skip
NAMES = [name for name, _, _ in snippet.steps(TINY)]
PROMPTS = {"requests": 3, "length": 48}
CACHE = 2 * 2 * 64 * 3 * (48 + 1)  # Numbers: keys and values of two layers, of two heads of 32, for 49 tokens.


def tiny_step(name: str) -> tuple[nn.Module, dict]:
    """The model of a step, anew, and what the step does, with few requests."""
    model, options = next((model, options) for each, model, options in snippet.steps(TINY, 16) if each == name)
    return model, options | PROMPTS


@pytest.mark.parametrize("name", NAMES)
def test_a_simulated_batch_is_that_of_real_tensors(name: str) -> None:
    model, options = tiny_step(name)
    simulated = snippet.simulate(model, **options)
    model, options = tiny_step(name)
    held = sum(tensor.nbytes for tensor in snippet.stored(snippet.materialize(model)))
    measured = PeakMemory()
    snippet.serve(measured, model, **options)
    assert measured.peak() == simulated
    assert simulated["weights"] == held


@pytest.mark.parametrize("config", [snippet.INT8, snippet.NF4], ids=["8-bit", "4-bit"])
def test_what_is_simulated_is_what_loading_gives(tmp_path: Path, config: snippet.BitsAndBytesConfig) -> None:
    tiny_model(hidden_size=128).save_pretrained(tmp_path)
    loaded = AutoModelForCausalLM.from_pretrained(
        tmp_path, dtype=torch.bfloat16, quantization_config=config, device_map="cpu"
    )
    built = snippet.materialize(snippet.on_meta(loaded.config, config))
    sizes = [Counter((t.dtype, t.numel()) for t in snippet.stored(model)) for model in (loaded, built)]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("name", ["last logits", "4-bit weights"])
def test_a_tied_embedding_is_stored_once(name: str) -> None:
    tied, untied = (LlamaConfig.from_dict(TINY.to_dict() | {"tie_word_embeddings": tie}) for tie in (True, False))
    held = [
        next(snippet.simulate(model, **options | PROMPTS)["weights"]
             for each, model, options in snippet.steps(config) if each == name)
        for config in (tied, untied)
    ]  # fmt: skip
    assert held[1] - held[0] == 2 * TINY.vocab_size * TINY.hidden_size


@pytest.mark.parametrize(("name", "size"), [("prefill in chunks", 2), ("FP8 cache", 1)])
def test_the_cache_is_two_bytes_a_number_and_one_in_fp8(name: str, size: int) -> None:
    model, options = tiny_step(name)
    model, cache = snippet.materialize(model), options.pop("new_cache", snippet.bf16_cache)(TINY)
    snippet.serve(PeakMemory(), model, **options, new_cache=lambda config: cache)
    assert sum(tensor.nbytes for tensor in snippet.cached(cache)) == size * CACHE


def test_the_last_logits_are_all_that_generation_needs() -> None:
    """With all of them the workspace grows by two bytes for every token and word."""
    some = [
        snippet.simulate(snippet.on_meta(LlamaConfig.from_dict(TINY.to_dict() | {"vocab_size": words})),
                         logits_to_keep=0, **PROMPTS)["activations"]
        for words in (9000, 10_000)
    ]  # fmt: skip
    assert some[1] - some[0] == 2 * 3 * 48 * 1000


def test_the_steps_go_from_all_logits_to_a_smaller_cache(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(snippet, "LLAMA_8B", TINY)
    peak = Counter(weights=10**9, activations=2 * 10**9)
    monkeypatch.setattr(snippet, "simulate", lambda model, **options: peak)
    snippet.main()
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert title == "Llama 3.1 8B, 8 requests of 8,192 tokens, GB at the peak"
    assert [row[:18].strip() for row in rows] == NAMES
    assert rows[0].split()[-2:] == ["2.00", "3.00"]
