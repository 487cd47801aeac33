"""What a snippet prints is compared with what it printed when it was recorded."""

import pytest
from hexapla.examples.result import LINES, compare_outputs
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases


@pytest.mark.parametrize("case", cases("examples/outputs"))
def test_case(case):
    lines = compare_outputs(case["recorded"], case["printed"], case.get("measured", False), case.get("varies", ()))
    assert (not lines) is case["agree"]
    assert case.get("shown", lines[0] if lines else "") in ("", *lines)


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
