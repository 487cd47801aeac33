"""Estimates of random mixtures of experts are within 3 % of the simulation."""

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


def test_real_shapes_are_served_within_three_percent() -> None:
    for name, shape in snippet.SERVED.items():
        estimated = inference_of_mixture(shape, 2, 256, flash=not shape.biases)
        error = relative_error(estimated, snippet.simulated_mixture_inference(shape, 2, 256))
        assert abs(error) < 0.03, name
