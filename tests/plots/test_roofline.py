"""The plots beside the law have a dot for each measurement, at the rate that its time is."""

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, roofline
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError

PRODUCTS = """1,000 x 1,000 weights of 2 bytes on cuda, torch.bfloat16:
     1 rows:     0.010 ms measured,     0.005 ms by the law,  2.00 times
  1000 rows:     4.000 ms measured,     2.000 ms by the law,  2.00 times"""
TOKENS = """8 billion weights on cuda:
  batch of   1, from Python:    30.000 ms measured,     5.000 ms by the law,  6.00 times
  batch of   1, as a graph :    10.000 ms measured,     5.000 ms by the law,  2.00 times
  batch of   8, from Python:    40.000 ms measured,     8.000 ms by the law,  5.00 times
  batch of   8, as a graph :    16.000 ms measured,     8.000 ms by the law,  2.00 times"""


def test_a_product_has_its_operations_per_byte_and_its_rates() -> None:
    _, large = roofline.read_products(PRODUCTS)
    assert large == (1000, 2e9 / 6e6, 0.5, 1.0)


def test_a_token_has_its_three_times() -> None:
    assert roofline.read_tokens(TOKENS) == ([1, 8], [5, 8], [10, 16], [30, 40])


@pytest.mark.parametrize(("read", "output"), [(roofline.read_products, TOKENS), (roofline.read_tokens, PRODUCTS)])
def test_another_output_is_an_error(read, output: str) -> None:
    with pytest.raises(TableError, match="again"):
        read(output)


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_each_dot_is_labelled_by_its_rows(form: draw.Form) -> None:
    look = draw.Look("en", "light", form)
    svg = roofline.roofline(roofline.read_products(PRODUCTS), "title", words("en").__getitem__, look)
    assert all(f">{label}</text>" in svg for label in ("1", "1,000", "memory-bound", "compute-bound"))


def test_each_batch_is_on_the_axis() -> None:
    look = draw.Look("en", "light")
    svg = roofline.tokens(roofline.read_tokens(TOKENS), "title", words("en").__getitem__, look)
    assert all(f">{label}</text>" in svg for label in ("1", "8", "from Python", "as a CUDA graph", "the law"))


SCALING = """Tokens of each of 8 ranks, and the percent of a step in which they compute:
  DDP over NVLink: 512 63.1, 800 100.0
  FSDP over NVLink: 512 40.0, 1024 79.2, 1200 100.0"""


def test_each_method_has_its_links_and_a_plot_has_them_once() -> None:
    found = roofline.read_scaling(SCALING)
    assert found == {"DDP": {"NVLink": [(512, 63.1), (800, 100)]},
                     "FSDP": {"NVLink": [(512, 40), (1024, 79.2), (1200, 100)]}}
    svg = roofline.scaling(found, "title", words("en").__getitem__, draw.Look("en", "light"))
    assert svg.count(">NVLink</text>") == 1
    for other in (PRODUCTS, SCALING[: SCALING.index("  FSDP")]):
        with pytest.raises(TableError, match="again"):
            roofline.read_scaling(other)


RINGS = """Collectives in a ring, MB and ms, at half of the rate first:
  all-reduce of 8 ranks on NVLink: 10.0 2.0, 1.0 1.1, 100.0 11.0
  all-gather of 8 ranks on NVLink: 10.0 1.0, 1.0 0.6, 100.0 5.5
  nccl-tests of 8 ranks on NVLink: 1.0 0.4, 100.0 8.0"""


def test_each_collective_has_its_line_and_each_ring_its_name() -> None:
    found = roofline.read_collectives(RINGS)
    assert found == {(8, "NVLink"): {"all-reduce": [(10, 2), (1, 1.1), (100, 11)],
                                     "all-gather": [(10, 1), (1, 0.6), (100, 5.5)],
                                     "nccl-tests": [(1, 0.4), (100, 8)]}}
    svg = roofline.collectives(found, "title", words("en").__getitem__, draw.Look("en", "light"))
    assert svg.count(">8 ranks, NVLink</text>") == svg.count(">nccl-tests, 8 H200</text>") == 1
    for other in (PRODUCTS, RINGS[: RINGS.index("  all-gather")]):
        with pytest.raises(TableError, match="again"):
            roofline.read_collectives(other)
