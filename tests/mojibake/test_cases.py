"""Every file under tests/cases/mojibake is a situation: clean text, garbled text, text past repair."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hexapla.mojibake import Corpus, looks_clean, repair, replay

CASES = Path(__file__).parents[1] / "cases" / "mojibake"


def cases(kind: str) -> list[Any]:
    found = sorted((CASES / kind).glob("*.yml"))
    assert found, f"no cases under {CASES / kind}"
    return [pytest.param(yaml.safe_load(path.read_text("utf-8")), id=path.stem) for path in found]


def through(case: dict[str, Any]) -> str:
    encoded, decoded = case["through"]
    data = case["clean"].encode(encoded)
    return str(data.decode(decoded, "replace").replace("\ufffd", case["instead"]))


@pytest.mark.parametrize("case", cases("clean"))
def test_clean_text_is_left_alone(case: dict[str, Any]) -> None:
    repaired = repair(case["text"], Corpus(listed=False))
    assert repaired.text == case["text"]
    assert not repaired.garbled
    assert looks_clean(case["text"])


@pytest.mark.parametrize("case", cases("garbled"))
def test_what_lost_nothing_comes_back_whole(case: dict[str, Any]) -> None:
    garbled = case["text"]
    for encoded, decoded in case["through"]:
        garbled = garbled.encode(encoded).decode(decoded)
    repaired = repair(garbled, Corpus(listed=False))
    assert repaired.text == case["text"]
    assert not repaired.uncertain
    assert replay(garbled, repaired.steps) == case["text"]


@pytest.mark.parametrize("case", cases("refused"))
def test_what_holds_too_little_is_refused(case: dict[str, Any]) -> None:
    text = case.get("text") or through(case)
    repaired = repair(text, Corpus(listed=False))
    assert repaired.text == text
    assert case["says"] in repaired.diagnosis.refused
    assert not looks_clean(text)


@pytest.mark.parametrize("case", cases("marked"))
def test_where_much_is_lost_what_is_shown_as_sure_is_right(case: dict[str, Any]) -> None:
    garbled = through(case)
    repaired = repair(garbled, Corpus(listed=False))
    assert repaired.diagnosis.steps[0] == case["says"]
    sure = [piece for piece in repaired.text.split("〓") if piece]
    at = 0
    for piece in sure:
        assert piece in case["clean"][at:]
        at = case["clean"].index(piece, at) + len(piece)
    assert sum(map(len, sure)) >= case["sure"] * len(case["clean"])
    assert replay(garbled, repaired.steps) == repaired.text


@pytest.mark.parametrize("case", cases("uncertain"))
def test_what_may_stand_for_anything_is_listed(case: dict[str, Any]) -> None:
    garbled = through(case)
    repaired = repair(garbled, Corpus([case["clean"]], listed=False))
    places = [(item.line, item.column) for item in repaired.uncertain if item.confidence == 0.0]
    assert places == [tuple(place) for place in case["places"]]
    assert "?" not in repaired.text.replace(case.get("written", "〓"), "")
    assert replay(garbled, repaired.steps) == repaired.text
