"""The comparison finds nothing where a method works, and the difference where it does not."""

import pytest
import torch
from _building import batch, build

from snippets.models import verify as snippet

pytestmark = pytest.mark.needs(device="cpu")


def test_methods_that_work_differ_by_rounding() -> None:
    subject = build("llama")
    found = snippet.compare(subject.model, snippet.padded(subject))
    assert found["SDPA, logits"] < 1e-4
    assert found["checkpointing, gradients"] < 1e-4
    assert found["static cache, tokens"] == 0


def test_a_method_that_leaves_something_out_differs_by_percents() -> None:
    assert snippet.without_the_cap() > 0.01


def test_a_weight_that_is_frozen_on_one_side_cannot_be_compared() -> None:
    subject = build("llama")
    inputs = batch(subject)
    plain = snippet.gradients(subject.model, inputs)
    subject.model.lm_head.weight.requires_grad_(False)
    with pytest.raises(RuntimeError, match="size"):
        snippet.distance(snippet.gradients(subject.model, inputs), plain)


@pytest.mark.parametrize(("ours", "expected"), [
    ([1, 2, 3, 4], 0.0), ([1, 2, 3, 5], 0.25), ([1, 2], 0.5), ([1, 2, 3, 4, 5, 6, 7, 8], 0.5)])
def test_tokens_are_counted(ours: list[int], expected: float) -> None:
    assert snippet.tokens_that_differ(torch.tensor([ours]), torch.tensor([[1, 2, 3, 4]])) == expected
