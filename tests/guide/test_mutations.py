"""The mutations of snippets name lines that are there, and every snippet of the main environment has one."""

from hexapla.examples.markers import CORE, read_requirements

from benchmarks.mutation_snippets import ROOT, TABLE, mutate, read
from benchmarks.mutation_snippets import test_of as path_of_test
from tests.guide.guide import SOURCES

MUTATIONS = read(TABLE.read_text("utf-8"))


def test_every_line_is_there_once():
    for mutation in MUTATIONS:
        assert mutate(SOURCES.snippets.read(mutation.snippet), mutation)


def test_every_snippet_has_a_mutation():
    without = set(SOURCES.snippets.names()) - {mutation.snippet for mutation in MUTATIONS}
    needs = {name: read_requirements((ROOT / path_of_test(name)).read_text("utf-8")) for name in without}
    assert [name for name, each in needs.items() if each.environment == CORE] == []
