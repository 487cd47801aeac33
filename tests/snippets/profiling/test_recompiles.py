"""A static compilation begins again for every length, up to PyTorch's limit; a few lengths need as many."""

import pytest
import torch
from _profiling import tiny_model

from snippets.profiling import recompiles as snippet


@pytest.mark.parametrize(("dynamic", "lengths", "begun"), [
    (False, (8, 16, 24, 8), 3), (None, (8, 16, 24, 8), 2), (False, (64, 128, 64, 64), 2),
])
def test_compilations_are_counted_in_the_trace(dynamic: bool | None, lengths: tuple[int, ...], begun: int) -> None:
    model = tiny_model()
    model.compile(backend="eager", dynamic=dynamic)
    assert snippet.compilations_begun(model, snippet.batches(lengths)) == begun


def test_lengths_are_padded_to_the_next_multiple() -> None:
    assert [snippet.padded_length(length) for length in (1, 64, 65, 128)] == [64, 64, 128, 128]


@pytest.mark.claim("slow_training#recompilation", "torch/_dynamo/config.py::recompile_limit")
def test_pytorch_gives_up_at_its_limit_which_is_eight() -> None:
    assert torch._dynamo.config.recompile_limit == 8
    model = tiny_model()
    model.compile(backend="eager", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=2):
        assert snippet.compilations_begun(model, snippet.batches(range(8, 18, 2))) == 3


@pytest.mark.claim("slow_training#recompilation", "torch/_dynamo/config.py::recompile_limit")
def test_beyond_the_limit_the_lengths_from_before_it_still_run_compiled() -> None:
    model, compiled = tiny_model(), []

    def backend(graph: torch.fx.GraphModule, _: object) -> object:
        return lambda *inputs: compiled.append(1) or graph(*inputs)

    model.compile(backend=backend, dynamic=False)
    ran = []
    with torch._dynamo.config.patch(recompile_limit=2):
        for batch in snippet.batches((8, 10, 12, 8)):
            compiled.clear()
            model(**batch, use_cache=False)
            ran.append(bool(compiled))
    assert ran == [True, True, False, True]
