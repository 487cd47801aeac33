"""Estimates of random mixtures of experts are within 3 % of the simulation."""

import pytest

from benchmarks.random_decoders import draw_mixtures
from snippets.memory import compare_experts as snippet
from snippets.memory.compare import relative_error
from snippets.memory.estimate_experts import Mixture, inference_of_mixture, training_of_mixture


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    errors = {}
    for shape, step in draw_mixtures(10, 1, ("mixtral", "qwen3_moe"), layers=4):
        mixture = Mixture(**shape)
        _, estimated = training_of_mixture(mixture, **step)
        simulated = snippet.simulated_mixture_training(mixture, **step)
        errors[mixture, *step.items()] = relative_error(estimated, simulated)
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


LATENT = Mixture(1000, 512, 1024, 2, 16, 16, 96, 8, 2, 256, shared=256, q_rank=128, kv_rank=128, rope_size=32,
                 value_size=64)
SINKS = Mixture(1000, 512, 0, 2, 16, 4, 64, 8, 2, 256, biases=True)


@pytest.mark.parametrize(("shape", "precision", "checkpointing"), [
    (LATENT, "bf16", True), (LATENT, "mixed", False), (LATENT, "fp32", True), (SINKS, "bf16", True),
    (SINKS, "fp32", True),
])
def test_training_with_other_attention_is_estimated_where_it_needs_most(
    shape: Mixture, precision: str, checkpointing: bool
) -> None:
    """Few words and long sequences: the peak is in a layer, not in the logits."""
    step = (shape, 2, 1024, precision, checkpointing)
    _, estimated = training_of_mixture(*step)
    simulated = snippet.simulated_mixture_training(*step[:4], checkpointing=checkpointing)
    assert abs(relative_error(estimated, simulated)) < 0.03


def test_real_shapes_are_served_within_three_percent() -> None:
    for name, shape in snippet.SERVED.items():
        estimated = inference_of_mixture(shape, 2, 256, flash=not shape.biases)
        error = relative_error(estimated, snippet.simulated_mixture_inference(shape, 2, 256))
        assert abs(error) < 0.03, name
