"""The picture of a layer has a box for each work, and colours what limits it by the ridge that was printed."""

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import decoder_layer, draw
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE

NAMES = ("q", "k", "v", "o", "gate", "up", "down")
OUTPUT = "\n".join([
    "A layer; a GPU is compute-bound above 200 operations per byte:",
    "  training of 8192 over 8192, prefill of 1024 over 1024, decoding of 1 over 1024",
    *(f"  {name}: 40 x 30, 1.2 million weights, 2.4 million operations" for name in NAMES),
    "  cache: 4096 bytes per token, 16384 operations",
    *(f"  {name}, operations per byte: 1234, 201, 1" for name in NAMES),
    "  attention, operations per byte: 3277, 199, 4",
    "  norm, operations per byte: 1, 1, 1",
    "  SwiGLU, operations per byte: 1, 1, 1",
])  # fmt: skip
LOOKS = [draw.Look("en", "light", form) for form in (draw.WIDE, draw.NARROW)]


def test_another_output_is_an_error() -> None:
    with pytest.raises(TableError, match="again"):
        decoder_layer.read("Answers, by the law:")


def test_a_layer_has_its_tokens_matrices_cache_and_intensities() -> None:
    layer = decoder_layer.read(OUTPUT)
    assert (layer.ridge, layer.cache) == (200, (4096, 16384))
    assert layer.stages == {"training": 8192, "prefill": 1024, "decoding": 1}
    assert layer.matrices == dict.fromkeys(NAMES, ("40", "30", "1.2", "2.4"))
    assert layer.intensities["attention"] == [3277, 199, 4]


@pytest.mark.parametrize("look", LOOKS)
def test_each_work_has_a_cell_for_each_stage_in_the_colour_of_what_limits_it(look: draw.Look) -> None:
    svg = decoder_layer.picture(decoder_layer.read(OUTPUT), words("en").__getitem__, look)
    assert all(svg.count(f">{name}</text>") == 1 for name in NAMES) and svg.count(">norm</text>") == 2
    assert svg.count("40 × 30") == len(NAMES) and "16,384 operations, 4,096 bytes" in svg
    # The products in two stages and attention in one; a norm in each half, SwiGLU, and the key.
    assert svg.count(f'fill="{ORANGE}"') == 2 * len(NAMES) + 1 + 1
    assert svg.count(f'fill="{BLUE}"') == len(NAMES) + 2 + 3 * 3 + 1
