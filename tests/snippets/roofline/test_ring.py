"""The ring gives the sums of the library's all-reduce, and each rank sends what the formula says."""

import pytest
from _ranks import on_ranks

from snippets.roofline import communication
from snippets.roofline import ring as snippet

pytestmark = pytest.mark.needs(devices=4)


def test_every_rank_has_the_sums_and_sent_the_bytes_of_the_formula() -> None:
    size = 4 * snippet.NUMBERS
    bandwidth = communication.Link(bandwidth=1)
    expected = communication.all_reduce(size, snippet.RANKS, bandwidth)
    assert on_ranks(snippet.summed, snippet.RANKS) == [(expected, True)] * snippet.RANKS
