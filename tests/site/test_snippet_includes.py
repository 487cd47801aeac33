"""A block may show several parts of a snippet, such as its imports and a function: one note stands below them."""

from types import SimpleNamespace

import pytest
from hexapla.pages.lines import read
from hexapla.site.page.snippet_includes import PLACEHOLDER, expand_includes

SOURCE = """\
# --8<-- [start:imports]
import math
# --8<-- [end:imports]
import sys


# --8<-- [start:area]
def area(radius):
    return math.pi * radius**2
# --8<-- [end:area]
"""
TWO_PARTS = '--8<-- "demo/area.py:imports"\n\n--8<-- "demo/area.py:area"\n'
TWO_FILES = '--8<-- "demo/area.py:imports"\n--8<-- "demo/other.py:area"\n'


def expanded(block):
    sources = SimpleNamespace(snippets=SimpleNamespace(name=lambda path: path))
    inputs = SimpleNamespace(read=lambda method, path, language: SOURCE, site=SimpleNamespace(sources=sources))
    return expand_includes([*read(f"# Title {{#title}}\n\n```python\n{block}```\n")], inputs, "en")


def test_the_parts_of_a_file_in_a_block_have_one_note_from_the_first_line_to_the_last():
    text, included = expanded(TWO_PARTS)
    assert "import math\n\ndef area(radius):" in text
    assert "sys" not in text
    assert [(each.excerpt.first, each.excerpt.last, each.last) for each in included] == [(2, 9, True)]
    assert [text.count(PLACEHOLDER.format(number=number)) for number in (0, 1)] == [1, 0]


def test_two_files_in_a_block_have_a_note_each():
    text, included = expanded(TWO_FILES)
    assert [each.include.path for each in included] == ["demo/area.py", "demo/other.py"]
    assert all(text.count(PLACEHOLDER.format(number=number)) == 1 for number in range(2))


@pytest.mark.parametrize("block", [TWO_PARTS, TWO_FILES])
def test_every_note_has_its_place(block):
    text, included = expanded(block)
    assert all(PLACEHOLDER.format(number=number) in text for number in range(len(included)))
