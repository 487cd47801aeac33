"""Every rank has half of each row, attends with half of the heads over all of it, and gets one process's results."""

import pytest
from _train_many import on_ranks

from snippets.train_many import sequence_parallel as snippet
from snippets.train_many.sequence_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the values agree to six digits or so.
SAME = 1e-5
ROWS, HEADS, LENGTH, LAYERS = 8, 4, 16, 4


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def test_logits_and_gradients_are_those_of_one_process(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.logits_difference < SAME
        assert step.gradients_difference < SAME


def test_a_rank_has_half_of_each_row_and_attends_with_half_of_the_heads(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.tokens_a_row == LENGTH // 2
        assert step.attended == {(ROWS, HEADS // 2, LENGTH, 16)}


def test_queries_keys_values_and_outputs_are_exchanged_in_each_pass(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.exchanges == 2 * 4 * LAYERS
