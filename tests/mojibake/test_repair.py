"""What comes back when bytes are gone, and what is said about it."""

import random

import pytest
from hexapla.mojibake import Corpus, repair, replay
from hexapla.mojibake.encodings.encoding_chain import C1, SOFT_HYPHEN, EncodingChain, Layer, garble_text

from benchmarks.mojibake.garbling import insert_every

CP1252 = EncodingChain((Layer("cp1252"),))
CP1254 = EncodingChain((Layer("cp1254", lost=(SOFT_HYPHEN,)),))
ALL_C1 = EncodingChain((Layer("latin-1", lost=(*C1, SOFT_HYPHEN)),))
ASKED = EncodingChain((Layer("cp1252", instead="?"),))
DOUBLED = EncodingChain((Layer("latin-1"), Layer("cp1252")))


@pytest.mark.parametrize("chain", [
    CP1252, CP1254, ALL_C1, DOUBLED, ASKED,
], ids=lambda chain: f"{chain}{chain.layers[0].instead}")
def test_dropped_bytes_come_back(chain: EncodingChain, corpus: Corpus, draft: str) -> None:
    repaired = repair(garble_text(draft, chain), corpus, guess=True)
    wrong = sum(1 for one, two in zip(repaired.text, draft, strict=True) if one != two)
    assert wrong <= 2
    assert repaired.diagnosis.language == "zh"


@pytest.mark.parametrize(("codec", "instead"), [
    ("gbk", "\ufffd"), ("gb18030", "\ufffd"), ("cp932", "\ufffd"), ("cp949", "\ufffd"),
    ("gbk", "?"), ("gb18030", "?"), ("cp932", "?"),      # through cp949 whole characters turn to ???
])
def test_bytes_that_a_multi_byte_codec_could_not_read_come_back(
        codec: str, instead: str, corpus: Corpus, draft: str) -> None:
    garbled = draft.encode("utf-8").decode(codec, "replace").replace("\ufffd", instead)
    assert instead in garbled
    repaired = repair(garbled, corpus, guess=True)
    assert repaired.text == draft
    assert f"utf-8 -> {codec}"[:12] in repaired.diagnosis.steps[0]
    assert replay(garbled, repaired.steps) == repaired.text


def test_question_marks_for_few_lost_bytes_are_not_taken_for_marks_pushed_in(corpus: Corpus, page: str) -> None:
    repaired = repair(garble_text(page, ASKED), corpus, guess=True)
    assert repaired.diagnosis.inserted == ""
    assert "?" not in repaired.text


@pytest.mark.parametrize("codec", ["cp1253", "cp1255", "cp874", "iso8859-7"])
@pytest.mark.parametrize("instead", ["", "\ufffd"], ids=["dropped", "replaced"])
def test_a_code_page_without_some_lead_bytes_of_rare_letters(codec: str, instead: str, corpus: Corpus,
                                                            draft: str) -> None:
    repaired = repair(garble_text(draft, EncodingChain((Layer(codec, instead=instead),))), corpus)
    assert repaired.diagnosis.steps[0] == f"utf-8 -> {codec}"
    assert all(one in (two, "〓") for one, two in zip(repaired.text, draft, strict=True))


@pytest.mark.parametrize("codec", ["gbk", "cp932"])
def test_a_question_mark_that_was_written_stays(codec: str, corpus: Corpus, draft: str) -> None:
    asked = draft + "内存不够? 可以用梯度累积. 内存不够?? \n"
    garbled = asked.encode("utf-8").decode(codec, "replace").replace("\ufffd", "?")
    assert repair(garbled, corpus, guess=True).text.count("?") == 3


def test_a_comma_every_45_bytes_is_counted_out(corpus: Corpus, page: str) -> None:
    garbled = insert_every(page, ALL_C1, ",", 45)
    repaired = repair(garbled, corpus, guess=True)
    assert repaired.diagnosis.inserted == ", every 45 bytes"
    assert "," not in repaired.text


def test_commas_at_random_places_go(corpus: Corpus, page: str) -> None:
    dice = random.Random(7)
    raw = "".join(symbol + ("," if dice.random() < 1 / 20 else "") for symbol in page.encode("utf-8").decode("latin-1"))
    garbled = raw.translate(dict.fromkeys((*C1, SOFT_HYPHEN)))
    repaired = repair(garbled, corpus, guess=True)
    assert repaired.diagnosis.inserted == ", at random places"
    assert repaired.text.count(",") <= 0.1 * raw.count(",")
    assert replay(garbled, repaired.steps) == repaired.text


def test_the_diagnosis_names_codec_and_bytes(corpus: Corpus, page: str) -> None:
    steps = repair(garble_text(page, CP1254), corpus).diagnosis.steps
    assert steps == ("utf-8 -> cp1254", "dropped 81 8d 8e 8f 90 9d 9e ad")


