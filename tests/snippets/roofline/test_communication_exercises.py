"""The answers to the exercises on communication are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml

from snippets.roofline import communication as formulas
from snippets.roofline import communication_exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("communication_exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


@pytest.mark.parametrize("speedup", [2, 5, 7])
def test_with_those_tokens_it_is_so_many_times_as_fast(speedup: float) -> None:
    step = formulas.Step(snippet.WEIGHTS, snippet.tokens_for(speedup, 8, snippet.PCIE), snippet.FLOPS)
    assert 8 * formulas.efficiency(step, formulas.ddp(step, 8, snippet.PCIE)) == pytest.approx(speedup)
