"""Each step of the case is simulated as it runs, to the byte: with LoRA, in 4 bits, with packed samples."""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import qlora
import torch
from _peft import tiny_model
from torch import nn
from transformers import LlamaConfig

from snippets.memory import finetune_8b as snippet

from peak import PeakMemory

SHORT = (48, 20, 12, 5)
TINY = LlamaConfig(
    vocab_size=1000, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2,
)  # fmt: skip
NAMES = [name for name, _, _ in snippet.steps(TINY)]


def tiny_step(name: str) -> tuple[nn.Module, dict]:
    """The model of a step, anew, and what the step does, on a short batch."""
    model, step = next((model, step) for each, model, step in snippet.steps(TINY) if each == name)
    return model, step | {"batch": partial(step.get("batch", snippet.padded), lengths=SHORT)}


@pytest.mark.parametrize("name", NAMES)
def test_a_simulated_step_is_that_of_real_tensors(name: str) -> None:
    model, step = tiny_step(name)
    simulated = snippet.simulate(model, **step)
    model, step = tiny_step(name)
    measured = PeakMemory()
    snippet.training_step(measured, lambda: snippet.materialize(model), **step)
    assert measured.peak() == simulated


@pytest.mark.parametrize(("name", "size"), [("AdamW in fp32", 4), ("LoRA", 2), ("QLoRA", 4)])
def test_a_tied_embedding_is_stored_once(name: str, size: int) -> None:
    """Neither its state: only full training has one."""
    peaks = []
    for tied in (True, False):
        config = LlamaConfig.from_dict(TINY.to_dict() | {"tie_word_embeddings": tied})
        model, step = next((model, step) for each, model, step in snippet.steps(config) if each == name)
        peaks.append(snippet.simulate(model, **step | {"batch": partial(snippet.padded, lengths=SHORT)}))
    table = size * TINY.vocab_size * TINY.hidden_size
    assert peaks[1]["weights"] - peaks[0]["weights"] == table
    assert peaks[1]["optimizer"] - peaks[0]["optimizer"] == (2 * table if name == "AdamW in fp32" else 0)


def test_what_is_simulated_in_4_bits_is_what_loading_gives(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path)
    loaded = qlora.load_for_qlora(str(tmp_path), "cpu")
    built = snippet.materialize(snippet.qlora(loaded.config))
    sizes = [
        Counter((name, p.dtype, tuple(p.shape), p.requires_grad) for name, p in model.named_parameters())
        for model in (loaded, built)
    ]
    assert sizes[0] == sizes[1]
    scales = [
        Counter(
            (name, tensor.dtype, tuple(tensor.shape))
            for layer in model.modules() if hasattr(getattr(layer, "weight", None), "quant_state")
            for name, tensor in layer.weight.quant_state.as_dict().items() if torch.is_tensor(tensor)
        )
        for model in (loaded, built)
    ]
    assert scales[0] == scales[1] != Counter()


def test_the_steps_go_from_all_weights_to_packed_samples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(snippet, "LLAMA_8B", TINY)
    peak = Counter(weights=10**9, activations=2 * 10**9)
    monkeypatch.setattr(snippet, "simulate", lambda model, **step: peak)
    snippet.main()
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert title == "Llama 3.1 8B, 8 samples, 3,644 tokens packed, 8,192 padded, GB at the peak of a step"
    assert [row[:18].strip() for row in rows] == NAMES
    assert rows[0].split()[-2:] == ["2.00", "3.00"]


def test_at_the_peak_the_loss_holds_three_tensors_of_the_logits_in_fp32() -> None:
    """What it keeps, its gradient and that of the logits: 12 bytes for every token and word."""
    few, many = (
        snippet.simulate(snippet.lora(LlamaConfig.from_dict(TINY.to_dict() | {"vocab_size": words})))["activations"]
        for words in (5000, 6000)
    )
    tokens = len(snippet.LENGTHS) * max(snippet.LENGTHS)
    assert many - few == pytest.approx(12 * tokens * 1000, rel=0.02)
