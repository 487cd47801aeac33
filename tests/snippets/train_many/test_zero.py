"""The ranks share AdamW's state, 8 bytes a parameter, between them, and have one process's weights."""

import pytest
from _train_many import on_ranks

from snippets.train_many import zero as snippet
from snippets.train_many.zero import Steps

pytestmark = pytest.mark.needs(devices=2)


@pytest.fixture(scope="module")
def ranks() -> list[Steps]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


def test_all_state_is_there_once(ranks: list[Steps]) -> None:
    assert sum(steps.state_bytes for steps in ranks) == 8 * ranks[0].parameters


def test_a_rank_holds_about_its_share(ranks: list[Steps]) -> None:
    for steps in ranks:
        share = 8 * steps.parameters / snippet.PROCESSES
        assert steps.state_bytes == pytest.approx(share, rel=0.05)  # Whole tensors are dealt out.


def test_the_weights_are_those_of_one_process(ranks: list[Steps]) -> None:
    for steps in ranks:
        assert steps.difference < 1e-4  # AdamW divides tiny gradients by their size, and so their rounding.


def test_all_weights_are_sent_in_every_step_beside_the_gradients_of_ddp(ranks: list[Steps]) -> None:
    for steps in ranks:
        assert steps.bytes_broadcast == 4 * steps.parameters  # fp32
