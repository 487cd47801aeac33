"""Where a snippet belongs is read from its test without importing it."""

import pytest
from hexapla.examples.markers import MarkerError, Requirements, read_requirements

from tests.cases import cases


@pytest.mark.parametrize("case", cases("examples/markers"))
def test_case(case):
    if "refused" in case:
        with pytest.raises(MarkerError) as refused:
            read_requirements(case["test"])
        assert str(refused.value) == case["refused"]
    else:
        belongs = {name: tuple(value) if isinstance(value, list) else value for name, value in case["belongs"].items()}
        assert read_requirements(case["test"]) == Requirements(**belongs)
