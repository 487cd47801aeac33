"""The law's operations and bytes are those that PyTorch counts, those of a real cache, and of the guide's formulas."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

from snippets.profiling import mfu
from snippets.roofline import law as snippet
from snippets.serving import bounds

CONFIG = LlamaConfig(
    vocab_size=512, hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, attn_implementation="eager",  # whose products PyTorch counts
)
DEVICE = snippet.Device(flops=1000, bandwidth=10)


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return LlamaForCausalLM(CONFIG).eval()


def test_the_slower_of_the_two_decides() -> None:
    assert snippet.seconds(snippet.Work(flops=2000, bytes=10), DEVICE) == 2
    assert snippet.seconds(snippet.Work(flops=2000, bytes=30), DEVICE) == 3


def test_both_take_as_long_at_the_ridge() -> None:
    work = snippet.Work(flops=700, bytes=7)
    assert snippet.intensity(work) == snippet.ridge(DEVICE) == 100
    assert work.flops / DEVICE.flops == work.bytes / DEVICE.bandwidth


def test_a_product_has_the_operations_that_pytorch_counts() -> None:
    with FlopCounterMode(display=False) as counter:
        torch.empty(3, 5) @ torch.empty(5, 7)
    assert snippet.product(3, 5, 7).flops == counter.get_total_flops()


def test_a_product_reads_and_writes_each_number_once() -> None:
    x, weight = torch.empty(3, 5, dtype=torch.bfloat16), torch.empty(5, 7)
    y = x.float() @ weight
    assert snippet.product(3, 5, 7, weight=4).bytes == x.nbytes + weight.nbytes + y.bfloat16().nbytes


@pytest.mark.parametrize("weight", [0.5, 1, 2])
def test_a_wide_product_passes_the_ridge_at_the_critical_rows(weight: float) -> None:
    rows = int(snippet.critical_rows(snippet.H100, weight))
    wide = 2**20  # so wide that what comes in and goes out does not count
    below, above = (snippet.product(each, wide, wide, weight) for each in (int(0.99 * rows), int(1.02 * rows) + 1))
    assert snippet.intensity(below) < snippet.ridge(snippet.H100) < snippet.intensity(above)


def test_the_weights_are_those_of_all_linear_layers(model: LlamaForCausalLM) -> None:
    linear = sum(module.weight.numel() for module in model.modules() if isinstance(module, nn.Linear))
    assert snippet.used_weights(CONFIG) == linear


def test_the_cache_is_as_large_as_a_real_one(model: LlamaForCausalLM) -> None:
    cache = DynamicCache(config=CONFIG)
    model(torch.zeros(1, 9, dtype=torch.long), past_key_values=cache)
    numbers = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert 9 * snippet.cached_numbers(CONFIG) == numbers


def test_a_decoded_token_has_the_operations_that_pytorch_counts(model: LlamaForCausalLM) -> None:
    cache = DynamicCache(config=CONFIG)
    model(torch.zeros(2, 8, dtype=torch.long), past_key_values=cache)
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(2, 1, dtype=torch.long), past_key_values=cache)
    counted = counter.get_total_flops()
    assert snippet.decoding(CONFIG, batch=2, context=9).flops == counted


@pytest.mark.parametrize("batch", [1, 64])
def test_the_bound_of_the_page_on_serving_is_this_law(batch: int) -> None:
    shape, work = bounds.shape_of(CONFIG), snippet.decoding(CONFIG, batch, context=500)
    assert snippet.seconds(work, snippet.H100) == pytest.approx(bounds.next_token(shape, snippet.H100, 500, batch))


def test_the_operations_of_training_are_those_of_the_page_on_profiling() -> None:
    assert snippet.training(CONFIG, 2, 128) == pytest.approx(2 * 128 * mfu.flops_per_token(CONFIG, 128))


def test_smaller_weights_help_only_while_memory_decides() -> None:
    few, many = (
        [snippet.seconds(snippet.decoding(CONFIG, batch, 1, weight), snippet.H100) for weight in (2, 0.5)]
        for batch in (1, 4096)
    )
    assert few[1] < 0.3 * few[0]
    assert many[1] > 0.9 * many[0]
