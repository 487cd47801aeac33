"""The pictures of splits show what was derived: pieces, gathered matrices, partial sums, and what is sent of each."""

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, layer_splits
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError
from benchmarks.plots.svg import BLUE, ORANGE, SKY

OUTPUT = """A block with FSDP, split along t:
  x[td] w1[df] -> h[tf]: all-gather w1
  h[tf] dy[td] -> dw2[fd]: reduce-scatter dw2
A block with tensor parallelism, split along f:
  h[tf] w2[fd] -> y[td]: all-reduce y
Tokens per rank, and percent of a step in which the ranks compute:
  8 ranks, 1 share each product: 64 5.0, 1443 100.0
  8 ranks, 2 share each product: 64 11.6, 618 97.2
  64 ranks, 1 share each product: 64 3.9, 1826 100.0
  64 ranks, 2 share each product: 64 4.0, 1797 97.2
"""
LOOKS = [draw.Look("en", "light", form) for form in (draw.WIDE, draw.NARROW)]


def test_a_block_has_its_products_and_what_is_sent() -> None:
    fsdp, tensor = layer_splits.read_blocks(OUTPUT).values()
    assert fsdp.along == "t" and fsdp.products[0].sent == {"w1": "all-gather"}
    assert tensor.products == [([("h", "tf"), ("w2", "fd"), ("y", "td")], {"y": "all-reduce"})]


@pytest.mark.parametrize("read", [layer_splits.read_blocks, layer_splits.read_shares])
def test_another_output_is_an_error(read) -> None:
    with pytest.raises(TableError, match="again"):
        read("Answers, by the law:")


@pytest.mark.parametrize("look", LOOKS)
def test_each_matrix_has_the_strips_of_rank_0_of_others_and_of_sums(look: draw.Look) -> None:
    svg = layer_splits.picture(layer_splits.read_blocks(OUTPUT), words("en").__getitem__, look)
    # Pieces of x, h, hT, dy, h and w2, one strip each, the own strip of w1, and the key.
    assert svg.count(f'fill="{BLUE}"') == 6 + 1 + 1
    assert svg.count(f'fill="{SKY}"') == 3 + 1
    assert svg.count(f'fill="{ORANGE}"') == 2 * 4 + 1
    assert [svg.count(f">{name}</text>") for name in ("all-gather", "reduce-scatter", "all-reduce", "hᵀ")] == [1] * 4


@pytest.mark.parametrize("look", LOOKS)
def test_each_rank_of_the_grid_has_one_tile_of_a_split_matrix_and_rank_0_gathers_those_of_its_column(look) -> None:
    svg = layer_splits.grid(words("en").__getitem__, look)
    # Among the ranks, in w1 and in h; with its neighbour in x.
    assert all(svg.count(f">{rank}</text>") == 3 for rank in range(8)) and svg.count(">0, 1</text>") == 1
    assert (svg.count(f'fill="{BLUE}"'), svg.count(f'fill="{SKY}"')) == (3 + 1, 3 + 1)


def test_each_split_has_a_line_in_one_machine_and_in_eight() -> None:
    found = layer_splits.read_shares(OUTPUT)
    assert found == {8: {1: [(64, 5), (1443, 100)], 2: [(64, 11.6), (618, 97.2)]},
                     64: {1: [(64, 3.9), (1826, 100)], 2: [(64, 4), (1797, 97.2)]}}
    svg = layer_splits.shares(found, "title", words("en").__getitem__, LOOKS[0])
    assert svg.count(">TP = 1</text>") == svg.count(">TP = 2</text>") == 1
    assert svg.count(">64 GPUs, any TP</text>") == 1 and svg.count("GPUs, any TP") == 1
