"""The estimate of T5 is within 3 % of the simulation, whose attention is that of a GPU; its config makes its model."""

import dataclasses

import pytest
import torch
import torch.nn.functional as F

from benchmarks.random_decoders import draw_encoder_decoders
from snippets.memory import compare_t5 as snippet
from snippets.memory.compare import relative_error
from snippets.memory.estimate_t5 import EncoderDecoder, inference_of_t5, training_of_t5

pytestmark = pytest.mark.needs(device="cpu")

SMALL = EncoderDecoder(1000, 64, 160, 2, 3, 4, 32)


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    errors = {}
    for sizes, step in draw_encoder_decoders(14, seed=17, layers=3):
        shape = EncoderDecoder(**sizes)
        _, estimated = training_of_t5(shape, **step)
        errors[shape, *step.items()] = relative_error(estimated, snippet.simulated_t5_training(shape, **step))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


def test_inference_is_estimated_within_three_percent() -> None:
    errors = {}
    for sizes, step in draw_encoder_decoders(10, seed=18, layers=4):
        case = EncoderDecoder(**sizes), step["batch"], step["length"]
        errors[case] = relative_error(inference_of_t5(*case)[1], snippet.simulated_t5_inference(*case))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


@pytest.mark.parametrize("tied", [False, True])
def test_the_weights_and_state_are_those_of_the_simulation(tied: bool) -> None:
    shape = dataclasses.replace(SMALL, tied=tied, gated=not tied)
    step = {"accumulation": True, "optimizer": "adamw"}
    estimated, simulated = training_of_t5(shape, 1, 16, **step)[1], snippet.simulated_t5_training(shape, 1, 16, **step)
    for kind in ("weights", "gradients", "optimizer"):
        assert estimated[kind] == simulated[kind]


def test_the_cache_holds_the_text_and_the_answer() -> None:
    simulated, (instant, held) = snippet.simulated_t5_inference(SMALL, 8, 64), inference_of_t5(SMALL, 8, 64)
    assert instant == "last token"
    assert held["cache"] == 2 * 2 * 3 * 4 * 32 * 8 * 64 * 2
    assert sum(held.values()) == pytest.approx(sum(simulated.values()), rel=0.03)


def test_the_kernel_of_a_gpu_takes_a_bias_that_is_trained() -> None:
    """On a CPU `scaled_dot_product_attention` stores matrices for it; the bias has its gradient for every sequence."""
    with snippet.FakeTensorMode():
        query = torch.zeros(2, 4, 16, 8, requires_grad=True)
        bias = torch.zeros(1, 4, 16, 16, requires_grad=True)
        memories = []
        for attention in (snippet.attention_of_a_gpu, F.scaled_dot_product_attention):
            with snippet.PeakMemory() as memory:
                attention(query, query, query, attn_mask=bias).sum().backward()
            memories.append(memory)
    made = [size for _, size in memories[0].timeline]
    assert 2 * 4 * 16 * 16 * 4 in made and bias.grad is not None
    assert memories[0].peak().total() < memories[1].peak().total()
