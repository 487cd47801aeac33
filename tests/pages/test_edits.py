"""The door: an edit changes what it names and nothing else; what would change more is left out with its reason."""

import pytest
from hexapla.pages.dialects import make_dialect
from hexapla.pages.edits import (
    CODE_BLOCK,
    HEADING_ID,
    LINK_TARGET,
    SECTION,
    PageEdit,
    apply_edits,
    moved_back,
    readable_items,
    replace_extents,
    without_overlaps,
)
from hexapla.pages.reader import read
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = "# 页 {#p}\n\n见[乙](b.md#x)和 `a`。\n\n```python\nx = 1\n```\n\n## 二 {#two}\n\n终。\n"
DIALECTS = {"python-markdown": make_dialect("", None), "github": make_dialect("github", None)}
REACT = "# ページ\n\n```js\na();\n````\n\n翻訳した段落。\n\n```js\nb();\n```\n"


def reading(dialect):
    return lambda text: read(text, DIALECTS[dialect])


def edit(kind, old, new, text=TEXT):
    start = text.index(old)
    return PageEdit(kind, start, start + len(old), new)


TRUE = [
    edit(HEADING_ID, "p}", "page}")._replace(end=TEXT.index("p}") + 1, text="page"),
    edit(LINK_TARGET, "b.md#x", "c.md#y"), edit(CODE_BLOCK, "x = 1\n", "x = 2\n"), edit(HEADING_ID, "two", "second"),
]
FALSE = [
    edit(HEADING_ID, "页", "面"), edit(LINK_TARGET, "乙", "丙"), edit(LINK_TARGET, "b.md#x)和", "c.md)与"),
    edit(LINK_TARGET, "b.md#x", "c) d"), edit(CODE_BLOCK, "x = 1\n", "```\n\nx\n"), edit(CODE_BLOCK, "x = 1\n", ""),
    edit(CODE_BLOCK, "终。", "完。"), edit(LINK_TARGET, "`a`", "a"), edit(HEADING_ID, "p}\n", "p}\n\n# x"),
    edit(SECTION, "终。", "完。\n\n# 又")._replace(kind=LINK_TARGET), PageEdit(HEADING_ID, 900, 901, "x"),
]


def test_lines_end_as_those_of_the_text_before_the_edits():
    edits = [PageEdit(SECTION, 0, 0, "\n"), PageEdit(SECTION, 1, 1, "z")]
    assert replace_extents("\r\n", edits) == "\r\n\rz\n"


@given(text=st.text("ab\r\n", max_size=12), words=st.lists(st.text("xy\n", max_size=3), max_size=4), data=st.data())
def test_an_edit_that_was_made_after_others_is_made_with_them(text, words, data):
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2 * len(words), max_size=2 * len(words))))
    given_edits = map(PageEdit, [SECTION] * len(words), places[::2], places[1::2], words)
    made, _ = without_overlaps(text, given_edits)
    after = replace_extents(text, made)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(after)), st.integers(0, len(after)))))
    later = PageEdit(SECTION, start, end, "z")
    moved = moved_back(later, text, made)
    if moved is not None and len(without_overlaps(text, [*made, moved])[0]) == len(made) + 1:
        assert replace_extents(text, [*made, moved]) == after[:start] + "z" + after[end:]


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(deadline=None)
@given(chosen=st.sets(st.sampled_from(TRUE + FALSE)))
def test_an_edit_changes_what_it_names_and_nothing_else(dialect, chosen):
    edited = apply_edits(TEXT, chosen, reading(dialect))
    assert set(edited.made) | {each for each, _ in edited.left} == chosen
    assert not set(edited.made) & set(FALSE)
    assert all(reason for _, reason in edited.left)
    before, after = (list(readable_items(reading(dialect)(text))) for text in (TEXT, edited.text))
    parts = {"heading id": HEADING_ID, "link target": LINK_TARGET, "code": CODE_BLOCK}
    differing = [one[0] for one, other in zip(before, after, strict=True) if one != other]
    assert sorted(parts[part] for part in differing) == sorted(each.kind for each in edited.made)


def test_all_true_edits_are_made_and_a_text_without_edits_stays():
    edited = apply_edits(TEXT, TRUE, reading("python-markdown"))
    assert len(edited.made) == len(TRUE) and not edited.left
    assert apply_edits(TEXT, [], reading("python-markdown")).text == TEXT


def test_the_second_of_two_edits_that_overlap_is_left_out():
    first, second = edit(LINK_TARGET, "b.md#x", "c.md"), edit(LINK_TARGET, "#x", "#y")
    edited = apply_edits(TEXT, [second, first], reading("python-markdown"))
    assert edited.made == (first,) and edited.left == ((second, "it meets another edit"),)


def test_a_page_that_cannot_be_read_stays():
    unreadable = "# A {#a}\n" + "x" * 2_000_001
    edited = apply_edits(unreadable, [PageEdit(HEADING_ID, 6, 7, "b")], reading("python-markdown"))
    assert edited.text == unreadable and edited.left[0][1] == "the page cannot be read"


def test_a_section_may_change_whole_and_what_stands_around_it_may_not():
    whole = edit(SECTION, "## 二 {#two}\n\n终。\n", "## 贰 {#two}\n\n完。\n\n- 一\n- 二\n")
    assert apply_edits(TEXT, [whole], reading("python-markdown")).made == (whole,)
    open_fence = whole._replace(start=0, end=0, text="```\n")
    assert apply_edits(TEXT, [open_fence], reading("python-markdown")).made == ()


def test_a_paragraph_below_a_fence_that_more_marks_close_is_no_code():
    prose = edit(CODE_BLOCK, "翻訳した段落。\n", "A paragraph.\n", REACT)
    assert apply_edits(REACT, [prose], reading("github")).made == ()
    code = edit(CODE_BLOCK, "b();\n", "c();\n", REACT)
    assert apply_edits(REACT, [code], reading("github")).made == (code,)
