"""Ranks that wait for each other end with the message that the page shows; the repaired code does not wait."""

import pytest

from snippets.hangs import ranks as snippet

pytestmark = pytest.mark.needs(devices=2)


@pytest.fixture(scope="module")
def seen() -> list[dict[str, object]]:
    return snippet.on_ranks(snippet.on_rank, 2)


def test_a_call_on_one_rank_alone_ends_at_the_timeout(seen: list[dict[str, object]]) -> None:
    said = [str(each["a call on rank 0 alone"]) for each in seen]
    # The one that is first ends its connections, which the other may see before its own time is over.
    assert "no error" not in said and any("Timed out waiting 3000ms" in each for each in said)


def test_compared_calls_are_named_at_once(seen: list[dict[str, object]]) -> None:
    said = seen[0]["the same, compared"]
    assert "Detected mismatch between collectives on ranks. Rank 0 is running collective" in said
    assert "OpType=ALLREDUCE" in said and "Timed out" not in said
    assert "Tensor shapes: 1vs 2" in seen[0]["shapes that differ, compared"]


def test_a_monitored_barrier_names_the_rank_that_did_not_come(seen: list[dict[str, object]]) -> None:
    assert "Rank 1 failed to pass monitoredBarrier in 3000 ms" in seen[0]["monitored_barrier"]
    assert seen[1]["monitored_barrier"] == "no error"


def test_generation_with_sharded_weights_waits_for_a_rank_that_has_finished(seen: list[dict[str, object]]) -> None:
    assert seen[0]["generate"] == "no error"
    assert "Timed out waiting 3000ms" in seen[1]["generate"]
    assert [each["generate, synced_gpus=True"] for each in seen] == [3, 7]


def test_the_straggler_waits_least(seen: list[dict[str, object]]) -> None:
    assert [each["straggler"] for each in seen] == [1, 1]


def test_all_ranks_stop_with_the_first_that_has_no_batch(seen: list[dict[str, object]]) -> None:
    assert [each["batches"] for each in seen] == [3, 3]
