"""The estimate of random shapes, batches and methods is within 3 % of the simulation, which a real step agrees with."""

import pytest
import torch

from benchmarks.random_decoders import draw, draw_adapters, draw_encoders
from snippets.memory import compare as snippet
from snippets.memory import peak
from snippets.memory.estimate import (
    Encoder,
    Shape,
    inference,
    inference_of_encoder,
    training,
    training_of_adapters,
    training_of_encoder,
)

SMALL = Shape(1000, 64, 160, 2, 4, 2, 16)


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    errors = {}
    for shape, step in draw(24, seed=1, layers=4):
        decoder = Shape(**shape)
        _, estimated = training(decoder, **step)
        errors[decoder, *step.items()] = snippet.relative_error(estimated, snippet.simulated_training(decoder, **step))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


def test_inference_is_estimated_within_three_percent() -> None:
    errors = {}
    for shape, step in draw(16, seed=2, layers=4):
        case = Shape(**shape), step["batch"], step["length"]
        errors[case] = snippet.relative_error(inference(*case), snippet.simulated_inference(*case))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


def test_adapters_are_estimated_within_three_percent() -> None:
    errors = {}
    for shape, step in draw_adapters(10, seed=4, layers=3):
        decoder = Shape(**shape)
        _, estimated = training_of_adapters(decoder, **step)
        errors[decoder, *step.items()] = snippet.relative_error(estimated, snippet.simulated_adapters(decoder, **step))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


@pytest.mark.parametrize("quantized", [False, True])
def test_the_weights_and_state_of_adapters_are_those_of_the_simulation(quantized: bool) -> None:
    """But for the tables that bitsandbytes keeps with each quantized matrix, and the rotary embedding's frequencies."""
    shape = Shape(1000, 512, 1400, 2, 8, 2, 64)
    step = {"rank": 8, "quantized": quantized, "checkpointing": True, "accumulation": True, "optimizer": "adamw"}
    estimated = training_of_adapters(shape, 1, 16, **step)[1]
    simulated = snippet.simulated_adapters(shape, 1, 16, **step)
    tables = 14 * (16 * 4 + 256 * 4 + 4) if quantized else 0
    frequencies = 2 * 4 * shape.head_size // 2
    assert simulated["weights"] == estimated["weights"] + tables + frequencies
    assert (simulated["gradients"], simulated["optimizer"]) == (estimated["gradients"], estimated["optimizer"])


def test_encoders_are_estimated_within_three_percent() -> None:
    errors = {}
    for sizes, step in draw_encoders(10, seed=14, layers=4):
        shape = Encoder(**sizes)
        case = shape, step["batch"], step["length"]
        trained = training_of_encoder(shape, **step)[1]
        simulated = snippet.simulated_encoder_training(shape, **step)
        errors[shape, *step.items()] = snippet.relative_error(trained, simulated)
        read = snippet.simulated_encoder_inference(*case)
        errors[case] = snippet.relative_error(inference_of_encoder(*case), read)
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
