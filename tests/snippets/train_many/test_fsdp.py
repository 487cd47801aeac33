"""Every rank holds a half of the weights and of the optimizer's state, and all layers are gathered when needed."""

import pytest
from _train_many import on_ranks

from snippets.train_many import fsdp as snippet
from snippets.train_many.fsdp import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
LAYERS = 4


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("way", range(3), ids=["torch", "kept", "transformers"])
def test_the_gradients_are_those_of_all_rows(ranks: list[list[Step]], way: int) -> None:
    assert [steps[way].difference < SAME for steps in ranks] == [True] * snippet.PROCESSES


@pytest.mark.parametrize("way", range(3), ids=["torch", "kept", "transformers"])
def test_a_rank_holds_a_half(ranks: list[list[Step]], way: int) -> None:
    for steps in ranks:
        assert steps[way].bytes_per_parameter == {"weights": 4 / 2, "optimizer": 8 / 2}


def test_a_layer_is_gathered_for_each_pass_and_the_rest_once(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[0].gathers == 2 * LAYERS + 1
        assert steps[0].scatters == LAYERS + 1


def test_a_layer_that_is_kept_is_gathered_once(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[1].gathers == LAYERS + 1
        assert steps[1].scatters == LAYERS + 1


def test_transformers_makes_units_of_the_layers_too(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[2].gathers > 2 * LAYERS
        assert steps[2].scatters > LAYERS
