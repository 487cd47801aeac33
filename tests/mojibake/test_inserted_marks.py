"""A mark between characters goes where the model finds it out of place, and only where marks were pushed in."""

import pytest
from hexapla.mojibake import Corpus
from hexapla.mojibake.decode.decoder import Choice
from hexapla.mojibake.decode.inserted_marks import inserted_mark_edits
from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.encodings.steps import apply_edits

WRITTEN = "训练模型,加载数据,保存权重。\n" * 4


@pytest.mark.parametrize(("text", "expected"), [
    ("内存的,限制决定了批次大小。", "内存的限制决定了批次大小。"),
    ("训练模型,加载数据,保存权重。", "训练模型,加载数据,保存权重。"),
    ("训练,模型,加载数,据,保存权重。", "训练模型,加载数据,保存权重。"),
], ids=["pushed in", "written", "both"])
def test_what_was_pushed_in_goes_and_what_was_written_stays(text: str, expected: str, page: str) -> None:
    held = Corpus([page, WRITTEN], listed=False).model("zh")
    assert held is not None
    assert apply_edits(text, inserted_mark_edits(text, (), (), ",", 1, held)) == expected
    assert inserted_mark_edits(text, (), (), ",", 0, held) == ()


def test_a_mark_that_stays_is_read_with_what_follows_it(page: str) -> None:
    held = Corpus([page, "甲,乙,丙,丁,训练,模型。\n" * 4], listed=False).model("zh")
    assert held is not None
    text = "甲,乙,丙,丁,训练,模,型。"
    assert apply_edits(text, inserted_mark_edits(text, (), (), ",", 1, held)) == "甲,乙,丙,丁,训练,模型。"


def test_slots_are_read_as_what_was_chosen_for_them(page: str) -> None:
    held = Corpus([page, WRITTEN], listed=False).model("zh")
    assert held is not None
    text = "训练ab,cd载数,据"
    slots = [Slot(2, 3, "模"), Slot(3, 4, "型"), Slot(5, 7, "加")]
    chosen = [Choice(slot.candidates, 1.0) for slot in slots]
    assert apply_edits(text, inserted_mark_edits(text, slots, chosen, ",", 1, held)) == "训练ab,cd载数据"


def test_no_more_marks_go_than_are_missing(page: str) -> None:
    held = Corpus([page, WRITTEN], listed=False).model("zh")
    assert held is not None
    text = "训练,模型,加载数,据,保存权重。"
    found = inserted_mark_edits(text, (), (), ",", 1, held)
    assert len(found) == 2
    one = inserted_mark_edits(text, (), (), ",", 1, held, 1)
    assert len(one) == 1
    assert one[0] in found
