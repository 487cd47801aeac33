"""The mutations of snippets name lines that are there, and every snippet of this environment has one."""

from benchmarks.mutation_snippets import TABLE, mutate, read
from hexapla.examples.markers import read_requirements

from tests.guide.guide import ROOT, SOURCES

MUTATIONS = read(TABLE.read_text("utf-8"))


def test_every_line_is_there_once():
    for mutation in MUTATIONS:
        assert mutate(SOURCES.snippets.read(mutation.snippet), mutation)


def test_every_snippet_has_a_mutation():
    without = set(SOURCES.snippets.names()) - {mutation.snippet for mutation in MUTATIONS}
    assert {name.partition("/")[0] for name in without} <= {"infer_cpu", "tpu", "xla"}
    assert all(environment(name) for name in without)
