"""The formulas of the traffic are the bytes that a step on four processes gives to its collectives."""

import pytest
from _train_many import on_ranks

from snippets.train_many import traffic_70b as snippet

pytestmark = pytest.mark.needs(devices=4)


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, dict[str, int]]]:
    return on_ranks(snippet.counted, snippet.PROCESSES)


@pytest.mark.parametrize("method", snippet.computed())
def test_every_rank_sends_what_the_formula_says(ranks: list[dict[str, dict[str, int]]], method: str) -> None:
    assert [seen[method] for seen in ranks] == [snippet.computed()[method]] * snippet.PROCESSES


def test_in_a_ring_an_all_reduce_is_sent_twice() -> None:
    assert snippet.sent({"all-gather": 800, "reduce-scatter": 800}, 8) == snippet.sent({"all-reduce": 800}, 8) == 1400


def test_checkpointing_sums_a_quarter_more() -> None:
    """The recomputation of a layer ends before its second sum."""
    five, four = (snippet.tensor_parallel(snippet.TINY, 10, each)["all-reduce"] for each in (True, False))
    assert 4 * five == 5 * four


def test_traffic_of_sharding_depends_on_parameters_and_of_the_others_on_tokens() -> None:
    sent = snippet.methods_70b()
    assert sent["FSDP, layers kept"] < sent["FSDP"] < sent["Ulysses and FSDP"] < sent["FSDP, 4 accumulated"]
    assert sent["tensor parallel"] == 7 / 4 * 5 * 80 * 8 * 4096 * 8192 * 2
    assert sent["FSDP"] == pytest.approx(7 / 8 * (2 * 2 + 4) * 70.55e9, rel=0.02)
