"""The operations per token are those that a step runs, and the largest shape is the one that was reported."""

import pytest
import torch
from _profiling import tiny_model
from torch.utils.flop_counter import FlopCounterMode

from snippets.profiling import mfu as snippet

LENGTH = 32


def test_the_operations_are_those_that_a_step_runs() -> None:
    model = tiny_model()
    model.set_attn_implementation("eager")  # The counter knows no formula for the CPU's fused kernel.
    row = torch.ones(1, LENGTH, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        model(input_ids=row, labels=row).loss.backward()
    layers, width = 2, 64
    masked = 6 * layers * width * LENGTH * LENGTH  # The counter counts what the mask takes away.
    assert counter.get_total_flops() == LENGTH * snippet.flops_per_token(model.config, LENGTH) + masked


def test_without_attention_it_is_six_per_weight() -> None:
    layers = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14_336)
    assert snippet.flops_per_token(snippet.LLAMA_8B, 0) == 6 * (layers + 128_256 * 4096)


def test_mfu_is_a_share_of_the_peak() -> None:
    rate = snippet.H100 / snippet.flops_per_token(snippet.LLAMA_8B, 8192)
    assert snippet.mfu(snippet.LLAMA_8B, 8192, rate / 2, snippet.H100) == pytest.approx(0.5)


def test_the_shape_is_that_of_405b() -> None:
    assert snippet.flops_per_token(snippet.LLAMA_405B, 0) / 6 == pytest.approx(405.85e9 - 128_256 * 16_384, rel=1e-3)
