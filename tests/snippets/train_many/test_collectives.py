"""Each collective leaves on each rank what its name says."""

import pytest
from _train_many import on_ranks

from snippets.train_many import collectives as snippet

pytestmark = pytest.mark.needs(devices=4)

ROWS = [[part * 10**rank for part in (1, 2, 3, 4)] for rank in range(4)]
COLUMNS = [list(each) for each in zip(*ROWS, strict=True)]
SUMS = [sum(each) for each in COLUMNS]


def test_ranks_have_sums_copies_and_columns() -> None:
    ranks = on_ranks(snippet.parts, snippet.RANKS)
    for rank, seen in enumerate(ranks):
        assert seen["all-reduce"] == (ROWS[rank], SUMS)
        assert seen["reduce-scatter"] == (ROWS[rank], [SUMS[rank]])
        assert seen["all-gather"] == ([10**rank], COLUMNS[0])
        assert seen["all-to-all"] == (ROWS[rank], COLUMNS[rank])
