"""The evidence below the guide's blocks is of the code that stands there."""

import pytest
from hexapla.examples.evidence import State
from hexapla.site.snippet_view import evidence_states

from tests.guide.guide import SOURCES


@pytest.mark.parametrize("path", sorted(path for path in SOURCES.included if path.endswith(".py")))
def test_every_shown_snippet_ran_on_a_cpu_as_it_is(path):
    states = {each.state for each in evidence_states(path, SOURCES)}
    assert State.RAN in states, "run `make evidence` and commit what it writes"
    assert not states & {State.FAILED, State.CHANGED}, "run `make evidence` and commit what it writes"
