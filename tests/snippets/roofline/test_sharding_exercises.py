"""The answers to the exercises on sharding are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml

from snippets.roofline import communication as formulas
from snippets.roofline import sharding_exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("sharding_exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


def test_with_so_many_tokens_both_methods_send_as_much() -> None:
    weights, tokens = snippet.layer(snippet.LLAMA_8B), snippet.even_tokens(snippet.LLAMA_8B)
    step, link = formulas.Step(weights, tokens, float("inf")), formulas.Link(1)
    assert formulas.tensor_parallel(step, 8, link, 1, 4096) == pytest.approx(formulas.fsdp(step, 8, link))


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_so_many_ranks_compute_for_that_share(share: float) -> None:
    half = snippet.half_ranks(snippet.layer(snippet.LLAMA_70B), 8192, snippet.FAST)
    assert 1 / (1 + (snippet.ranks_for(share, half) - 1) / (half - 1)) == pytest.approx(share)


def test_from_nine_ranks_on_exchanging_heads_sends_less_than_gathering_keys_and_values() -> None:
    """With 8 query heads for each key-value head."""
    for ranks, sooner in ((8, False), (9, None), (10, True)):
        heads = snippet.heads_exchange(snippet.LLAMA_70B, 2**20, ranks, snippet.NVLINK)
        keys = snippet.keys_gathered(snippet.LLAMA_70B, 2**20, ranks, snippet.NVLINK)
        assert heads == pytest.approx(keys) if sooner is None else (heads < keys) == sooner
