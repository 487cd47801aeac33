"""Repairing from Python gives the sentence back, and says what it did."""

from pathlib import Path

import pytest
from repair_text import CLEAN, GARBLED, PAGES, repaired

pytestmark = pytest.mark.needs(device="cpu")


def test_the_sentence_comes_back():
    assert GARBLED != CLEAN
    assert len(GARBLED.encode("cp1254")) < len(CLEAN.encode("utf-8"))  # bytes were really lost
    result = repaired(GARBLED, PAGES)
    assert result.text == CLEAN
    assert "cp125" in " ".join(result.diagnosis.steps)  # 1252 and 1254 differ in no byte of this sentence


def test_pages_at_hand_tell_characters_that_are_uncertain_without_them(tmp_path: Path):
    sentence = "爨底下村的鎏金窗棂在暮色里泛着微光。\n"
    garbled = "".join(each for each in sentence.encode().decode("latin-1") if not 0x7F <= ord(each) <= 0xA0)
    alone = repaired(garbled, tmp_path)
    (tmp_path / "page.md").write_text(sentence * 3, "utf-8")
    beside = repaired(garbled, tmp_path)
    assert beside.text.count("〓") < alone.text.count("〓")
