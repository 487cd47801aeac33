"""The counts of operations and bytes are those of a real forward pass, on a shape with grouped heads."""

import pytest
import torch
from _serving import prompts, tiny_model
from torch.utils.flop_counter import FlopCounterMode

from snippets.serving import bounds as snippet
from snippets.serving.bounds import Device

PROMPT = 24
UNIT = Device(flops=1.0, bandwidth=1.0)


@pytest.fixture(scope="module")
def shape() -> snippet.Shape:
    return snippet.shape_of(tiny_model().config)


def test_the_operations_of_a_prompt_are_those_that_run(shape: snippet.Shape) -> None:
    model = tiny_model()
    model.set_attn_implementation("eager")  # The counter knows no formula for the CPU's fused kernel.
    with torch.inference_mode(), FlopCounterMode(display=False) as counter:
        model(input_ids=prompts(PROMPT)["input_ids"], logits_to_keep=1)
    masked = 2 * shape.layers * shape.query_width * PROMPT**2  # The counter counts what the mask takes away.
    norms = 2 * PROMPT * (2 * shape.layers * 64)  # These parameters are in no product.
    assert counter.get_total_flops() == snippet.first_token(shape, UNIT, PROMPT) + masked - norms


def test_the_cache_is_what_generation_keeps(shape: snippet.Shape) -> None:
    output = tiny_model().generate(**prompts(PROMPT), max_new_tokens=1, return_dict_in_generate=True)
    layers = output.past_key_values.layers
    assert sum(layer.keys.numel() + layer.values.numel() for layer in layers) == shape.cache * PROMPT


def test_bytes_limit_a_small_batch_and_operations_a_large_one(shape: snippet.Shape) -> None:
    weights = 2 * (shape.stack + shape.head)
    free = Device(flops=1e30, bandwidth=1.0)
    assert snippet.next_token(shape, free, context=0, batch=1) == weights
    assert snippet.next_token(shape, free, context=7, batch=3) == weights + 2 * shape.cache * 7 * 3
    assert snippet.next_token(shape, Device(flops=1.0, bandwidth=1e30), context=7, batch=3) == 3 * weights


def test_four_bits_shrink_the_weights_and_not_the_cache(shape: snippet.Shape) -> None:
    free = Device(flops=1e30, bandwidth=1.0)
    wide, narrow = (snippet.next_token(shape, free, 1000, 4, size) for size in (2, 0.5))
    assert wide - narrow == 1.5 * (shape.stack + shape.head)
