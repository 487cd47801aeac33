"""A token takes as long as its products and its attention in turn, which is what one bound of both is, or more."""

import pytest
from transformers import LlamaConfig

from snippets.roofline import law
from snippets.roofline import token_time as snippet
from snippets.serving import bounds

CONFIG = LlamaConfig(
    vocab_size=512, hidden_size=64, intermediate_size=192, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2,
)
DEVICE = law.Device(flops=1000, bandwidth=10)  # a ridge of 100


@pytest.mark.parametrize("batch", [1, 7, 500])
def test_products_and_attention_are_all_of_the_operations_and_bytes(batch: int) -> None:
    parts = snippet.products(CONFIG, batch, 0.5), snippet.attention(CONFIG, batch, 30, 1)
    whole = law.decoding(CONFIG, batch, 30, 0.5, 1)
    assert sum(part.flops for part in parts) == whole.flops
    assert sum(part.bytes for part in parts) == whole.bytes


@pytest.mark.parametrize("weight", [2, 1, 0.5])
def test_while_memory_limits_both_it_is_the_bound_of_the_whole_and_above_that_it_is_longer(weight: float) -> None:
    critical = int(law.critical_rows(DEVICE, weight))
    few, many = (
        snippet.token(CONFIG, DEVICE, batch, 30, weight) / law.seconds(law.decoding(CONFIG, batch, 30, weight), DEVICE)
        for batch in (critical, 2 * critical)
    )
    assert few == pytest.approx(1)
    assert many > 1.05


@pytest.mark.parametrize("batch", [1, 128])  # the largest that was measured
def test_the_law_of_the_measured_tokens_is_this_one(batch: int) -> None:
    whole = law.seconds(law.decoding(law.LLAMA_8B, batch, 1024), law.H100)
    assert snippet.token(law.LLAMA_8B, law.H100, batch, 1024) == pytest.approx(whole)


@pytest.mark.parametrize("cache", [2, 1])
@pytest.mark.parametrize("weight", [2, 0.5])
@pytest.mark.parametrize("batch", [1, 64, 1000])
def test_at_the_even_context_both_take_as_long(batch: int, weight: float, cache: float) -> None:
    context = snippet.even_context(CONFIG, DEVICE, batch, weight, cache)
    parts = snippet.products(CONFIG, batch, weight), snippet.attention(CONFIG, batch, context, cache)
    first, second = (law.seconds(part, DEVICE) for part in parts)
    assert first == pytest.approx(second)


def test_once_operations_limit_the_products_a_larger_batch_shifts_nothing() -> None:
    even = [snippet.even_context(CONFIG, DEVICE, batch) for batch in (10, 100, 1000)]
    assert even[0] == pytest.approx(10 * even[1]) and even[1] == pytest.approx(even[2])


@pytest.mark.parametrize("batch", [1, 1000])
def test_the_bound_of_the_page_on_serving_is_this_law(batch: int) -> None:
    shape, expected = bounds.shape_of(CONFIG), snippet.token(CONFIG, law.H100, batch, context=500)
    assert bounds.next_token(shape, law.H100, 500, batch) == pytest.approx(expected)
