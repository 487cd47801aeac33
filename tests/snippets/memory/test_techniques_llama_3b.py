"""The table is that of Llama 3.2 3B: its parameters, its grouped heads, sequences of 512 tokens."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import bitsandbytes as bnb
import pytest
from torch import bfloat16, float32
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from snippets.memory import techniques_llama_3b as snippet

import techniques
from peak import simulate

pytestmark = pytest.mark.needs(device="cpu")

TITLE = "llama-3.2-3b, 8 rows of 512 tokens, GB at the peak of a step"


def small_llama(vocabulary: int = 32_000) -> PreTrainedModel:
    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=vocabulary, num_hidden_layers=2, **sizes))


def test_the_parameters_are_those_of_the_model_card() -> None:
    with FakeTensorMode():
        model = snippet.llama_3b()
    assert sum(parameter.numel() for parameter in model.parameters()) == 3_212_749_824
    assert model.config.num_attention_heads == 3 * model.config.num_key_value_heads
    assert model.config.use_cache


def test_the_activations_are_those_of_512_tokens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_technique(build: Callable[[], PreTrainedModel], **batch: int) -> dict[str, Counter[str]]:
        return {"AdamW in fp32": simulate(build, **batch).peak()}

    monkeypatch.setattr(snippet, "llama_3b", small_llama)
    monkeypatch.setattr(techniques, "techniques", one_technique)
    snippet.main()
    title, _, row = capsys.readouterr().out.splitlines()
    assert title == TITLE
    expected = simulate(small_llama, rows=8, length=512).peak()["activations"] / 1e9
    assert row.split()[-2] == f"{expected:.2f}"


def test_bf16_saves_where_the_activations_are_more_than_the_copies_of_the_weights() -> None:
    """Few tokens: the copies take what the activations gave. Many: they do not."""
    few, many = (bf16_over_fp32(length) for length in (8, 256))
    assert few >= 1
    assert many < 0.9


def test_with_checkpointing_the_peak_is_two_more_gradients_of_the_tied_embedding() -> None:
    """It is at the end of the backward pass; the logits are gone by then."""
    peak = simulate(techniques.checkpointed(snippet.llama_3b), length=512).peak()
    assert peak["gradients"] == peak["weights"]
    assert peak["activations"] == pytest.approx(2 * 4 * 128_256 * 3072, rel=1e-3)


def test_with_checkpointing_and_8_bit_adamw_bf16_does_not_change_the_peak() -> None:
    """It is at the end of the backward pass, where the copies in bf16 are gone."""
    step = {"build": techniques.checkpointed(snippet.llama_3b), "optimizer_for": bnb.optim.AdamW8bit}
    fp32, bf16 = (simulate(**step, length=512, precision=dtype) for dtype in (float32, bfloat16))
    assert bf16.peak().total() == fp32.peak().total()


def bf16_over_fp32(length: int) -> float:
    """The peak with bf16 autocast as a share of that in fp32, with few words: the loss is computed in fp32."""
    build = partial(small_llama, vocabulary=500)
    plain, bf16 = (simulate(build, length=length, precision=dtype).peak().total() for dtype in (float32, bfloat16))
    return bf16 / plain
