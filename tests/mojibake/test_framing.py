"""Bytes with some of them lost belong to the characters that leave the fewest over."""

import pytest
from hexapla.mojibake.encodings.utf8_framing import HOLE, find_characters, frames_and_marks, share_explained, with_holes


def raw(text: str) -> str:
    return text.encode("utf-8").decode("latin-1")


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_characters(text)]


@pytest.mark.parametrize("text", ["é", "模型", "é模🎉型ß"])
def test_whole_characters_are_frames(text: str) -> None:
    assert pieces(f"a{raw(text)}b") == [raw(character) for character in text]
    assert share_explained(raw(text)) == 1.0


@pytest.mark.parametrize(("row", "expected"), [
    (HOLE + raw("模")[1:] + raw("型"), [HOLE + raw("模")[1:], raw("型")]),
    (raw("模") + HOLE * 3 + raw("型"), [raw("模"), HOLE * 3, raw("型")]),
    (raw("模")[:1] + HOLE * 2 + HOLE + raw("ß")[1:], [raw("模")[:1] + HOLE * 2, HOLE + raw("ß")[1:]]),
    (HOLE * 6, [HOLE * 3, HOLE * 3]),
], ids=["a lost lead", "a lost character", "a lost lead after lost bytes", "lost characters: of three bytes likelier"])
def test_lost_bytes_are_framed_with_those_around_them(row: str, expected: list[str]) -> None:
    assert pieces(row) == expected


def test_bytes_that_are_part_of_no_character_are_left_over() -> None:
    row = "\x80\x81" + raw("模")
    assert [frame.whole for frame in find_characters(row)] == [False, True]
    assert share_explained(row) == 3 / 5


def test_a_question_mark_that_a_character_lacks_is_a_hole() -> None:
    lead, second, third = raw("模")
    assert with_holes(f"{lead}?{third}") == lead + HOLE + third
    assert with_holes(f"?{second}{third}") == HOLE + second + third
    assert with_holes(raw("模") + "???") == raw("模") + "???"
    assert with_holes(raw("模") + "? a? ???") == raw("模") + "? a? ???"


def test_question_marks_that_may_be_characters_are_frames_and_a_single_one_is_none() -> None:
    text = raw("模") + "? ??? \x80?"
    assert [text[start:end] for start, end, _ in frames_and_marks(text)] == [raw("模"), "???", "\x80?"]
