"""The messages of a page, and that nothing else of it is touched."""

from itertools import pairwise

import pytest
from hexapla.pages import parse
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.sections.segments import find_units, put_messages
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases

LINES = st.sampled_from([
    "# Title {#a}", "Some words", "  more  ", "- item", "1. item", "> quoted", "```", "~~~sh", "| a | b |", "|---|---|",
    "a | b", "---", "===", "!!! note \"x\"", "    indented", "<div>", "<!-- c", "-->", "[^1]: note", "[l]: t", "\\",
    "`code` [link](x.md)", "{#id}", "/// tip | Title", "梯度", "", "", "\u2028", "\u202ex", "\x00",
])
PAGES = st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines)))


@pytest.mark.parametrize("case", cases("translation/units"))
def test_case(case):
    found = [f"{unit.kind} {unit.line} {unit.text}" for unit in find_units(case["page"])]
    assert found == case["units"]


@given(PAGES)
def test_messages_put_back_as_they_are_change_nothing(page):
    found = find_units(page)
    assert put_messages(page, {number: unit.text for number, unit in enumerate(found)}, found) == page


@given(PAGES)
def test_messages_stand_apart_in_order_and_have_keys_of_their_own(page):
    found = find_units(page)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len({(unit.section, unit.text, unit.number) for unit in found}) == len(found)


@given(PAGES)
def test_sections_joined_are_the_page(page):
    spans = cut_sections(page)
    if spans:
        assert "".join(page[span.start : span.end] for span in spans) == page
        assert len({span.id for span in spans}) == len(spans)


def test_what_is_put_in_place_is_read_back():
    page = "# A {#a}\n\n- one\n  two\n\n> three  \n> four\n"
    found = find_units(page)
    new = {number: f"{unit.text} more" for number, unit in enumerate(found)}
    changed = put_messages(page, new, found)
    assert [unit.text for unit in find_units(changed)] == list(new.values())
    assert [heading.id for heading in parse(changed).headings] == ["a"]
    assert changed == "# A more {#a}\n\n- one two more\n\n> three  \n> four more\n"
