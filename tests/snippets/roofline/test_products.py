"""A product is measured with the shape and the type that the law is asked about."""

import pytest
import torch

from snippets.roofline import law
from snippets.roofline import products as snippet

pytestmark = pytest.mark.measures


def test_the_product_that_is_timed_is_the_one_that_the_law_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[torch.Tensor] = []
    monkeypatch.setattr(snippet, "seconds_of_call", lambda call, calls: made.append(call()) or 0.5)
    weight = torch.randn(6, 10, device=snippet.device()).to(torch.bfloat16)
    at = law.Device(flops=1e6, bandwidth=1e3)
    measured, bound = snippet.measure(4, weight, at)
    assert measured == 0.5
    assert bound == law.seconds(law.product(4, 6, 10), at)
    assert (made[0].shape, made[0].dtype) == ((4, 10), torch.bfloat16)
