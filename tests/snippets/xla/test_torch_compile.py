"""The compiled model gives the eager numbers, and how often it is compiled is as the page says."""

import pytest
import torch

from snippets.xla import torch_compile as snippet

pytestmark = pytest.mark.needs(device="cpu")


def test_the_numbers_are_the_eager_ones() -> None:
    hidden = torch.linspace(-1, 1, 2 * 16 * 64).reshape(2, 16, 64)
    compiled = snippet.compile_for(snippet.FeedForward(), None)
    with snippet.without_compiler(), torch.inference_mode():
        torch.testing.assert_close(compiled(hidden), snippet.FeedForward()(hidden))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


@pytest.mark.parametrize(("dynamic", "graphs"), [(None, 2), (True, 1), (False, 4)])
def test_the_graphs_for_four_lengths(dynamic: bool | None, graphs: int) -> None:
    assert snippet.graphs(dynamic) == graphs
