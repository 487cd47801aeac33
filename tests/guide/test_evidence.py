"""The evidence below the guide's blocks is of the code that stands there."""

import re
from itertools import pairwise

from hexapla.examples.evidence import RunState
from hexapla.examples.figures import figure_quantities
from hexapla.site.page.snippet_evidence import evidence_states

from tests.guide.guide import SOURCES

PROCESSORS = {"AMD EPYC": "cpu-amd-epyc", "Intel Xeon": "cpu-intel-xeon"}   # as pages and as evidence name them
UNNAMED = re.compile("this CPU|この(例の)?CPU|(这个|这里的) ?CPU", re.I)
REFERENCE = re.compile(r"`(\{evidence[^`]+)`")
SHOWN = {include.path for page in SOURCES.pages.values() for include in page.includes}


def test_every_shown_snippet_ran_on_a_cpu_as_it_is():
    left = {}
    for path in sorted(path for path in SHOWN if path.endswith(".py")):
        states = {each.state for each in evidence_states(SOURCES.snippets.run_by(path), SOURCES)}
        if not states & {RunState.RAN, RunState.PARTLY} or states & {RunState.FAILED, RunState.CHANGED}:
            left[path] = states
    assert not left, "run `make evidence` and commit what it writes"


def figures_beside_a_processor(text):
    """Each processor that a paragraph names, with the figures that stand in it, or else in the table below."""
    for block, following in pairwise([*re.split(r"\n{2,}", text), ""]):
        for name in PROCESSORS:
            if name in block:
                yield from ((name, each) for each in REFERENCE.findall(block) or REFERENCE.findall(following))


def test_a_processor_is_called_by_its_name():
    unnamed = {name: found[0] for name, page in SOURCES.pages.items() if (found := UNNAMED.search(page.text))}
    assert not unnamed, "name the processor: the page says the same to readers with any other"


def test_a_processor_that_is_named_beside_figures_is_the_one_that_they_come_from():
    others = {}
    for place, page in SOURCES.pages.items():
        for name, reference in figures_beside_a_processor(page.text):
            measured = list(figure_quantities(reference, SOURCES.evidence)[1])
            if measured != [PROCESSORS[name]]:
                others[place, reference] = (name, measured)
    assert not others


def test_figures_stand_beside_both_processors():
    pages = [page.text for page in SOURCES.pages.values()]
    assert {name for text in pages for name, _ in figures_beside_a_processor(text)} == PROCESSORS.keys()
