"""The moments of a step have its phases in order, its peak, and what each method changes."""

from itertools import pairwise

import pytest

from snippets.memory import over_time as snippet
from snippets.memory import peak

pytestmark = pytest.mark.needs(device="cpu")

MOMENTS = 96


@pytest.fixture(scope="module")
def moments() -> dict[str, list]:
    memories = {name: snippet.simulate(**case) for name, case in snippet.CASES.items()}
    forward, backward = memories["One batch"].phases[2:4]
    per_moment = (backward[2] - forward[2]) / snippet.FORWARD
    return {name: list(memory.moments(per_moment)) for name, memory in memories.items()}


def test_the_highest_moment_is_the_peak_of_the_step(moments: dict[str, list]) -> None:
    highest = max((held for _, held in moments["One batch"]), key=lambda held: held.total())
    assert +highest == +peak.simulate(peak.bert_six_layers).peak()


def test_phases_take_as_long_as_their_operations(moments: dict[str, list]) -> None:
    phases = {name: "".join(phase[0] for phase, _ in each) for name, each in moments.items()}
    forward, optimizer = snippet.FORWARD, "o" * snippet.OPTIMIZER
    assert phases["One batch"] == "f" * forward + "b" * 2 * forward + optimizer
    assert phases["Four pieces"] == ("f" * (forward // 4) + "b" * (forward // 2)) * 4 + optimizer
    assert 2.9 * forward < phases["Checkpointing"].count("b") < 3 * forward + 1


def test_pieces_free_their_activations_and_keep_the_gradients(moments: dict[str, list]) -> None:
    held = [each for _, each in moments["Four pieces"]]
    activations = [each["activations"] for each in held]
    assert max(activations) < max(each["activations"] for _, each in moments["One batch"]) / 3
    assert all(activations[piece * 24] < max(activations) / 3 for piece in range(4))
    assert all(each["gradients"] == held[-1]["gradients"] > 0 for each in held[24:])


def test_checkpointing_computes_a_layer_again_when_its_backward_pass_comes(moments: dict[str, list]) -> None:
    again = [(phase, held["recomputed"]) for phase, held in moments["Checkpointing"]]
    assert all(phase == "backward" for phase, size in again if size)
    teeth = [size > 10e6 for _, size in again]  # Less than half a layer.
    assert sum(before < after for before, after in pairwise(teeth)) == 6
    assert not any(held["recomputed"] for name in ("One batch", "Four pieces") for _, held in moments[name])
