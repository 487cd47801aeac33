"""The answers to the exercises on serving are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml

from snippets.roofline import forecast
from snippets.roofline import serving_exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("serving_exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


def test_short_requests_are_limited_by_operations_if_there_is_room() -> None:
    """Per request, a token, four of prompts with 512 tokens in sight on average, and a cache of 1,280 tokens."""
    products = (2 * 7.504658e9 + 4 * 2 * 6.979322e9) / 989.4e12
    taken = products + 1280 * 131_072 / 3.35e12 + 4 * 524_288 * 512 / 989.4e12
    assert int(0.05 / taken) == 407
    assert ANSWERS["short requests in 50 ms"][0] > ANSWERS["short requests that fit"][0]


def test_reading_prompts_and_decoding_add_up_to_the_time_of_a_request() -> None:
    """Per request, a token and 31 of prompts with 3,968 tokens in sight on average, and a cache of 8,192 tokens."""
    products = (2 * 7.504658e9 + 31 * 2 * 6.979322e9) / 989.4e12
    taken = products + 8192 * 131_072 / 3.35e12 + 31 * 524_288 * 3968 / 989.4e12
    assert int(0.025 / taken) == ANSWERS["both, requests"][0] and taken == pytest.approx(838.23e-6, rel=1e-4)


@pytest.mark.parametrize(("requests", "in_time"), [(46, True), (47, False)])
def test_a_group_that_reads_the_prompts_is_limited_by_its_operations(requests: int, in_time: bool) -> None:
    read = requests * 31
    products = (requests * 139.0034e9 + read * 136.9019e9) / 989.4e12 / 8
    attention = (requests * 8192 * 327_680 / 3.35e12 + read * 2_621_440 * 3968 / 989.4e12) / 8
    sums = 160 * 14 * (1e-6 + 2 * 8192 * 32 * requests / 8 / 450e9)
    assert (products + attention + sums <= 0.05) is in_time


@pytest.mark.parametrize(("name", "weights", "requests", "sums"), [
    ("bf16, 4 GPUs", 139.0034e9, 53, 960 * (1e-6 + 16384 * 53 / 4 / 450e9)),
    ("bf16, 8 GPUs", 139.0034e9, 159, 2240 * (1e-6 + 16384 * 159 / 8 / 450e9)),
    ("FP8 weights, 2 GPUs", 70.5524e9, 25, 320 * (1e-6 + 16384 * 25 / 2 / 450e9)),
    ("FP8 weights, 4 GPUs", 70.5524e9, 78, 960 * (1e-6 + 16384 * 78 / 4 / 450e9)),
    ("FP8 weights, 8 GPUs", 70.5524e9, 184, 2240 * (1e-6 + 16384 * 184 / 8 / 450e9)),
])  # fmt: skip
def test_a_group_reads_weights_and_caches_and_adds_its_sums(
    name: str, weights: float, requests: int, sums: float
) -> None:
    gpus = int(name.split()[-2])
    taken = (weights + requests * 2.684355e9) / 3.35e12 / gpus + sums
    expected = (requests, 1000 * taken, requests / taken / gpus)
    assert snippet.groups()[name] == pytest.approx(expected, rel=1e-4)


def test_weights_in_bf16_leave_two_gpus_no_room() -> None:
    assert snippet.group_room(2) == 0 and len(snippet.groups()) == 5


def test_the_parts_of_a_token_are_those_of_the_law() -> None:
    products = 58 * (2 * 7.504658e9 + 31 * 2 * 6.979322e9) / 989.4e12
    attention = 58 * 31 * 524_288 * 3968 / 989.4e12
    by_hand = 15.009316e9 / 3.35e12, 58 * 8192 * 131_072 / 3.35e12
    expected = [1000 * each for each in (*by_hand, products - by_hand[0] + attention)]
    assert snippet.parts(58) == pytest.approx(expected, rel=1e-5)
    assert sum(snippet.parts(58)) == pytest.approx(snippet.curves()["bf16, with the prompts"][-1][1])


def test_from_10_requests_on_the_prompts_take_longer_than_the_weights() -> None:
    one = snippet.parts(1)[2]
    assert snippet.parts(9)[2] == pytest.approx(9 * one) and snippet.parts(10)[2] > 10.01 * one


def test_as_many_requests_fit_as_in_the_table() -> None:
    assert snippet.fits(2, 2) == forecast.room(snippet.MODELS["Llama 3.1 8B"], 80, 8192) == snippet.BATCHES[-1]


def test_a_curve_has_half_of_its_limit_where_the_caches_are_as_large_as_the_weights() -> None:
    half = snippet.token(snippet.MODEL, snippet.H100, snippet.half_batch(), 8192)
    assert snippet.half_batch() / half == pytest.approx(snippet.limit() / 2)


def test_a_curve_ends_where_memory_is_full_and_the_prompts_stop_it_earlier() -> None:
    curves = snippet.curves()
    assert [points[-1][0] for points in curves.values()] == [58, 68, 117, 130, 58]
    assert all(ms < 24 for name, points in curves.items() for _, ms, _ in points if "prompts" not in name)
    (*_, before, (_, ms, rate)) = curves["bf16, with the prompts"]
    assert (ms, rate) == (pytest.approx(48.62, rel=1e-3), pytest.approx(before[2], rel=1e-6))


def test_the_most_tokens_come_from_four_drafts() -> None:
    assert max(range(1, 20), key=lambda drafts: snippet.gain(drafts, 0.8)) == 4
    assert snippet.kept(3, 0.5) == 1 + 0.5 + 0.25 + 0.125
