"""The quantized checkpoint generates the same tokens compiled, with one graph for the prompt and one for a token."""

from pathlib import Path

import torch
from _infer_cpu import tiny_model, tokens
from torch import nn

from snippets.infer_cpu import int8_generation as snippet


def test_a_checkpoint_is_loaded_quantized_and_compiled_and_gives_the_same_tokens(tmp_path: Path) -> None:
    tiny_model(num_hidden_layers=1).save_pretrained(tmp_path)
    model = snippet.load(str(tmp_path))
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    assert {type(module.weight).__name__ for module in linear} == {"Int8Tensor"}
    plain = snippet.generate(model, tokens(1))
    assert plain.shape == (1, 32)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    snippet.compile_steps(model, backend="aot_eager")
    assert torch.equal(snippet.generate(model, tokens(1)), plain)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2
