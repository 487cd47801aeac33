"""The curves and the parts of a token say what the snippet printed."""

import re

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, evidence, serving
from benchmarks.plots.__main__ import words

JA = words("ja").__getitem__
LOOKS = [draw.Look("ja", "light", form) for form in (draw.WIDE, draw.NARROW)]
FORMATS = ("bf16", "4-bit weights", "FP8 cache", "FP8 weights and cache", "bf16, with the prompts")
OUTPUT = "Answers, by the law:\n  half: 14.0 requests\nRequests:\n" + "".join(
    f"  {name}: 1 4.80 208, 32 14.74 2171, {58 + number} 23.07 2514\n" for number, name in enumerate(FORMATS)
)


def test_an_output_without_curves_is_named() -> None:
    with pytest.raises(evidence.TableError, match="again"):
        serving.read("Answers, by the law:\n  half: 14.0 requests\n")
    with pytest.raises(evidence.TableError, match="again"):
        serving.read_parts(OUTPUT)


@pytest.mark.parametrize("look", LOOKS)
def test_a_curve_has_its_last_batch_and_bf16_each_dot(look: draw.Look) -> None:
    curves = serving.read(OUTPUT)
    assert list(curves) == [*FORMATS] and curves["FP8 cache"][-1] == (60, 23.07, 2514)
    svg = serving.picture(curves, "title", JA, look)
    assert all(re.search(rf">{number}</text>", svg) for number in (1, 32, 58, 59, 60, 61, 62))
    assert ">8</text>" not in svg and "FP8キャッシュ" in svg


@pytest.mark.parametrize("look", LOOKS)
def test_the_parts_of_a_token_are_stacked_from_the_weights_to_the_prompts(look: draw.Look) -> None:
    points = serving.read_parts(OUTPUT + "  parts: 1 4.48 0.32 0.07, 10 4.48 3.21 0.70, 58 4.48 18.59 25.55\n")
    assert points[0] == [1, 4.48, 0.32, 0.07] and points[-1][0] == 58
    svg = serving.token_time(points, "title", JA, look)
    places = [svg.index(f">{name}</text>") for name in ("プロンプト", "KVキャッシュ", "重み")]
    assert places == sorted(places) and all(svg.count(colour) >= 2 for colour in ("#0072b2", "#56b4e9", "#e69f00"))
    assert re.search(r">58</text>", svg)
