"""Repairing from Python gives the sentence back, and says what it did."""

from repair_text import CLEAN, GARBLED, PAGES, repaired


def test_the_sentence_comes_back():
    assert GARBLED != CLEAN
    assert len(GARBLED.encode("cp1254")) < len(CLEAN.encode("utf-8"))  # bytes were really lost
    result = repaired(GARBLED, PAGES)
    assert result.text == CLEAN
    assert "cp125" in " ".join(result.diagnosis.steps)  # 1252 and 1254 differ in no byte of this sentence
