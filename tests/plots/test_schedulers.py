"""The timelines say what the schedulers did, and how long each took."""

import re

import pytest

from benchmarks.plots import draw, schedulers
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE, PINK

OUTPUT = """2 requests with prompts of 2,048 tokens to an 8B model, 2 at once, on an H100:
  continuous: last token 140 ms, first token 45 ms on average, longest gap 34.7 ms
    slot 1: prompt 1 0.0 30.0 0, waits 1 30.0 60.0 0, tokens 1 60.0 80.0 4, tokens 1 80.0 90.0 2
    slot 2: prompt 2 30.0 60.0 0, tokens 2 60.0 140.0 16
  separate: last token 90 ms, first token 30 ms on average, longest gap 4.9 ms
    prompts: prompt 1 0.0 30.0 0
    slot 1: tokens 1 30.6 90.0 12"""


def test_each_scheduler_has_its_figures_and_its_rows() -> None:
    found = schedulers.read(OUTPUT)
    assert [(name, *run[:3], [*run.rows]) for name, run in found.items()] == [
        ("continuous", 140, 45, 34.7, ["slot 1", "slot 2"]), ("separate", 90, 30, 4.9, ["prompts", "slot 1"])
    ]
    assert found["continuous"].rows["slot 1"][1] == ("waits", 1, 30, 60, 0)


def test_another_output_is_an_error() -> None:
    with pytest.raises(TableError, match="again"):
        schedulers.read("Answers, by the law:")


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_a_request_is_named_once_in_a_slot_and_each_token_ends_at_a_notch(form: draw.Form) -> None:
    svg = schedulers.picture(schedulers.read(OUTPUT), words("ja").__getitem__, draw.Look("ja", "light", form))
    assert [svg.count(f'fill="{fill}"') - 1 for fill in (BLUE, ORANGE, PINK)] == [4, 3, 1]  # less the key
    assert [svg.count(f">{number}</text>") for number in (1, 2)] == [3, 1]
    notches = [len(re.findall("M", path)) for path in re.findall(r'd="([^"]+)" stroke="#ffffff"', svg)]
    assert notches == [3, 2, 15, 11]  # between tokens, also from one span to the next
    assert "最初のトークン平均45 ms、間隔は最長35 ms、完了140 ms" in svg and ">枠2</text>" in svg
