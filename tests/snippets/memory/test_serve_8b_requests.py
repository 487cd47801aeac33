"""The formulas give the bytes that the simulation counts, and the requests that fit do fit."""

import pytest
import serve_8b
from _llama import LLAMA_8B
from estimate import MODELS

from snippets.memory import serve_8b_requests as snippet

pytestmark = pytest.mark.needs(device="cpu")

KINDS = {"bf16": None, "8-bit": serve_8b.INT8, "4-bit": serve_8b.NF4}
LLAMA = MODELS["Llama 3.1 8B"]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_those_of_the_simulation(kind: str) -> None:
    model = serve_8b.on_meta(LLAMA_8B, KINDS[kind])
    with serve_8b.FakeTensorMode(allow_non_fake_inputs=True):
        held = sum(tensor.nbytes for tensor in serve_8b.stored(serve_8b.materialize(model)))
    assert snippet.weight_bytes(LLAMA, kind) == pytest.approx(held, rel=1e-4)


@pytest.mark.parametrize(("bits", "new_cache"), [(16, serve_8b.bf16_cache), (8, serve_8b.fp8_cache)])
def test_the_cache_is_that_of_the_simulation(bits: int, new_cache: serve_8b.DynamicCache) -> None:
    options = {"requests": 2, "length": 31, "new_cache": new_cache}
    peak = serve_8b.simulate(serve_8b.on_meta(LLAMA_8B), **options)["cache"]
    exact = 2 * snippet.cache_bytes(LLAMA, 32, bits)
    assert peak == pytest.approx(exact, rel=0.05)  # The peak may be a token before the end.


@pytest.mark.parametrize("kind", ["8-bit", "4-bit"])
@pytest.mark.parametrize("bits", [16, 8])
def test_one_more_request_would_not_fit(kind: str, bits: int) -> None:
    count = snippet.requests_that_fit(LLAMA, snippet.BUDGET, kind, bits, 8192)
    fixed = snippet.weight_bytes(LLAMA, kind) + snippet.workspace_bytes(LLAMA)
    one = snippet.cache_bytes(LLAMA, 8192, bits)
    assert fixed + count * one <= snippet.BUDGET < fixed + (count + 1) * one


def test_the_gpu_holds_the_bf16_weights_and_no_request_of_8192_tokens() -> None:
    weights = snippet.weight_bytes(LLAMA, "bf16")
    request = snippet.cache_bytes(LLAMA, 8192) + snippet.workspace_bytes(LLAMA)
    assert weights < snippet.GPU < weights + request


def test_the_full_context_fits_once_in_4_bits_with_an_fp8_cache_alone() -> None:
    fitting = {
        (kind, bits): snippet.requests_that_fit(LLAMA, snippet.BUDGET, kind, bits, 131_072)
        for kind in ("8-bit", "4-bit")
        for bits in (16, 8)
    }
    assert {key for key, count in fitting.items() if count} == {("4-bit", 8)}
    assert fitting["4-bit", 8] == 1


def test_nothing_fits_beside_weights_that_do_not() -> None:
    assert snippet.requests_that_fit(LLAMA, snippet.BUDGET, "bf16", 8, 1) == 0


def test_a_step_reads_the_weights_once_and_every_cache() -> None:
    alone, both = (snippet.bytes_read(LLAMA, "4-bit", 8, 8192, count) for count in (1, 2))
    assert both - alone == snippet.cache_bytes(LLAMA, 8192, 8)
    assert alone == snippet.weight_bytes(LLAMA, "4-bit") - 2 * 128_256 * 4096 + both - alone
    assert snippet.tokens_per_second(1e9, LLAMA, "4-bit", 8, 8192, 2) == pytest.approx(2e9 / both)


@pytest.mark.parametrize(("name", "read"), [("Llama 3.2 1B", True), ("Llama 3.1 8B", False)])
def test_a_step_reads_the_embedding_where_it_is_the_output_layer_too(name: str, read: bool) -> None:
    shape = MODELS[name]
    unread = snippet.weight_bytes(shape, "4-bit") - snippet.bytes_read(shape, "4-bit", 8, 8192, 0)
    assert unread == (0 if read else 2 * shape.vocabulary * shape.hidden)
