"""What a model may not touch, and what it gives back that is not believed."""

import pytest
from hexapla.drafts.placeholders import UntrustedAnswer, protect_all, restore_kept
from hypothesis import given
from hypothesis import strategies as st

TERMS = {"zh": {"batch size": "批次大小", "GPU": "GPU", "batch": "批次"}, "ja": {"GPU": "GPU"}}


def test_code_links_numbers_and_terms_are_put_away():
    text = "Set `x=1` to 1,024 for the [batch size](a.md#b) of a GPU, see <https://a.example>."
    found = protect_all(text, TERMS["zh"])
    assert found.text == "Set [[0]] to [[1]] for the [[[2]][[3]] of a [[4]], see [[5]]."
    assert found.kept == ("`x=1`", "1,024", "批次大小", "](a.md#b)", "GPU", "<https://a.example>")
    assert restore_kept(found, "把 [[0]] 设为 [[1]]，即 [[4]] 的[[[2]][[3]]，见[[5]]。") == (
        "把 `x=1` 设为 1,024，即 GPU 的[批次大小](a.md#b)，见<https://a.example>。"
    )


def test_a_placeholder_of_the_text_itself_is_put_away_too():
    found = protect_all("See [[7]].", {})
    assert restore_kept(found, found.text) == "See [[7]]."


@given(st.text(st.sampled_from("ab1 `[](){}<>#.:/\\ 批"), max_size=40))
def test_what_comes_back_as_it_went_is_the_text(text):
    found = protect_all(text.strip(), TERMS["ja"])
    try:
        assert restore_kept(found, found.text) == text.strip().replace("gpu", "GPU")
    except UntrustedAnswer:
        assert not text.strip() or "`" in found.text or "<" in found.text or "](" in found.text


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "nothing"),
        (" \n", "nothing"),
        ("设为 [[0]]。", "lost or doubled"),
        ("设 [[0]] 为 [[1]] [[1]]。", "lost or doubled"),
        ("设 [[0]] 为 [[1]] [[9]]。", "lost or doubled"),
        ("设 [[0]] 为 [[1]]。<script>alert(1)</script>", "markup"),
        ("设 [[0]] 为 [[1]]。<img src=x onerror=y>", "markup"),
        ("设 [[0]] 为 [[1]]，见[这里](https://evil.example)。", "markup"),
        ("设 [[0]] 为 [[1]]，见 https://evil.example 。", "markup"),
        ("设 [[0]] 为 [[1]] `rm -rf`。", "markup"),
        ("设 [[0]] 为 [[1]]\u202e。", "U+202E"),
        ("设 [[0]] 为 [[1]]\0。", "U+0000"),
        ("设 [[0]] 为 [[1]]。\n\n# 新的一节", "several lines"),
        ("设 [[0]] 为 [[1]]。" + "好" * 500, "far more"),
    ],
)
def test_a_hostile_answer_is_refused(answer, why):
    with pytest.raises(UntrustedAnswer, match=why.replace("+", "\\+")):
        restore_kept(protect_all("Set `x` to 2.", {}), answer)
