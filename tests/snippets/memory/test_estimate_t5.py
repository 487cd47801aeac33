"""T5 by formulas: its parameters are those of the model, and each method and size changes what it should."""

import dataclasses

import pytest
import torch
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from snippets.memory import compare_t5
from snippets.memory import estimate_t5 as snippet
from snippets.memory.estimate_t5 import T5, EncoderDecoder

SMALL = EncoderDecoder(1000, 64, 160, 3, 2, 4, 32)


@pytest.mark.parametrize("shape", [*T5.values(), SMALL, dataclasses.replace(SMALL, gated=True, tied=False)])
def test_the_parameters_are_those_of_the_model(shape: EncoderDecoder) -> None:
    with torch.device("meta"):
        model = compare_t5.encoder_decoder(shape, torch.float32)
    assert snippet.parameters_of_t5(shape) == sum(each.numel() for each in model.parameters())


def test_a_longer_text_needs_biases_that_grow_with_its_square() -> None:
    """Eight times as long, with as many tokens: only the biases grow, one for each head and pair of positions."""
    whole = [snippet.instants_of_t5(SMALL, *step, "fp32", False, False)["loss"] for step in ((64, 64), (8, 512))]
    grown = whole[1][1] - whole[0][1]
    layers, squares = SMALL.layers + SMALL.decoder_layers, 512**2 - 64**2
    zeros, buckets, causal = 4 * SMALL.heads, 2 * 8, SMALL.decoder_layers
    assert grown == squares * (layers * 4 * SMALL.heads + zeros + buckets + causal)


def test_the_gradient_of_the_biases_exists_for_every_sequence() -> None:
    shape = dataclasses.replace(SMALL, heads=64)
    held = [sum(snippet.instants_of_t5(shape, batch, 512, "fp32", False, False)["first layer"]) for batch in (4, 8)]
    assert held[1] - held[0] > 4 * 4 * shape.heads * 512**2


def test_checkpointing_keeps_the_input_of_each_layer() -> None:
    kept = {checkpointing: snippet.training_of_t5(T5["t5-large"], 8, 512, checkpointing=checkpointing)[1]
            for checkpointing in (False, True)}
    assert kept[True]["activations"] < kept[False]["activations"] / 4
    assert kept[True]["weights"] == kept[False]["weights"]


def test_accumulation_keeps_all_gradients() -> None:
    gradients = [snippet.training_of_t5(SMALL, 16, 512, accumulation=each)[1]["gradients"] for each in (False, True)]
    assert gradients == [0, 4 * snippet.parameters_of_t5(SMALL)]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.claim("will_it_fit#formulas", "transformers/models/t5/modeling_t5.py::T5PreTrainedModel")
def test_wo_is_kept_in_fp32_beside_fp16_alone(dtype: torch.dtype, tmp_path) -> None:
    compare_t5.encoder_decoder(SMALL, torch.float32).save_pretrained(tmp_path)
    model = AutoModelForSeq2SeqLM.from_pretrained(tmp_path, dtype=dtype)
    found = {each.dtype for name, each in model.named_parameters() if name.endswith("wo.weight")}
    assert found == {torch.float32 if dtype == torch.float16 else torch.bfloat16}


@pytest.mark.parametrize("tied", [False, True])
def test_a_checkpoint_with_its_own_output_layer_keeps_it(tied: bool, tmp_path) -> None:
    shape = dataclasses.replace(SMALL, tied=tied)
    saved = compare_t5.encoder_decoder(shape, torch.float32)
    if not tied:
        torch.nn.init.normal_(saved.lm_head.weight)
        saved.all_tied_weights_keys.pop("lm_head.weight")
    saved.save_pretrained(tmp_path)
    assert AutoConfig.from_pretrained(tmp_path).model_type == "t5"
    model = AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    assert sum(each.numel() for each in model.parameters()) == snippet.parameters_of_t5(shape)
