"""A layer is gathered before it computes and freed after it, in both passes, and its gradients leave it at once."""

import pytest
from _train_many import on_ranks

from snippets.train_many import fsdp_order as snippet

pytestmark = pytest.mark.needs(devices=2)


@pytest.fixture(scope="module")
def events() -> list[list[str]]:
    return on_ranks(snippet.order, snippet.PROCESSES)[0]


@pytest.mark.parametrize("layer", [f"layer {number}" for number in range(1, 5)])
def test_a_layer_is_whole_only_while_it_computes(events: list[list[str]], layer: str) -> None:
    actions = [action for action, unit in events if unit == layer]
    assert actions == ["gather", "forward", "free", "gather", "backward", "free", "scatter"]


def test_the_rest_is_gathered_once_and_scattered_last(events: list[list[str]]) -> None:
    assert [action for action, unit in events if unit == "rest"] == ["gather", "forward", "backward", "free", "scatter"]
    assert events[-1] == ["scatter", "rest"]


def test_the_backward_pass_gathers_the_next_layer_while_one_computes(events: list[list[str]]) -> None:
    for layer in (4, 3, 2):
        backward = events.index(["backward", f"layer {layer}"])
        assert events[backward + 1] == ["gather", f"layer {layer - 1}"]
