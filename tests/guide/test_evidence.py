"""The evidence below the guide's blocks is of the code that stands there."""

import pytest
from hexapla.examples.evidence import RunState
from hexapla.site.snippet_evidence import evidence_states

from tests.guide.guide import SOURCES

SHOWN = {include.path for page in SOURCES.pages.values() for include in page.includes}


@pytest.mark.parametrize("path", sorted(path for path in SHOWN if path.endswith(".py")))
def test_every_shown_snippet_ran_on_a_cpu_as_it_is(path):
    states = {each.state for each in evidence_states(path, SOURCES)}
    assert RunState.RAN in states, "run `make evidence` and commit what it writes"
    assert not states & {RunState.FAILED, RunState.CHANGED}, "run `make evidence` and commit what it writes"
