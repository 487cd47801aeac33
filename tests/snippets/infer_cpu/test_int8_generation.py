"""The quantized checkpoint gives the same answer compiled, with one graph for a token, whatever the prompt."""

from pathlib import Path

import torch
from torch import nn

from snippets.infer_cpu import int8_generation as snippet


def test_a_checkpoint_is_loaded_quantized_and_compiled_and_gives_the_same_answer(tmp_path: Path) -> None:
    model, tokenizer = snippet.load(snippet.make_checkpoint(tmp_path))
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    assert {type(module.weight).__name__ for module in linear} == {"Int8Tensor"}
    plain = snippet.answer(model, tokenizer, "2 + 2?", 16)
    assert plain and "2 + 2?" not in plain
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    model.forward = torch.compile(model.forward, backend="aot_eager")
    assert snippet.answer(model, tokenizer, "2 + 2?", 16) == plain
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2
    snippet.answer(model, tokenizer, "Why is the sky blue?", 16)  # Compiles the prompt alone, its length a variable.
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 3
