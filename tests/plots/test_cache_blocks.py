"""The blocks hold the tokens of the requests, each block those of one request or of the common beginning."""

import pytest

from benchmarks.plots import cache_blocks, draw
from benchmarks.plots.__main__ import words
from benchmarks.plots.svg import GREEN, SKY

TOTALS = [prompt + answer for prompt, answer in cache_blocks.REQUESTS]


def held(blocks: list[cache_blocks.Block]) -> list[int]:
    """The tokens of each request in blocks of its own."""
    return [sum(block.tokens for block in blocks if block.request == request and not block.shared)
            for request in range(len(TOTALS))]


def test_a_reserved_cache_has_blocks_for_the_longest_and_a_paged_one_for_what_there_is() -> None:
    assert held(cache_blocks.reserved()) == held(cache_blocks.paged()) == TOTALS
    assert (len(cache_blocks.reserved()), len(cache_blocks.paged())) == (18, 5 + 5 + 4)


def test_a_common_beginning_is_there_once() -> None:
    blocks = cache_blocks.paged(cache_blocks.SHARED)
    assert [block.tokens for block in blocks if block.shared] == [4, 4]
    assert held(blocks) == [total - 8 for total in TOTALS] and len(blocks) == 2 + 3 + 3 + 2


def test_only_the_last_block_of_a_request_is_not_full() -> None:
    for shared in (0, cache_blocks.SHARED):
        blocks = cache_blocks.paged(shared)
        for request in range(len(TOTALS)):
            assert all(block.tokens == 4 for block in [each for each in blocks if each.request == request][:-1])


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_a_token_has_a_cell_of_its_requests_colour(form: draw.Form) -> None:
    svg = cache_blocks.picture(words("zh").__getitem__, draw.Look("zh", "dark", form))
    assert svg.count(f'fill="{GREEN}"/>') == 16 + 16 + 8 + 1  # three ways and the key
    assert svg.count(f'fill="{SKY}"') == 8 + 1
    assert ">14 块，每块 4 个 token</text>" in svg
