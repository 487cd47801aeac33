"""The table is that of a T5: its weights and its optimizer's state are those of the model."""

from collections import Counter
from collections.abc import Callable

import pytest
from transformers import PreTrainedModel, T5Config, T5ForConditionalGeneration

from snippets.memory import techniques_t5_3b as snippet

import techniques
from peak import simulate

pytestmark = pytest.mark.needs(device="cpu")


def small_t5() -> PreTrainedModel:
    sizes = {"d_model": 256, "d_kv": 64, "d_ff": 512, "num_layers": 1, "num_heads": 4}
    return T5ForConditionalGeneration(T5Config(vocab_size=12_000, decoder_start_token_id=0, **sizes))


def one_technique(build: Callable[[], PreTrainedModel], **batch: int) -> dict[str, Counter[str]]:
    """Its simulation; that of the others is tested with test_techniques.py."""
    return {"AdamW in fp32": simulate(build, **batch).peak()}


def test_the_weights_are_the_models(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(snippet, "t5_3b", small_t5)
    monkeypatch.setattr(techniques, "techniques", one_technique)
    snippet.main()
    title, _, row = capsys.readouterr().out.splitlines()
    weights = 4 * sum(parameter.numel() for parameter in small_t5().parameters()) / 1e9
    assert title.startswith("t5-3b, 8 rows of 128 tokens")
    *_, held, _, optimizer, activations, total = row.split()
    assert held == f"{weights:.2f}" == "0.02"
    assert optimizer == f"{2 * weights:.2f}"
    assert float(total) >= float(held) + float(optimizer) + float(activations) - 0.02
