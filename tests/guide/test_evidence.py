"""The evidence below the guide's blocks is of the code that stands there."""

import re
from itertools import pairwise

import pytest
from hexapla.examples.evidence import RunState
from hexapla.examples.figures import figure_quantities
from hexapla.site.page.snippet_evidence import evidence_states

from tests.guide.guide import SOURCES

PROCESSORS = {"AMD EPYC": "cpu-amd-epyc", "Intel Xeon": "cpu-intel-xeon"}   # as pages and as evidence name them
UNNAMED = re.compile("this CPU|この(例の)?CPU|(这个|这里的) ?CPU", re.I)
REFERENCE = re.compile(r"`(\{evidence[^`]+)`")
SHOWN = {include.path for page in SOURCES.pages.values() for include in page.includes}


@pytest.mark.parametrize("path", sorted(path for path in SHOWN if path.endswith(".py")))
def test_every_shown_snippet_ran_on_a_cpu_as_it_is(path):
    states = {each.state for each in evidence_states(SOURCES.snippets.run_by(path), SOURCES)}
    assert RunState.RAN in states, "run `make evidence` and commit what it writes"
    assert not states & {RunState.FAILED, RunState.CHANGED}, "run `make evidence` and commit what it writes"


def figures_beside_a_processor(text):
    """Each processor that a paragraph names, with the figures that stand in it, or else in the table below."""
    for block, following in pairwise([*re.split(r"\n{2,}", text), ""]):
        for name in PROCESSORS:
            if name in block:
                yield from ((name, each) for each in REFERENCE.findall(block) or REFERENCE.findall(following))


@pytest.mark.parametrize(("language", "path"), SOURCES.pages)
def test_a_processor_that_is_named_beside_figures_is_the_one_that_they_come_from(language, path):
    text = SOURCES.pages[language, path].text
    assert not UNNAMED.search(text), "name the processor: the page says the same to readers with any other"
    for name, reference in figures_beside_a_processor(text):
        assert list(figure_quantities(reference, SOURCES.evidence)[1]) == [PROCESSORS[name]]


def test_figures_stand_beside_both_processors():
    pages = [page.text for page in SOURCES.pages.values()]
    assert {name for text in pages for name, _ in figures_beside_a_processor(text)} == PROCESSORS.keys()
