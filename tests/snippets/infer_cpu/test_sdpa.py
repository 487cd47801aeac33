"""SDPA gives the logits of eager attention, and its memory grows with the length, not with its square."""

from pathlib import Path

import pytest
import torch
from _infer_cpu import tiny_model, tokens
from transformers import AutoModelForCausalLM

from snippets.infer_cpu import sdpa as snippet


def test_the_logits_are_those_of_eager_attention(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path)
    logits = {name: snippet.infer(snippet.load(str(tmp_path), name), tokens()) for name in ("sdpa", "eager")}
    assert (logits["sdpa"] - logits["eager"]).abs().max() < 1e-5
    assert logits["sdpa"].is_inference()


def test_sdpa_is_the_default() -> None:
    assert tiny_model().config._attn_implementation == "sdpa"


def test_eager_attention_makes_the_matrix_of_scores_and_sdpa_does_not() -> None:
    heads, length, fp32 = 8, 512, 4
    assert snippet.largest_tensor("eager", length) == heads * length * length * fp32
    assert snippet.largest_tensor("sdpa", length) < snippet.largest_tensor("eager", length) / 8
    assert snippet.largest_tensor("sdpa", 2 * length) == 2 * snippet.largest_tensor("sdpa", length)


def test_inference_mode_keeps_nothing_for_a_backward_pass() -> None:
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        snippet.infer(tiny_model(), tokens())
    assert kept == []


@pytest.mark.claim(
    "perf_infer_cpu#bf16",
    "transformers/modeling_utils.py::PreTrainedModel.from_pretrained",
)
def test_a_checkpoint_in_bf16_is_loaded_in_bf16_unless_a_type_is_given(tmp_path: Path) -> None:
    tiny_model().bfloat16().save_pretrained(tmp_path)
    assert AutoModelForCausalLM.from_pretrained(tmp_path).dtype == torch.bfloat16
    assert snippet.load(str(tmp_path)).dtype == torch.float32
