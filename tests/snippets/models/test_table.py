"""The tables that pages include are those of the recorded cells."""

import pytest
from _cells import read_table

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
