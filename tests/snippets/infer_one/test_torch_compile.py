"""Every step of every answer runs one graph where the cache is long enough, and the tokens stay the same."""

import pytest
import torch
from _infer_one import device, tiny_model

from snippets.infer_one import torch_compile as snippet


def test_a_longer_answer_is_compiled_again_unless_the_cache_is_long_enough() -> None:
    counts, same = snippet.captured(longest=64)
    assert (counts, same) == ([1, 1, 1], True)
    counts, same = snippet.captured(longest=None)
    assert counts[0] == 1
    assert counts[1] == 2
    assert same


def test_the_graph_has_no_breaks() -> None:
    snippet.answer(tiny_model(), 8, 8, config=snippet.settings())
    assert snippet.graphs() == 1
    assert not torch._dynamo.utils.counters["graph_break"]
    assert snippet.settings().fullgraph


def test_only_steps_of_one_token_are_compiled() -> None:
    model = tiny_model()
    lengths: list[tuple[int, bool]] = []
    embedding = model.get_input_embeddings()
    forward = embedding.forward

    def watched(tokens: torch.Tensor) -> torch.Tensor:
        lengths.append((tokens.shape[1], torch.compiler.is_compiling()))
        return forward(tokens)

    embedding.forward = watched
    snippet.answer(model, 8, 4, config=snippet.settings())
    assert lengths == [(8, False), (1, True), (1, True), (1, True)]


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_on_a_cpu_generate_compiles_nothing_by_itself() -> None:
    assert device().type == "cpu"
    snippet.answer(tiny_model(), 8, 8)
    assert snippet.graphs() == 0
