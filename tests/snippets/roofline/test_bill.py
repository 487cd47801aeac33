"""The bill of a server: what fits, and hours of a GPU for a million tokens, with and without the prompts."""

import pytest

from snippets.roofline import bill as snippet
from snippets.roofline import forecast, law, published


def test_as_many_requests_fit_as_the_estimate_of_memory_says() -> None:
    shape = snippet.MODELS["Llama 3.1 8B"]
    held = forecast.inference(shape, 1, snippet.CONTEXT)
    assert 2 * snippet.MODEL.head == 2 * 128_256 * 4096
    assert snippet.requests(2, 2) == int((snippet.MEMORY - held["weights"]) // held["cache"])
    assert snippet.requests(2, 1) >= 2 * snippet.requests(2, 2)
    assert snippet.requests(1, 2) == int((snippet.MEMORY - held["weights"] + 6_979_321_856) // held["cache"])


def test_the_hours_are_those_of_the_law_by_hand() -> None:
    """51 caches of 8,192 tokens and the weights; the prompts' operations make the products compute-bound."""
    alone = snippet.seconds(51, 2, 2, law.H100, 0)
    assert alone == pytest.approx((15.009e9 + 51 * 8192 * 131_072) / 3.35e12, rel=1e-3)
    read = 51 * 7936 / 256
    products = (51 * 15.009e9 + read * 13.959e9) / 989.4e12
    inside = read * 524_288 * 3968 / 989.4e12
    served = snippet.seconds(51, 2, 2, law.H100, 7936)
    assert served == pytest.approx(51 * 8192 * 131_072 / 3.35e12 + products + inside, rel=1e-3)
    assert served == pytest.approx(forecast.token(snippet.MODEL, law.H100, 51, 8192, prompt=7936, answer=256))
    assert snippet.hours(51, served) == pytest.approx(1e6 * served / 51 / 3600)


def test_what_is_read_of_a_prompt_attends_to_what_a_prefix_cache_holds_of_it() -> None:
    """992 of 7,936 tokens: their attention sees 7,440 on average, not 496. The products are memory-bound."""
    read = 51 * 992 / 256
    products = max((51 * 15.009e9 + read * 13.959e9) / 989.4e12, 15.009e9 / 3.35e12)
    inside = read * 524_288 * 7440 / 989.4e12
    by_hand = 51 * 8192 * 131_072 / 3.35e12 + products + inside
    assert snippet.seconds(51, 2, 2, law.H100, 992) == pytest.approx(by_hand, rel=1e-3)


def test_with_fp8_operations_attention_still_computes_in_bf16() -> None:
    """The products take half as long, and what attention to the caches and in the prompts takes is the same."""
    whole, half = (snippet.seconds(51, 1, 2, device, 7936) for device in (law.H100, snippet.H100_FP8))
    read = 51 * 7936 / 256
    assert whole - half == pytest.approx((51 * 15.009e9 + read * 13.959e9) / 989.4e12 / 2, rel=1e-3)


def test_with_fp8_weights_the_output_layer_is_read_in_bf16() -> None:
    """6.979 billion weights of the layers with a byte each, 0.525 billion of the output layer with two."""
    alone = snippet.seconds(1, 1, 1, snippet.H100_FP8, 0)
    assert alone == pytest.approx((6.9793e9 + 2 * 0.5253e9 + 8192 * 65_536) / 3.35e12, rel=1e-4)


def test_as_many_requests_are_set_as_are_kept_busy_in_time() -> None:
    batch, tokens, of_batch = snippet.flags(0.05)
    assert tokens == batch + batch * 7936 / 256
    assert (batch, tokens) == (34, 1088)  # the flags on the page on engines
    reached = (published.share(published.DATA["runs"]["decode Llama 2 7B, fp16"]), 0.5)
    taken = [forecast.token(snippet.MODEL, law.H100, each, 8192, 2, 2, 1, None, reached, 7936, 256)
             for each in (batch, batch + 1)]
    assert of_batch == taken[0] <= 0.05 < taken[1]


def test_the_formula_of_the_page_gives_the_requests_to_expect() -> None:
    """T(m = 0) / 0.68 + 2 * (T - T(m = 0)), with the T of the page on serving for a prompt of 7,936 tokens."""
    def least(s: int, m: float) -> float:
        products = max((2 * 7.5047e9 * s + 2 * 6.9793e9 * m) / 989.4e12, 2 * 7.5047e9 / 3.35e12)
        attention = s * 8192 * max(524_288 / 989.4e12, 131_072 / 3.35e12)
        return products + attention + m * 524_288 * 7936 / (2 * 989.4e12)

    def expected(s: int) -> float:
        alone = least(s, 0)
        return alone / 0.68 + 2 * (least(s, s * 7936 / 256) - alone)

    batch, _, taken = snippet.flags(0.05)
    assert expected(batch) == pytest.approx(taken, rel=3e-3)
    assert expected(batch) <= 0.05 < expected(batch + 1)


def test_what_halves_the_bill_depends_on_who_reads_the_prompts() -> None:
    """The cache, if other GPUs or a prefix cache read them; else operations in FP8 as well."""
    def bill(name: str, prompt: int) -> float:
        weight, cache, device = snippet.FORMATS[name]
        batch = snippet.requests(weight, cache)
        return snippet.hours(batch, snippet.seconds(batch, weight, cache, device, prompt))

    alone, whole = snippet.READ["decoding alone"], snippet.READ["all prompts"]
    assert bill("FP8 cache", alone) < 0.52 * bill("bf16", alone)
    assert bill("FP8 cache", whole) > 0.75 * bill("bf16", whole)
    assert 0.5 * bill("bf16", whole) < bill("both in FP8", whole) < 0.55 * bill("bf16", whole)
    assert bill("bf16", snippet.READ["an eighth"]) < 0.51 * bill("bf16", whole)
