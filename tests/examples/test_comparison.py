"""What a snippet prints is compared with what it printed when it was recorded."""

import pytest
from hexapla.examples import result
from hexapla.examples.client import Limits, ProcessResult
from hexapla.examples.evidence import Run, Status
from hexapla.examples.markers import Requirements
from hexapla.examples.result import LINES, compare_outputs
from hexapla.examples.snippet_runs import compare_with_recorded
from hexapla.examples.tasks import Task
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases


@pytest.mark.parametrize("case", cases("examples/outputs"))
def test_case(case):
    lines = compare_outputs(case["recorded"], case["printed"], case.get("measured", False), case.get("varies", ()))
    assert (not lines) is case["agree"]
    assert case.get("shown", lines[0] if lines else "") in ("", *lines)


def test_a_pattern_that_takes_too_long_is_named_and_whatever_compares_goes_on(monkeypatch):
    monkeypatch.setattr(result, "PATTERN_SECONDS", 0.5)
    slow = Requirements(varies=("(a+)+$",))
    run = Run(Status.RAN, "", "", 0.0, 0, {}, "a" * 60 + "b")
    said = compare_with_recorded(run, run, Task("area/it.py", "", slow))[0]
    assert said.status is Status.FAILED
    assert "varies('(a+)+$') takes more than 0.5 s" in said.reason
    ended = ProcessResult(0, "", 0.0, 0, run.output, "", ())
    assert result.repetition_problem(ended, ended, slow.varies, Limits()) == said.reason


@given(st.text())
def test_an_output_agrees_with_itself(text):
    assert not compare_outputs(text, text)


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_one_percent_more_is_another_number_and_a_hundred_thousandth_is_not(value):
    assert compare_outputs(f"{value:.6e}", f"{value * 1.01:.6e}")
    assert not compare_outputs(f"{value:.6e}", f"{value * 1.00001:.6e}")


def test_of_a_long_difference_the_beginning_is_shown():
    lines = compare_outputs("a\n" * 500, "b\n" * 500)
    assert len(lines) == LINES + 1
    assert lines[-1] == f"... and {1003 - LINES} lines more"
