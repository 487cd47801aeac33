"""The answers to the exercises are those that one reckons by hand."""

from pathlib import Path

import pytest
import torch
import yaml
from transformers import LlamaForCausalLM

from snippets.roofline import exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


def test_the_shape_is_that_of_the_70b_model() -> None:
    with torch.device("meta"):
        model = LlamaForCausalLM(snippet.LLAMA_70B)
    assert model.num_parameters() == 70_553_706_496
