"""A short way gives what the library's own method gives."""

import pytest
from hexapla.pages import python_markdown
from hexapla.pages.shortcuts import SHORT, QuickAttributes
from hypothesis import given
from hypothesis import strategies as st
from markdown.extensions.attr_list import AttrListTreeprocessor

MADE = python_markdown.renderer(python_markdown.setup({"fenced_code": {}, "attr_list": {}, "tables": {}}))
WITH_HIGHLIGHT = python_markdown.renderer(python_markdown.setup({"pymdownx.inlinehilite": {}}))
TABLES = next(one for one in MADE.parser.blockprocessors if type(one).__name__ == "TableProcessor")
PIECES = ["`", "``", "[", "]", "](", "(", ")", "<", ">", "|", "\\", "'", '"', " ", "\n", "\x02", "a", "中"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


def own(processor, name):
    """The method that the library's class has, of the same object."""
    return getattr(type(processor), name).__get__(processor)


@pytest.mark.parametrize("made", [MADE, WITH_HIGHLIGHT])
@given(text=TEXTS)
def test_code_between_backticks(made, text):
    pattern = made.inlinePatterns["backtick"]
    for start in (place for place, character in enumerate(text) if character == "`"):
        assert pattern.find_code_spans(start, text) == own(pattern, "find_code_spans")(start, text)


@pytest.mark.parametrize("name", ["link", "image_link", "reference", "short_reference"])
@given(text=TEXTS)
def test_links(name, text):
    pattern = MADE.inlinePatterns[name]
    MADE.treeprocessors["inline"].stashed_nodes = {}
    for index in range(len(text) + 1):
        assert pattern.getText(text, index) == own(pattern, "getText")(text, index)
        if "getLink" in vars(pattern):
            assert pattern.getLink(text, index) == own(pattern, "getLink")(text, index)


@given(row=TEXTS)
def test_rows_of_tables(row):
    assert TABLES._split(row) == own(TABLES, "_split")(row)


def test_every_method_named_is_there_in_this_release_and_has_its_short_way():
    processors = [one for made in (MADE, WITH_HIGHLIGHT)
                  for one in (*made.inlinePatterns, *made.parser.blockprocessors)]
    for (module, owner), methods in SHORT.items():
        found = [one for one in processors if (type(one).__module__, type(one).__name__) == (module, owner)]
        assert found and all(name in vars(one) for one in found for name in methods), owner


@given(text=st.lists(st.sampled_from([
    "# A *b* {#c}", "para\n{.d}", "*e*{.f} g", "- h\n{.i}", "- j {.k}\n    - l", "| m {.n} | o |\n|---|---|\n| p | q |",
    "r {s} t", "{.u}", "> v\n{: #w }", "### x { y", "a `b`{.c} **d**{#e}f", "- g\n\n    h *i*{.j}\n    {.k}",
]), max_size=6).map("\n\n".join))
def test_attributes_are_looked_for_where_there_are_braces(text):
    quick = python_markdown.convert(MADE, text)
    MADE.treeprocessors.register(AttrListTreeprocessor(MADE), "attr_list", 8)
    whole = python_markdown.convert(MADE, text)
    MADE.treeprocessors.register(QuickAttributes(MADE), "attr_list", 8)
    assert quick == whole



