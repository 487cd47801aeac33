"""The formulas of the traffic are the bytes that a step on four processes gives to its collectives."""

import pytest
from _train_many import on_ranks
from torch.distributed.fsdp import fully_shard

from snippets.train_many import traffic_70b as snippet

pytestmark = pytest.mark.needs(devices=4)


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, dict[str, int]]]:
    return on_ranks(snippet.counted, snippet.PROCESSES)


@pytest.mark.parametrize("method", snippet.computed())
def test_every_rank_sends_what_the_formula_says(ranks: list[dict[str, dict[str, int]]], method: str) -> None:
    assert [seen[method] for seen in ranks] == [snippet.computed()[method]] * snippet.PROCESSES


def bytes_gathered_for_the_embedding() -> int:
    """What a unit of its own adds to the gathers of a step, with the units of the simulation of memory."""
    model = snippet.tiny_model()
    for unit in (model.model.embed_tokens, *model.model.layers):
        fully_shard(unit, mp_policy=snippet.MIXED)
    fully_shard(model.lm_head, mp_policy=snippet.MIXED, reshard_after_forward=False)
    fully_shard(model, mp_policy=snippet.MIXED)
    return snippet.one_step(model)["all-gather"] - snippet.fsdp(snippet.TINY)["all-gather"]


@pytest.mark.claim("train_70b#traffic", "torch/distributed/fsdp/_fully_shard/_fully_shard.py::fully_shard")
def test_an_embedding_that_is_a_unit_is_gathered_once_more() -> None:
    assert on_ranks(bytes_gathered_for_the_embedding, 4) == [2 * snippet.TINY.vocabulary * snippet.TINY.hidden] * 4


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
