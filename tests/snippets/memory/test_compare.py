"""The estimate of random shapes, batches and methods is within 3 % of the simulation, which a real step agrees with."""

import pytest
import torch

from benchmarks.random_decoders import draw
from snippets.memory import compare as snippet
from snippets.memory import peak
from snippets.memory.estimate import Shape, inference, training

SMALL = Shape(1000, 64, 160, 2, 4, 2, 16)


def relative_error(estimated: dict[str, float], simulated: dict[str, int]) -> float:
    return sum(estimated.values()) / sum(simulated.values()) - 1


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same 240 times."""
    errors = {}
    for shape, step in draw(24, seed=1, layers=4):
        decoder = Shape(**shape)
        _, estimated = training(decoder, **step)
        errors[decoder, *step.items()] = relative_error(estimated, snippet.simulated_training(decoder, **step))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


def test_inference_is_estimated_within_three_percent() -> None:
    errors = {}
    for shape, step in draw(16, seed=2, layers=4):
        case = Shape(**shape), step["batch"], step["length"]
        errors[case] = relative_error(inference(*case), snippet.simulated_inference(*case))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_simulated_decoder_is_a_real_one_to_the_byte(checkpointing: bool) -> None:
    def build():
        return snippet.decoder(SMALL, torch.float32)

    step = {"build": snippet.checkpointed(build) if checkpointing else build, "rows": 2, "length": 32}
    measured = peak.PeakMemory()
    peak.training_step(measured, **step)
    with snippet.nothing_packed():
        assert measured.peak() == peak.simulate(**step).peak()
