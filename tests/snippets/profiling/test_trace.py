"""The profiler records three steps, whatever follows, names the phases, and counts the products that a step has."""

import json
from pathlib import Path

import pytest
import torch
from _profiling import batches, tiny_model
from torch.profiler import profile

from snippets.profiling import trace as snippet

pytestmark = pytest.mark.measures


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[profile, Path]:
    file = tmp_path_factory.mktemp("trace") / "trace.json"
    return snippet.profile_steps(tiny_model(), batches(14), str(file)), file


def test_three_steps_are_recorded(profiled: tuple[profile, Path]) -> None:
    counts = {event.key: event.count for event in profiled[0].key_averages()}
    assert counts["## forward"] == counts["## backward"] == counts["## optimizer"] == 3


def test_every_linear_layer_is_three_products_per_step(profiled: tuple[profile, Path]) -> None:
    products = sum(event.count for event in profiled[0].key_averages() if event.key == "aten::mm")
    linear = sum(isinstance(module, torch.nn.Linear) for module in tiny_model().modules())
    assert products == 3 * 3 * linear


def test_the_trace_is_for_a_viewer(profiled: tuple[profile, Path]) -> None:
    events = json.loads(profiled[1].read_text(encoding="utf-8"))["traceEvents"]
    assert {"## forward", "aten::mm"} <= {event.get("name") for event in events}


def test_the_phases_are_all_of_the_time(profiled: tuple[profile, Path]) -> None:
    assert sum(snippet.shares(profiled[0]).values()) == pytest.approx(1)
    assert len(snippet.busiest(profiled[0], count=5)) == 5
