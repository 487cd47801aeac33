"""An encoding chain that leaves signs beside the characters it explains is not what happened."""

import pytest
from hexapla.mojibake.decode.slots import Slot
from hexapla.mojibake.diagnose.suspect_text import find_unwritten
from hexapla.mojibake.diagnosis_text import spells_nothing, unexplained_signs
from hexapla.mojibake.encodings.encoding_chain import EncodingChain, Layer
from hexapla.mojibake.model.plausibility import count_torn

LATIN1 = EncodingChain((Layer("latin-1"),))
PAIR = "Ã©"


def read(text: str) -> list[Slot]:
    """A slot wherever the pair stands."""
    places = [at for at in range(len(text)) if text.startswith(PAIR, at)]
    return [Slot(at, at + len(PAIR), "é") for at in places]


@pytest.mark.parametrize(("text", "left"), [
    (PAIR * 8 + f"{PAIR}¤ {PAIR}¤", 2),
    (PAIR * 8 + f"{PAIR}?¤ {PAIR}??¤ ", 2),
    (f"{PAIR}¤ " * 3, 3),
], ids=["beside them", "beyond their question marks", "all of them"])
def test_signs_left_beside_characters_are_counted(text: str, left: int) -> None:
    slots = read(text)
    said = unexplained_signs(text, slots, LATIN1)
    assert f"utf-8 -> latin-1, but beside {left} of {len(slots)} characters" in said
    assert said.endswith("find another copy of the text")


@pytest.mark.parametrize("text", [
    PAIR * 9 + f"{PAIR}¤",
    PAIR * 3,
    f"{PAIR}?" * 3,
    f"{PAIR}a {PAIR}. {PAIR}?a",
    f"¤{PAIR}a" * 3,
], ids=["one in ten", "only characters", "question marks between", "ASCII beside them", "signs before them"])
def test_few_signs_or_none_say_nothing(text: str) -> None:
    assert unexplained_signs(text, read(text), LATIN1) == ""


@pytest.mark.parametrize(("text", "torn"), [
    ("été à Orléans, L’École, Noël", 0),
    ("dÊployez tomarÑ gĂnzlich", 3),
    ("anglés funci¶n « mot »", 1),
    ("训练，模型。用GPU，再", 0),
    ("МОДЕЛЬ и Модель", 0),
    ("зҐд »ез", 1),
])
def test_signs_and_capitals_inside_words_are_counted(text: str, torn: int) -> None:
    assert count_torn(text) == torn


def test_what_comes_out_has_to_be_made_of_common_characters() -> None:
    assert spells_nothing("訓練茅贸鑼卻姝屾湇" * 3, LATIN1).endswith("find another copy of the text")
    assert spells_nothing("训练模型时，内存的限制决定了批次大小。", LATIN1) == ""


GARBLED = "霈剔璅∪塚摮嗅喳鈭寞活憭批璇臬漲蝝舐妖閬游園湛雿臬摮典撠鈭憒曉∠摮銝憭嚗臭誑冽毽蝎曉漲霈剔"
WRITTEN = "训练模型时，内存的限制决定了批次大小。梯度累积需要更多的时间，但是内存占用减少了。"
LISTED = "鯖鰯鮭鯛鰹鮪鰤鱸鮎鯉鮒鰻鱒鱈鯵鰈鮫鯨鰊鱧鮃鯰氢氦锂铍硼碳氮氧氟氖钠镁铝硅磷硫氯氩钾钙钪钛"


@pytest.mark.parametrize(("text", "found"), [(GARBLED, True), (WRITTEN, False), (LISTED, False)],
                         ids=["garbled", "written", "a list of rare characters"])
def test_text_in_rare_characters_is_told_from_lists_of_them(text: str, found: bool) -> None:
    assert bool(find_unwritten(text)) == found
