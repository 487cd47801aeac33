"""The drawn ring is a ring all-reduce: every rank receives one part in each round, and ends with all sums."""

import pytest

from benchmarks.plots import draw, ring
from benchmarks.plots.__main__ import words


def test_after_the_first_half_each_rank_has_one_sum_and_after_the_second_all() -> None:
    states = [sums for sums, _ in ring.rounds()]
    assert len(states) == 1 + 2 * (ring.RANKS - 1)
    assert [row.count(ring.RANKS) for row in states[ring.RANKS - 1]] == [1] * ring.RANKS
    assert states[-1] == [[ring.RANKS] * ring.RANKS] * ring.RANKS


def test_each_rank_receives_one_part_in_each_round() -> None:
    for _, received in ring.rounds()[1:]:
        assert sorted(rank for rank, _ in received) == list(range(ring.RANKS))
        assert len({part for _, part in received}) == ring.RANKS


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_every_round_is_drawn(form: draw.Form) -> None:
    svg = ring.picture(words("en").__getitem__, draw.Look("en", "light", form))
    assert all(f">{said}<" in svg for said in ("at first", "1: adds", "3: adds", "4: copies", "6: copies"))
