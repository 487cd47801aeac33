"""The bill of a server: what fits, and hours of a GPU for a million tokens, with and without the prompts."""

import pytest

from snippets.roofline import bill as snippet
from snippets.roofline import forecast, law


def test_as_many_requests_fit_as_the_estimate_of_memory_says() -> None:
    shape = snippet.MODELS["Llama 3.1 8B"]
    held = forecast.inference(shape, 1, snippet.CONTEXT)
    assert snippet.TABLES == 2 * 128_256 * 4096
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
    assert snippet.hours(51, served) == pytest.approx(1e6 * served / 51 / 3600)


def test_what_halves_the_bill_depends_on_who_reads_the_prompts() -> None:
    """The cache, if other GPUs or a prefix cache read them; else operations in FP8 as well."""
    def bill(name: str, prompt: int) -> float:
        weight, cache, device = snippet.FORMATS[name]
        batch = snippet.requests(weight, cache)
        return snippet.hours(batch, snippet.seconds(batch, weight, cache, device, prompt))

    alone, whole = snippet.READ["decoding alone"], snippet.READ["all prompts"]
    assert bill("FP8 cache", alone) < 0.52 * bill("bf16", alone)
    assert bill("FP8 cache", whole) > 0.75 * bill("bf16", whole)
    assert bill("both in FP8", whole) == pytest.approx(bill("bf16", whole) / 2, rel=0.01)
    assert bill("bf16", snippet.READ["an eighth"]) < 0.5 * bill("bf16", whole)
