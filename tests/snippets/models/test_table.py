"""The tables that pages include are those of the recorded cells."""

import json
import re

import pytest
from _cells import read_table
from _lookup_data import dump_lookup
from _methods import METHODS
from _texts import (
    LANGUAGES,
    concerned_methods,
    label,
    read_texts,
    reason,
    remedy,
    title,
    untried_methods,
)
from _traits import TRAITS
from hexapla.pages import excerpt

from snippets.models import table as snippet

pytestmark = pytest.mark.needs(device="cpu")


def test_the_files_are_rendered_from_the_cells() -> None:
    for file, text in snippet.files(read_table()):
        assert file.read_text(encoding="utf-8") == text, f"python snippets/models/table.py --write: {file.name}"


def test_a_row_counts_the_kinds_and_links_the_section() -> None:
    table = read_table()
    row = next(each for each in snippet.render_methods(table) if "packing.md#packing" in each)
    results = [record.cells["packing"].result for record in table.types.values() if record.cells]
    tried = sum(results.count(each) for each in ("works", "differs", "raises"))
    assert f"(packing.md#packing) | {results.count('works')}/{tried} |" in row


def test_each_language_has_the_same_rows() -> None:
    table = read_table()
    texts = [[re.findall(r"\w+\.md#[\w-]+|\d+/\d+", row) for row in snippet.render_methods(table, language)]
             for language in snippet.HEADS]
    assert all(each == texts[0] for each in texts)


@pytest.mark.parametrize("language", snippet.HEADS)
def test_each_result_that_no_trait_explains_is_marked(language: str) -> None:
    table = read_table()
    *rows, _, counted = snippet.render_kinds(table, language)
    unexplained = len(list(snippet.unexplained_cells(table)))
    assert "\n".join(rows).count(snippet.MARK) == unexplained > 0
    assert counted.startswith(snippet.MARK) and str(unexplained) in counted


def test_each_method_has_a_line_that_counts_decoders_names_what_limits_it_and_leads_to_the_lookup() -> None:
    table = snippet.decoders_of(read_table())
    assert {record.kind for record in table.types.values()} == {"decoder"}
    for language in snippet.HEADS:
        text = "\n".join(snippet.render_lines(read_table(), language))
        for method in table.methods:
            line = excerpt(text, method).text
            works, tried = snippet.count_works(table, method)
            assert str(works) in line and str(tried) in line
            assert ("(models.md#lookup)" in line) == (works < tried)
            limits = [trait for trait, _ in snippet.explaining_traits(table, method)[:snippet.FEW]] * (works < tried)
            assert re.findall(r"#trait-([\w-]+)", line) == limits
            assert "\n" not in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_trait_and_each_method_has_its_texts_in_each_language(language: str) -> None:
    assert all(label(each.name, language) and reason(each.name, language)[-1] in ".。" for each in TRAITS)
    assert all(title(each.name, language) and remedy(each.name, language=language) for each in METHODS)


def test_a_trait_that_no_kind_has_is_not_on_the_page() -> None:
    text = "\n".join(snippet.render_traits(read_table()))
    assert "#trait-grouped-heads" in text
    assert not re.search(r"\b0 of \d+ kinds", text)


def test_a_trait_speaks_of_methods_that_there_are() -> None:
    assert set(read_texts("traits")) == {each.name for each in TRAITS}
    methods = {each.name for each in METHODS} | set(untried_methods())
    assert set(read_texts("methods")) == methods
    assert {method for each in TRAITS for method in concerned_methods(each.name)} <= methods


def test_the_lookup_has_advice_for_each_trait_that_explains() -> None:
    table = read_table()
    data = json.loads(dump_lookup(table, snippet.methods_of(table)))
    kind = data["kinds"]["gemma2"]
    assert [data["traits"][number] for number in kind[1]] == list(table.types["gemma2"].traits)
    assert len(kind[2]) == len(data["methods"])
    for texts in data["texts"].values():
        pairs = {f"{method} {trait}" for method, about in data["methods"].items() for trait in about["because"]}
        assert pairs | set(data["methods"]) == set(texts["advice"])
