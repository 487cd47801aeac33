"""The profiler records three steps, whatever follows, names the phases, and counts the products that a step has."""

import json
from pathlib import Path

import pytest
import torch
from _profiling import batches, tiny_model
from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent
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
    assert not [key for key, _ in snippet.busiest(profiled[0], count=99) if key.startswith(("## ", "ProfilerStep"))]


class OnAGPU:
    """A recorded step as CUDA gives it: each phase on the CPU and, longer, on the GPU, and a kernel in it."""

    def key_averages(self) -> EventList:
        events, number = [], 0
        for phase, (start, end) in {"## forward": (0, 10), "## backward": (50, 80)}.items():
            spans = [
                (phase, DeviceType.CPU, start, end, True),
                (phase, DeviceType.CUDA, start + 3, end + 30, True),
                (f"kernel of {phase[3:]}", DeviceType.CUDA, start + 5, end + 25, False),
            ]
            for name, device, begins, ends, annotated in spans:
                number += 1
                place = {"thread": 1 if device is DeviceType.CPU else 7, "device_type": device, "use_device": "cuda"}
                events.append(FunctionEvent(
                    number, name, start_us=begins, end_us=ends, stack=[], is_user_annotation=annotated, **place
                ))
        tree = EventList(events, use_device="cuda")
        tree._build_tree()
        return tree.key_averages()


@pytest.mark.claim("profiling#trace", "torch/autograd/profiler_util.py::FunctionEvent.cpu_time_total")
def test_on_a_gpu_the_shares_are_those_of_the_cpu_and_phases_are_no_operators() -> None:
    events = [event for event in OnAGPU().key_averages() if event.key.startswith("## ")]
    assert [event.cpu_time_total for event in events] == [10, 0, 30, 0]
    assert snippet.shares(OnAGPU()) == {"## forward": 0.25, "## backward": 0.75}
    assert {key for key, _ in snippet.busiest(OnAGPU())} == {"kernel of forward", "kernel of backward"}
