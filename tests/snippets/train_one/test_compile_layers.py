"""Compiled layers give the eager results, all from one graph, and the rest of the model runs as it is."""

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from snippets.train_one import compile_layers as snippet

from _tiny import tiny_batch, tiny_model


@pytest.fixture(autouse=True)
def without_a_compiler():
    """The graphs are captured as by inductor, and run as they are."""
    with torch.compiler.set_stance("default", force_backend="aot_eager"):
        yield


def test_the_logits_are_those_of_the_eager_model_and_the_layers_share_a_graph() -> None:
    assert snippet.compiled_graphs() == 0
    assert snippet.largest_difference() < 1e-5
    assert snippet.compiled_graphs() == 1
    assert not torch._dynamo.utils.counters["graph_break"]


def test_a_training_step_has_the_gradients_of_the_eager_model() -> None:
    eager, compiled = (tiny_model(num_hidden_layers=2).train() for _ in range(2))
    snippet.compile_layers(compiled)
    for model in (eager, compiled):
        model(**tiny_batch(), use_cache=False).loss.backward()
    assert snippet.compiled_graphs() == 1
    for ours, theirs in zip(compiled.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


@pytest.mark.parametrize(
    ("kind", "layers"),
    [(kind, "n_layer") for kind in ("bloom", "codegen", "gpt2", "gpt_bigcode", "gptj")]
    + [(kind, "num_hidden_layers") for kind in ("falcon", "gpt_neox", "mamba", "mixtral", "opt")]
    + [("mpt", "n_layers")],
)
def test_the_layers_are_found_whatever_a_model_calls_them(kind: str, layers: str) -> None:
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{layers: 3}))
    snippet.compile_layers(model)
    compiled = [module for module in model.modules() if module._compiled_call_impl is not None]
    assert len(compiled) == 3
    assert len({type(module) for module in compiled}) == 1
