"""Laws, on texts that nobody would think of."""

from itertools import pairwise

import pytest
from hexapla.mojibake import Corpus, repair, replay
from hexapla.mojibake.decode.slots import candidate_index
from hexapla.mojibake.encodings.byte_patterns import PAIR
from hexapla.mojibake.encodings.encoding_chain import (
    C1,
    MULTI_BYTE,
    SINGLE_BYTE,
    EncodingChain,
    Layer,
    byte_map,
    garble_text,
)
from hexapla.mojibake.encodings.lossless import to_bytes, to_raw
from hexapla.mojibake.model.gram_counts import FIRST_CHARACTER, vocabulary_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

BARE = Corpus(listed=False)
WORDS = st.text(st.sampled_from("训练模型的内存不够，。モデルを学習する모델을학습Привет« éß\u00a0aB1 \n"), max_size=60)
PHRASES = st.lists(st.sampled_from([
    "训练模型的内存不够，", "可以用梯度累积。\n", "モデルを学習するとき、", "メモリが足りない。\n",
    "모델을 학습할 때 ", "메모리가 부족합니다.\n",
    "Привет, мир! ", "«Память» кончилась.\n", "C’est l’été, déjà. ", "Größe über Maß.\n", "plain `code` ", "🎉 ✅ ",
]), max_size=12).map("".join)
SOME = ["latin-1", "cp1252", "cp1254", "cp1251", "koi8-r", "mac-roman", "iso8859-7"]
LAWS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@LAWS
@given(st.text(max_size=80), st.sampled_from(SOME), st.sampled_from(["", "\ufffd", "?"]))
def test_any_text_through_any_channel_and_back_never_raises(text: str, codec: str, instead: str) -> None:
    garbled = garble_text(text, EncodingChain((Layer(codec, instead=instead),)))
    repaired = repair(garbled, BARE)
    assert replay(garbled, repaired.steps) == repaired.text


@LAWS
@given(WORDS, st.sampled_from(MULTI_BYTE))
def test_any_text_through_a_multi_byte_codec_never_raises(text: str, codec: str) -> None:
    garbled = text.encode("utf-8").decode(codec, "replace")
    repaired = repair(garbled, BARE)
    assert replay(garbled, repaired.steps) == repaired.text


@LAWS
@given(st.text(st.characters(), max_size=60))
def test_lone_surrogates_and_controls_never_raise(text: str) -> None:
    assert isinstance(repair(text, BARE).text, str)


@LAWS
@example("攫", 3)
@given(st.characters(exclude_categories=("Cs", "Cc", "Cn")), st.integers(1, 2000))
def test_one_character_over_and_over_is_left_alone(character: str, times: int) -> None:
    assert repair(character * times, BARE).text == character * times


@pytest.mark.parametrize("codec", SINGLE_BYTE)
def test_a_code_page_s_symbols_are_among_those_that_make_a_survey(codec: str) -> None:
    """Pages without pairs of them are waved through before any code page is looked into."""
    symbols = [symbol for symbol in byte_map(codec) if symbol > "\x7f"] + [*map(chr, range(0x80, 0xA0)), "\ufffd"]
    for first, second in pairwise(symbols):
        assert PAIR.fullmatch(first + second), (codec, first, second)


@LAWS
@example("可以用梯度累积。\nメモリが足りない。\n")
@given(PHRASES)
def test_repairing_twice_changes_nothing_more(text: str) -> None:
    once = repair(garble_text(text, EncodingChain((Layer("cp1252"),))), BARE).text
    assert repair(once, BARE).text == once


@LAWS
@given(st.text(max_size=80), st.sampled_from(["latin-1", "mac-roman", "koi8-r", "cp437", "cp866"]))
def test_a_codec_that_knows_every_byte_gives_the_bytes_back(text: str, codec: str) -> None:
    data = text.encode("utf-8", "ignore")
    assert to_bytes(data.decode(codec), codec) == data


@LAWS
@given(WORDS, st.sampled_from(MULTI_BYTE))
def test_unpacked_text_has_a_hole_for_every_lost_byte(text: str, codec: str) -> None:
    garbled = text.encode("utf-8").decode(codec, "replace")
    assert to_raw(garbled, codec).count("\ufffd") == garbled.count("\ufffd")


@LAWS
@given(st.text(st.characters(min_codepoint=0xA1, max_codepoint=0xFFFC, exclude_categories=("Cs", "Co", "Cn", "Cc")),
               max_size=40))
def test_the_right_character_is_always_among_the_candidates(text: str) -> None:
    chain = EncodingChain((Layer("latin-1", lost=C1),))
    slots = candidate_index(chain).read_slots(garble_text(text, chain))
    assert len(slots) == len(text)
    assert all(character in slot.candidates for character, slot in zip(text, slots, strict=True))


@LAWS
@given(st.text(max_size=80))
def test_tokens_keep_every_character_that_is_not_ascii(text: str) -> None:
    ids = vocabulary_of([text]).encode(text)
    assert sum(1 for number in ids if number >= FIRST_CHARACTER) == sum(1 for character in text if character >= "\x80")


def test_replaying_over_another_text_is_an_error() -> None:
    repaired = repair("Ã©tÃ© Ã©tÃ© Ã©tÃ©", BARE)
    assert repaired.text == "été été été"
    with pytest.raises(ValueError, match="cannot hold it"):
        replay("漢字", repaired.steps)