def test_an_uncertain_character_is_never_shown_as_sure(corpus: Corpus, draft: str) -> None:
    garbled = garble_text(draft + "龘靐齉\n", ALL_C1)
    sure, guessed = repair(garbled, corpus), repair(garbled, corpus, guess=True)
    assert sure.uncertain
    for item in sure.uncertain:
        assert sure.text[item.start] == "〓"
        assert sure.text.split("\n")[item.line - 1][item.column - 1] == "〓"
        assert item.confidence < 0.999
    assert "〓" not in guessed.text


def test_a_possible_negation_needs_more_confidence() -> None:
    from hexapla.mojibake.filling import needed_confidence

    assert needed_confidence(0.99, "不", ("中",)) == 0.999
    assert needed_confidence(0.99, "中", ("不",)) == 0.999
    assert needed_confidence(0.99, "中", ("上",)) == 0.99


@pytest.mark.parametrize("chain", [CP1252, ALL_C1, DOUBLED], ids=str)
def test_the_steps_replayed_give_the_text(chain: EncodingChain, corpus: Corpus, draft: str) -> None:
    garbled = garble_text(draft, chain)
    repaired = repair(garbled, corpus)
    assert replay(garbled, repaired.steps) == repaired.text


@pytest.mark.parametrize("chain", [CP1252, ALL_C1], ids=str)
def test_repairing_twice_changes_nothing_more(chain: EncodingChain, corpus: Corpus, draft: str) -> None:
    once = repair(garble_text(draft, chain), corpus)
    assert repair(once.text, corpus).text == once.text


def test_a_page_garbled_in_part_keeps_its_clean_part(corpus: Corpus, page: str, draft: str) -> None:
    repaired = repair(page + garble_text(draft, CP1252), corpus, guess=True)
    assert repaired.text.startswith(page)
    assert repaired.text.endswith(draft.split("\n")[-2] + "\n")


def test_without_any_model_only_what_is_certain_is_filled_in(draft: str) -> None:
    repaired = repair(garble_text(draft, CP1252), Corpus(listed=False, shipped=None))
    assert repaired.uncertain
    assert all(shown in (clean, "〓") for shown, clean in zip(repaired.text, draft, strict=True))


def test_the_pages_help(corpus: Corpus, draft: str) -> None:
    garbled = garble_text(draft, ALL_C1)
    with_pages, without = repair(garbled, corpus), repair(garbled, Corpus(listed=False, shipped=None))
    assert len(with_pages.uncertain) < len(without.uncertain)


def test_a_text_cut_short_says_so_and_is_unsure_of_its_last_character(corpus: Corpus, draft: str) -> None:
    garbled = garble_text(draft + "内存", ALL_C1)[:-1]
    repaired = repair(garbled, corpus)
    assert repaired.diagnosis.cut_short
    assert repaired.uncertain[-1].start == len(repaired.text) - 1


def test_a_character_with_a_lost_byte_says_nothing_against_a_code_page() -> None:
    from hexapla.mojibake.encodings.byte_patterns import fitting_codecs

    assert [fit.codec for fit in fitting_codecs("\u00e3\ufffd\u00be" * 8)][:1] == ["latin-1"]


def test_words_torn_by_question_marks_are_not_read_through_another_code_page() -> None:
    clean = ("las cosas que se hacen con número pequeño función en la nube.\n"
             "las cosas que se hacen con único año razón en la nube.\n"
             "las cosas que se hacen con público diseño opinión en la nube.\n"
             "las cosas que se hacen con común compañía acción en la nube.\n"
             "las cosas que se hacen con según español también en la nube.\n"
             "las cosas que se hacen con música y y en la nube.\n")
    read = clean.encode().decode("iso8859-8", "replace")
    garbled = "".join("?" if "\x80" <= sign < "\xa0" or sign == "\ufffd" else sign for sign in read)
    assert repair(garbled, Corpus(listed=False)).text == garbled


@pytest.mark.parametrize("codec", ["big5", "euc-kr"])
def test_letters_that_were_dropped_without_a_sign_leave_all_others_uncertain(codec: str) -> None:
    clean = "Обратное распространение вычисляет градиенты, а оптимизатор затем изменяет параметры модели.\n" * 2
    repaired = repair(clean.encode("utf-8").decode(codec, "ignore"), Corpus(listed=False), guess=True)
    assert repaired.text == clean.translate(dict.fromkeys(map(ord, "рстуфхцчшщьыэюяО")))
    assert "what it could not read dropped" in repaired.diagnosis.steps
    assert len(repaired.uncertain) == repaired.changed
    assert repaired.expected <= 0.5
