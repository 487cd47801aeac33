"""Comments are translated, and nothing but comments."""

import pytest
from hexapla.examples.comments import (
    CommentError,
    CommentTable,
    code_tokens,
    derive_comments,
    parse_comments,
    translate_comments,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases

SOURCE = 'def f(x):\n    # One.\n    return x + "# One."  # Two.\n'


@pytest.mark.parametrize("case", cases("examples/comments"))
def test_case(case):
    table, mistakes = parse_comments(case["table"], ["en", "zh", "ja"])
    assert not mistakes
    assert translate_comments(case["source"], table, case["language"]) == case["translated"]


@given(st.text(max_size=40))
def test_whatever_the_table_says_the_code_stays_or_it_is_refused(text):
    table = CommentTable({"One.": {"zh": text}, "Two.": {"zh": text}})
    try:
        translated = translate_comments(SOURCE, table, "zh")
    except CommentError:
        return
    assert code_tokens(translated) == code_tokens(SOURCE)
    assert len(translated.splitlines()) == len(SOURCE.splitlines())  # what an excerpt is cut by


@pytest.mark.parametrize("rendering", ["一\nimport os", "一\rimport os", "一\x0cimport os"])
def test_a_rendering_that_would_add_a_line_is_refused_or_stays_a_comment(rendering):
    try:
        translated = translate_comments(SOURCE, CommentTable({"One.": {"zh": rendering}}), "zh")
    except CommentError:
        return
    assert "import os" not in {text for _, text in code_tokens(translated)}


def test_a_language_is_derived_where_nobody_wrote_it():
    renderings = {"One.": {"zh": "一"}, "Two.": {"zh": "二", "zh-Hant": "貳"}, "Three.": {"ja": "三"}}
    table = CommentTable(renderings, {"One.": 1})
    assert derive_comments(table, "zh", "zh-Hant", lambda text: f"{text}!") == CommentTable(
        {"One.": {"zh": "一", "zh-Hant": "一!"}, "Two.": {"zh": "二", "zh-Hant": "貳"}, "Three.": {"ja": "三"}},
        {"One.": 1},
    )


def test_a_source_that_is_no_python_is_refused():
    with pytest.raises(CommentError, match="is not Python"):
        translate_comments("x = (1\n", CommentTable(), "zh")
