"""The tables that pages include are those of the recorded cells."""

import pytest
from _cells import read_table
from _methods import METHODS
from _texts import LANGUAGES, label, title
from _traits import TRAITS
from hexapla.pages import excerpt

from snippets.models import table as snippet

pytestmark = pytest.mark.needs(device="cpu")


def test_the_files_are_rendered_from_the_cells() -> None:
    for file, text in snippet.files(read_table()):
        assert file.read_text(encoding="utf-8") == text, f"python snippets/models/table.py --write: {file.name}"


def test_a_row_counts_the_kinds_and_links_the_section() -> None:
    table = read_table()
    row = next(each for each in snippet.render_methods(table) if each.startswith("| [packing]"))
    results = [record.cells["packing"].result for record in table.types.values() if record.cells]
    tried = sum(results.count(each) for each in ("works", "differs", "raises"))
    assert f"(long_sequences.md#packing) | {results.count('works')}/{tried} |" in row


def test_each_language_has_the_same_rows() -> None:
    table = read_table()
    texts = [list(snippet.render_methods(table, language))[1:] for language in snippet.HEADS]
    assert all(each == texts[0] for each in texts)


def test_each_method_has_a_line_that_names_its_traits() -> None:
    table = read_table()
    for language in snippet.HEADS:
        text = "\n".join(snippet.render_lines(table, language))
        for method in table.methods:
            line = excerpt(text, method).text
            first = [trait for trait, _ in snippet.explaining_traits(table, method)][:snippet.NAMED]
            assert [f"#trait-{trait})" in line for trait in first] == [True] * len(first)
            assert "\n" not in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_trait_and_each_method_has_a_name_in_each_language(language: str) -> None:
    assert all(label(each.name, language) for each in TRAITS)
    assert all(title(each.name, language) for each in METHODS)
