"""Every rank holds half of the experts, tokens are exchanged twice a layer and pass, and the gradients are equal."""

import pytest
from _train_many import on_ranks

from snippets.train_many import expert_parallel as snippet
from snippets.train_many.expert_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
LAYERS = 2


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def test_the_gradients_are_those_of_one_process_with_all_rows(ranks: list[Step]) -> None:
    assert [step.difference < SAME for step in ranks] == [True] * snippet.PROCESSES


def test_a_rank_holds_two_of_four_experts(ranks: list[Step]) -> None:
    for step in ranks:
        assert len(step.experts) == 2 * LAYERS
        assert set(step.experts.values()) == {2}


def test_tokens_go_to_their_experts_and_back_in_each_pass(ranks: list[Step]) -> None:
    for step in ranks:
        assert step.exchanges == 2 * 2 * LAYERS
