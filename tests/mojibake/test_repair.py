"""What comes back when bytes are gone, and what is said about it."""

import pytest
from hexapla.mojibake import Corpus, repair, replay
from hexapla.mojibake.channel import C1, SOFT_HYPHEN, Channel, Layer, garble, insert_every

CP1252 = Channel((Layer("cp1252"),))
CP1254 = Channel((Layer("cp1254", lost=(SOFT_HYPHEN,)),))
ALL_C1 = Channel((Layer("latin-1", lost=(*C1, SOFT_HYPHEN)),))
DOUBLED = Channel((Layer("latin-1"), Layer("cp1252")))


@pytest.mark.parametrize("channel", [CP1252, CP1254, ALL_C1, DOUBLED], ids=str)
def test_dropped_bytes_come_back(channel: Channel, corpus: Corpus, draft: str) -> None:
    repaired = repair(garble(draft, channel), corpus, guess=True)
    wrong = sum(1 for one, two in zip(repaired.text, draft, strict=True) if one != two)
    assert wrong <= 2
    assert repaired.diagnosis.language == "zh"


@pytest.mark.parametrize("codec", ["gbk", "gb18030"])
def test_bytes_that_gbk_could_not_read_come_back(codec: str, corpus: Corpus, draft: str) -> None:
    garbled = draft.encode("utf-8").decode(codec, "replace")
    assert "\ufffd" in garbled
    repaired = repair(garbled, corpus, guess=True)
    assert repaired.text == draft
    assert f"utf-8 -> {codec}"[:12] in repaired.diagnosis.steps[0]


def test_a_comma_every_45_bytes_is_counted_out(corpus: Corpus, page: str) -> None:
    garbled = insert_every(page, ALL_C1, ",", 45)
    repaired = repair(garbled, corpus, guess=True)
    assert repaired.diagnosis.inserted == ", every 45 bytes"
    assert "," not in repaired.text


def test_the_diagnosis_names_codec_and_bytes(corpus: Corpus, page: str) -> None:
    steps = repair(garble(page, CP1254), corpus).diagnosis.steps
    assert steps == ("utf-8 -> cp1254", "dropped 81 8d 8e 8f 90 9d 9e ad")


def test_an_uncertain_character_is_never_shown_as_sure(corpus: Corpus, draft: str) -> None:
    garbled = garble(draft + "龘靐齉\n", ALL_C1)
    sure, guessed = repair(garbled, corpus), repair(garbled, corpus, guess=True)
    assert sure.uncertain
    for item in sure.uncertain:
        assert sure.text[item.start] == "〓"
        assert sure.text.split("\n")[item.line - 1][item.column - 1] == "〓"
        assert item.confidence < 0.999
    assert "〓" not in guessed.text


def test_a_possible_negation_needs_more_confidence() -> None:
    from hexapla.mojibake.confidence import needed

    assert needed(0.99, "不", ("中",)) == 0.999
    assert needed(0.99, "中", ("不",)) == 0.999
    assert needed(0.99, "中", ("上",)) == 0.99


@pytest.mark.parametrize("channel", [CP1252, ALL_C1, DOUBLED], ids=str)
def test_the_steps_replayed_give_the_text(channel: Channel, corpus: Corpus, draft: str) -> None:
    garbled = garble(draft, channel)
    repaired = repair(garbled, corpus)
    assert replay(garbled, repaired.steps) == repaired.text


@pytest.mark.parametrize("channel", [CP1252, ALL_C1], ids=str)
def test_repairing_twice_changes_nothing_more(channel: Channel, corpus: Corpus, draft: str) -> None:
    once = repair(garble(draft, channel), corpus)
    assert repair(once.text, corpus).text == once.text


def test_a_page_garbled_in_part_keeps_its_clean_part(corpus: Corpus, page: str, draft: str) -> None:
    repaired = repair(page + garble(draft, CP1252), corpus, guess=True)
    assert repaired.text.startswith(page)
    assert repaired.text.endswith(draft.split("\n")[-2] + "\n")


def test_without_any_model_only_what_is_certain_is_filled_in(draft: str) -> None:
    repaired = repair(garble(draft, CP1252), Corpus(listed=False))
    assert repaired.uncertain
    assert all(shown in (clean, "〓") for shown, clean in zip(repaired.text, draft, strict=True))


def test_the_pages_help(corpus: Corpus, draft: str) -> None:
    garbled = garble(draft, ALL_C1)
    with_pages, without = repair(garbled, corpus), repair(garbled, Corpus(listed=False))
    assert len(with_pages.uncertain) < len(without.uncertain)


def test_a_text_cut_short_says_so_and_is_unsure_of_its_last_character(corpus: Corpus, draft: str) -> None:
    garbled = garble(draft + "内存", ALL_C1)[:-1]
    repaired = repair(garbled, corpus)
    assert repaired.diagnosis.cut_short
    assert repaired.uncertain[-1].start == len(repaired.text) - 1
