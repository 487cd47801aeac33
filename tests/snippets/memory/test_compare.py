"""The estimate of random shapes, batches and methods is within 3 % of the simulation, which a real step agrees with."""

import pytest
import torch
from transformers import AutoModelForCausalLM, MistralConfig, MistralForCausalLM, PreTrainedModel

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

pytestmark = pytest.mark.needs(device="cpu")

SMALL = Shape(1000, 64, 160, 2, 4, 2, 16)


def test_training_is_estimated_within_three_percent() -> None:
    """`python -m benchmarks.estimate` does the same on more."""
    errors = {}
    for shape, step in draw(24, seed=1, layers=4):
        decoder = Shape(**shape)
        _, estimated = training(decoder, **step)
        errors[decoder, *step.items()] = snippet.relative_error(estimated, snippet.simulated_training(decoder, **step))
    assert not {case: error for case, error in errors.items() if abs(error) > 0.03}


@pytest.mark.claim("will_it_fit#fields", "transformers/trainer.py::Trainer.autocast_smart_context_manager")
def test_autocast_over_weights_in_bf16_costs_a_decoder_nothing_and_bert_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a CPU; CUDA's autocast computes in fp32 more of BERT's operations, `layer_norm` among them."""
    simulate = snippet.simulate
    monkeypatch.setattr(snippet, "simulate", lambda build, **options: simulate(
        build, **options | {"precision": torch.bfloat16}))
    bert, llama = Encoder(1000, 256, 1024, 4, 4, 512), Shape(1000, 256, 640, 4, 4, 2, 64)
    simulated = snippet.simulated_encoder_training(bert, 4, 256, precision="bf16")
    assert snippet.relative_error(training_of_encoder(bert, 4, 256, "bf16")[1], simulated) < -0.03
    simulated = snippet.simulated_training(llama, 4, 256, "bf16")
    assert abs(snippet.relative_error(training(llama, 4, 256, "bf16")[1], simulated)) < 0.03


@pytest.mark.claim("will_it_fit#left-out", "transformers/integrations/sdpa_attention.py::use_gqa_in_sdpa")
def test_without_checkpointing_a_padded_batch_needs_more_than_the_estimate() -> None:
    shape, step = Shape(1000, 256, 640, 8, 8, 2, 32), (2, 512, "bf16")

    def padded(dtype: torch.dtype) -> torch.nn.Module:
        model = snippet.decoder(shape, dtype)
        model.register_forward_pre_hook(
            lambda _, inputs, options: (inputs, options | {"attention_mask": torch.ones_like(options["input_ids"])}),
            with_kwargs=True,
        )
        return model

    missing = []
    for checkpointing in (False, True):
        simulated = snippet.simulated_step(padded, *step, checkpointing=checkpointing)
        _, estimated = training(shape, *step, checkpointing=checkpointing)
        missing.append(sum(simulated.values()) - sum(estimated.values()))
    repeated = 2 * (shape.heads - shape.kv_heads) * shape.head_size * 2 * 2 * 512  # keys and values, of all tokens
    assert missing[0] > 0.9 * shape.layers * repeated
    assert missing[1] < missing[0] / 4


@pytest.mark.claim("will_it_fit#fields", "transformers/cache_utils.py::DynamicSlidingWindowLayer.update")
def test_a_window_shortens_the_cache_and_not_the_estimate() -> None:
    sizes = {"vocab_size": SMALL.vocabulary, "hidden_size": SMALL.hidden, "intermediate_size": SMALL.intermediate,
             "num_hidden_layers": SMALL.layers, "num_attention_heads": 4, "num_key_value_heads": 2}
    held = []
    for window in (None, 16):
        model = MistralForCausalLM(MistralConfig(**sizes, sliding_window=window)).to(torch.bfloat16).eval()
        cache = model(torch.ones(1, 64, dtype=torch.long)).past_key_values
        held.append(sum(each.nbytes for layer in cache.layers for each in (layer.keys, layer.values)))
    assert held == [inference(SMALL, 1, 64)["cache"], inference(SMALL, 1, 15)["cache"]]


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


@pytest.mark.claim("will_it_fit#left-out", "transformers/masking_utils.py::sliding_window_causal_mask_function")
def test_sequences_longer_than_a_sliding_window_need_more_than_the_estimate() -> None:
    shape = Shape(1000, 256, 512, 4, 8, 2, 32)

    def windowed(dtype: torch.dtype) -> PreTrainedModel:
        config = snippet.decoder(shape, dtype).config.to_dict()
        names = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
        sizes = {name: config[name] for name in (*names, "num_key_value_heads", "head_dim")}
        return AutoModelForCausalLM.from_config(MistralConfig(sliding_window=600, **sizes), dtype=dtype)

    def error(length: int) -> float:
        with snippet.nothing_packed():
            simulated = snippet.simulated_step(windowed, 1, length, "bf16")
        return snippet.relative_error(training(shape, 1, length, "bf16")[1], simulated)

    assert abs(error(512)) < 0.03
    assert error(1024) < -0.03
