"""Flex attention gives the numbers of SDPA, for the causal mask and a mask of one's own, and skips hidden blocks."""

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from snippets.train_one import flex_attention as snippet

from _tiny import device, gradients, relative_difference, tiny_batch, tiny_model

LENGTH, BLOCK, WINDOW = 1024, 128, 256


@pytest.fixture
def eager() -> Iterator[None]:
    with torch.compiler.set_stance("force_eager"):
        yield


def inputs() -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randn(1, 2, LENGTH, 16, generator=generator).to(device()) for _ in range(3))


@pytest.mark.usefixtures("eager")
def test_a_model_gives_the_logits_of_sdpa() -> None:
    model, tokens = snippet.choose(tiny_model().config), tiny_batch()["input_ids"]
    assert model.config._attn_implementation == "flex_attention"
    with torch.no_grad():
        torch.testing.assert_close(model(tokens).logits, tiny_model()(tokens).logits, rtol=1e-4, atol=1e-5)


@pytest.mark.needs("c++")
def test_a_mask_of_ones_own_gives_what_sdpa_gives_with_the_matrix() -> None:
    ours = snippet.attend(*inputs(), snippet.window_mask(LENGTH, device()))
    theirs = nn.functional.scaled_dot_product_attention(*inputs(), attn_mask=snippet.dense_mask(LENGTH))
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_blocks_that_the_mask_hides_are_skipped() -> None:
    mask = snippet.window_mask(LENGTH, device())
    blocks = snippet.dense_mask(LENGTH).unflatten(0, (-1, BLOCK)).unflatten(2, (-1, BLOCK)).any(3).any(1)
    assert mask.sparsity() == pytest.approx(100 * (1 - blocks.float().mean().item()))
    assert snippet.dense_mask(LENGTH).sum(1).max() == WINDOW
    assert mask.sparsity() > 60


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
@pytest.mark.usefixtures("eager")
def test_on_a_cpu_there_is_no_backward_pass() -> None:
    assert "does not support backward on CPU" in snippet.backward_error()


@pytest.mark.needs("cuda")
def test_on_a_gpu_the_gradients_are_those_of_sdpa() -> None:
    flex, sdpa = snippet.choose(tiny_model().config), tiny_model()
    for model in (flex, sdpa):
        model(**tiny_batch()).loss.backward()
    assert relative_difference(gradients(flex), gradients(sdpa)) < 0.01
