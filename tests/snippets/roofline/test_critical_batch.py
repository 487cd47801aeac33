"""At the critical batch, reading takes as long as computing; above the longest context, no batch is critical."""

import math

import pytest
from transformers import LlamaConfig

from snippets.roofline import critical_batch as snippet
from snippets.roofline import law
from snippets.roofline.exercises import longest_context

CONFIG = LlamaConfig(
    vocab_size=512, hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2,
)
DEVICE = law.Device(flops=1000, bandwidth=10)


@pytest.mark.parametrize(("weight", "cache"), [(2, 2), (0.5, 2), (2, 1)])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_at_the_critical_batch_both_take_as_long(weight: float, cache: float, share: float) -> None:
    context = share * longest_context(CONFIG, DEVICE, cache)
    batch = snippet.critical_batch(CONFIG, DEVICE, context, weight, cache)
    work = law.decoding(CONFIG, batch, context, weight, cache)
    assert work.flops / DEVICE.flops == pytest.approx(work.bytes / DEVICE.bandwidth)


def test_without_a_cache_it_is_the_critical_rows_of_a_product() -> None:
    for weight in (0.5, 1, 2):
        assert snippet.critical_batch(CONFIG, DEVICE, weight=weight) == pytest.approx(law.critical_rows(DEVICE, weight))


def test_no_batch_is_critical_once_a_cache_takes_longer_than_its_operations() -> None:
    longest = longest_context(CONFIG, DEVICE)
    assert snippet.critical_batch(CONFIG, DEVICE, 0.999 * longest) < math.inf
    assert snippet.critical_batch(CONFIG, DEVICE, 1.001 * longest) == math.inf
