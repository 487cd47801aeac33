"""The timeline of a step shows how long each way takes, and its waiting where sending is not hidden."""

import pytest

from benchmarks.plots import draw, step_timeline
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError

OUTPUT = """Answers, by the law:
  70B on 16 ranks, step: 4.604 seconds
A step of 70B on 16 ranks, seconds of computing and of sending in each pass:
  FSDP, 8 adapters: forward 1.000 and 0.300, backward 3.000 and 1.000
  HSDP, 1 adapter: forward 1.000 and 0.300, backward 3.000 and 5.000"""


def test_each_way_has_its_passes() -> None:
    found = step_timeline.read(OUTPUT)
    assert found == {"FSDP, 8 adapters": ((1, 0.3), (3, 1)), "HSDP, 1 adapter": ((1, 0.3), (3, 5))}


def test_another_output_is_an_error() -> None:
    with pytest.raises(TableError, match="again"):
        step_timeline.read("Answers, by the law:")


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_the_longer_of_computing_and_sending_counts_and_what_is_not_hidden_is_waited_for(form: draw.Form) -> None:
    svg = step_timeline.picture(step_timeline.read(OUTPUT), words("en").__getitem__, draw.Look("en", "light", form))
    assert svg.count(">4.0 s<") == 1 and svg.count(">6.0 s<") == 1
    assert svg.count(">waits<") == 1
    assert svg.count(f'fill="{step_timeline.PINK}"') == 2  # one part of a step, and the key
