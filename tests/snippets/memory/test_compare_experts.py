"""Estimates of random mixtures of experts are within 3 % of the simulation."""

import random
from functools import partial

import pytest
from peft import LoraConfig

from benchmarks.random_decoders import draw_mixtures, draw_sharded_mixtures
from snippets.memory import compare
from snippets.memory import compare_experts as snippet
from snippets.memory.compare import relative_error
from snippets.memory.estimate_experts import (
    Mixture,
    inference_of_mixture,
    training_of_adapted_mixture,
    training_of_mixture,
)


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    errors = {}
    for shape, step in draw_mixtures(10, 1, ("mixtral", "qwen3_moe"), layers=4):
        mixture = Mixture(**shape)
        _, estimated = training_of_mixture(mixture, **step)
        simulated = snippet.simulated_mixture_training(mixture, **step)
        errors[mixture, *step.items()] = relative_error(estimated, simulated)
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


def test_a_rank_of_fsdp_is_estimated_within_three_percent() -> None:
    """Among the ranks are more than the experts that are split between them."""
    for shape, step in draw_sharded_mixtures(8, 3):
        mixture = Mixture(**shape)
        _, estimated = training_of_mixture(mixture, **step)
        error = relative_error(estimated, snippet.simulated_mixture_fsdp(mixture, **step))
        assert abs(error) < 0.03, (mixture, step)


@compare.nothing_packed()
def test_adapters_of_the_attention_are_estimated_within_three_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    """`all-linear` would adapt the experts of Mixtral as well, each as a matrix of its own."""
    projections = [f"{each}_proj" for each in "qkvo"]
    monkeypatch.setattr(compare, "LoraConfig", lambda **given: LoraConfig(**given | {"target_modules": projections}))
    chance = random.Random(3)
    for shape, step in draw_mixtures(10, 3, ("mixtral", "qwen3_moe"), layers=4):
        del step["precision"]
        step["rank"], mixture = chance.choice([4, 8, 16, 64]), Mixture(**shape)
        with snippet.attention_of(mixture, "bf16"):
            simulated = compare.simulated_adapted_step(partial(snippet.mixture, mixture), **step)
        _, estimated = training_of_adapted_mixture(mixture, **step)
        assert abs(relative_error(estimated, simulated)) < 0.03, (mixture, step)


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
