"""Compiled code gives the eager numbers, from one graph and by a kernel of its own."""

import pytest
import torch
from _infer_cpu import tiny_model, tokens
from torch._inductor import metrics

from snippets.infer_cpu import torch_compile as snippet

pytestmark = pytest.mark.needs(device="cpu")


def graphs() -> int:
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


@pytest.mark.needs("c++")
def test_inductor_fuses_the_activation_and_the_product() -> None:
    metrics.reset()
    assert snippet.largest_difference("inductor") < 1e-5
    assert (graphs(), metrics.generated_kernel_count) == (1, 1)


@pytest.mark.needs("c++")
def test_the_three_matrix_products_are_left_to_the_library() -> None:
    assert snippet.products() == 3


def test_a_second_length_compiles_again_and_a_third_does_not() -> None:
    assert snippet.graphs_for((16,)) == 1
    assert snippet.graphs_for((16, 17)) == 2
    assert snippet.graphs_for((16, 17, 33, 50)) == 2


def test_a_whole_model_is_one_graph_with_the_same_logits() -> None:
    model = tiny_model(num_hidden_layers=2)
    with torch.inference_mode():
        eager = model(tokens()).logits
        assert (snippet.compile_model(model, "aot_eager")(tokens()).logits - eager).abs().max() < 1e-5
    assert graphs() == 1
    assert not torch._dynamo.utils.counters["graph_break"]


def test_without_compile_no_graph_is_captured() -> None:
    snippet.feed_forward()(torch.zeros(1, 1, 64))
    assert graphs() == 0


@pytest.mark.claim("perf_infer_cpu#what-goes-wrong", "torch/_dynamo/config.py#L121")
def test_beyond_the_limit_new_lengths_run_in_eager_mode() -> None:
    module = snippet.feed_forward()
    module.compile(dynamic=False, backend="aot_eager")
    with torch.inference_mode():
        for length in range(2, 14):
            module(torch.zeros(1, length, 64))
    assert graphs() == torch._dynamo.config.recompile_limit == 8
