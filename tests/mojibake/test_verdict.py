"""A channel that leaves signs beside the characters it explains is not what happened."""

import pytest
from hexapla.mojibake.channel import Channel, Layer
from hexapla.mojibake.slots import Slot
from hexapla.mojibake.verdict import unexplained_signs

LATIN1 = Channel((Layer("latin-1"),))
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
