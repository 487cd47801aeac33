"""SDPA gives the logits of eager attention, and its memory grows with the length, not with its square."""

import torch
from _infer_cpu import tiny_model, tokens

from snippets.infer_cpu import sdpa as snippet


def test_the_logits_are_those_of_eager_attention() -> None:
    config = tiny_model().config
    logits = {name: snippet.infer(snippet.load(config, name), tokens()) for name in ("sdpa", "eager")}
    assert (logits["sdpa"] - logits["eager"]).abs().max() < 1e-5
    assert logits["sdpa"].is_inference()


def test_sdpa_is_the_default() -> None:
    assert tiny_model().config._attn_implementation == "sdpa"


def test_eager_attention_makes_the_matrix_of_scores_and_sdpa_does_not() -> None:
    heads, length, fp32 = 4, 512, 4
    assert snippet.largest_tensor("eager", length) == heads * length * length * fp32
    assert snippet.largest_tensor("sdpa", length) < snippet.largest_tensor("eager", length) / 8
    assert snippet.largest_tensor("sdpa", 2 * length) == 2 * snippet.largest_tensor("sdpa", length)


def test_inference_mode_keeps_nothing_for_a_backward_pass() -> None:
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        snippet.infer(tiny_model(), tokens())
    assert kept == []
