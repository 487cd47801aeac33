"""Mixtures of experts: their parameters are those of the model, and each size changes what it should."""

import dataclasses

import pytest
import torch

from snippets.memory import compare_experts
from snippets.memory import estimate_experts as snippet
from snippets.memory.estimate_experts import MIXTURES, Mixture

SMALL = Mixture(1000, 64, 160, 3, 4, 2, 16, 8, 2, 32)


@pytest.mark.parametrize("shape", [
    *MIXTURES.values(), SMALL, dataclasses.replace(SMALL, qk_norm=True, dense=1, tied=True),
    dataclasses.replace(SMALL, kv_heads=4, kv_rank=16, rope_size=8, value_size=24, shared=64, dense=1),
])
def test_the_parameters_are_those_of_the_model(shape: Mixture) -> None:
    with torch.device("meta"):
        model = compare_experts.mixture(shape, torch.float32)
    assert snippet.parameters_of_mixture(shape) == sum(each.numel() for each in model.parameters())


def test_a_token_uses_the_active_experts_alone() -> None:
    """Published as 12.9 of 46.7, 3.3 of 30.5 and 37 of 671 billion, the first two with the embedding."""
    used = {name: snippet.active_parameters(MIXTURES[name]) + (0 if name == "DeepSeek V3" else MIXTURES[name].vocabulary
            * MIXTURES[name].hidden) for name in ("Mixtral 8x7B", "Qwen3 30B-A3B", "DeepSeek V3")}
    assert [round(each / 1e9, 1) for each in used.values()] == [12.9, 3.4, 36.6]


def test_more_experts_need_weights_and_no_activations() -> None:
    shapes = (dataclasses.replace(SMALL, vocabulary=50_000, experts=number) for number in (8, 16))
    few, many = (snippet.training_of_mixture(shape, 8, 512, "bf16") for shape in shapes)
    assert few[0] == many[0] == "loss"
    assert many[1]["weights"] - few[1]["weights"] == 2 * 3 * 8 * (3 * 64 * 32 + 64)
    router = 4 * 8 * 3 * 8 * 512  # the probabilities that are kept
    assert many[1]["activations"] - few[1]["activations"] == router


def test_accumulation_keeps_all_gradients() -> None:
    gradients = [snippet.training_of_mixture(SMALL, 64, 512, "bf16", accumulation=each)[1]["gradients"]
                 for each in (False, True)]
    assert gradients[0] < gradients[1] == 2 * snippet.parameters_of_mixture(SMALL)


def test_more_ranks_than_experts_hold_padding() -> None:
    """A tensor is split along its first dimension, so each of 16 ranks has memory for one of 8 experts."""
    held = [snippet.training_of_mixture(dataclasses.replace(SMALL, experts=number), 1, 16, ranks=16)[1]
            for number in (8, 16)]
    assert held[0]["weights"] == held[1]["weights"] == 4 * snippet.parameters_of_mixture(
        dataclasses.replace(SMALL, experts=16)) / 16


def test_adapters_leave_the_experts_alone() -> None:
    few, many = (snippet.training_of_adapted_mixture(dataclasses.replace(SMALL, experts=number), 1, 16, rank=4)[1]
                 for number in (8, 16))
    assert few["optimizer"] == many["optimizer"] == 8 * 3 * 4 * (4 * 64 + 2 * 64 + 2 * 32)
    assert many["weights"] - few["weights"] == 2 * 3 * 8 * (3 * 64 * 32 + 64)


def test_compressed_keys_and_values_are_cached_once_for_all_heads() -> None:
    shape = MIXTURES["DeepSeek V3"]
    held = snippet.inference_of_mixture(shape, 1, 1024)
    assert held["cache"] == 61 * (512 + 64) * 1024 * 2
    assert snippet.split_mixture(held, shape, 8)["cache"] == held["cache"]
    assert snippet.split_mixture(held, MIXTURES["Mixtral 8x7B"], 8)["cache"] == held["cache"] / 8


def test_four_bits_leave_the_router_as_it_is() -> None:
    held = [snippet.inference_of_mixture(SMALL, 1, 16, bits)["weights"] for bits in (16, 4)]
    plain = 2 * (snippet.numbers(SMALL.tables()) + 64 + 3 * (2 * 64 + 8 * 64))
    assert (held[1] - plain) / (held[0] - plain) == pytest.approx((1 / 2 + 4 / 64) / 2)
