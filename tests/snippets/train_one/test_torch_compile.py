"""Compiled code gives the eager results, Trainer really compiles, and the backends are today's."""

from pathlib import Path

import pytest
import torch
from torch._inductor import metrics
from transformers import Trainer

from snippets.train_one import torch_compile as snippet

from _tiny import device, run, tiny_batch, tiny_dataset, tiny_model


def test_the_logits_are_those_of_the_eager_model_from_one_whole_graph() -> None:
    assert snippet.compiled_graphs() == 0
    assert snippet.largest_difference("aot_eager") < 1e-5
    assert snippet.compiled_graphs() == 1
    assert not torch._dynamo.utils.counters["graph_break"]


def test_a_second_batch_of_the_same_shape_compiles_nothing_new() -> None:
    compiled = snippet.compile_model(tiny_model(num_hidden_layers=1), "aot_eager")
    for _ in range(2):
        compiled(**tiny_batch())
    assert snippet.compiled_graphs() == 1


@pytest.mark.needs("c++")
def test_inductor_gives_the_results_of_eager_code_by_a_kernel_of_its_own() -> None:
    layer = tiny_model().model.layers[0].mlp.eval()
    hidden = torch.randn(2, 8, 64, generator=torch.Generator().manual_seed(0)).to(device())
    metrics.reset()
    with torch.no_grad():
        difference = (snippet.compile_model(layer, "inductor")(hidden) - layer(hidden)).abs().max()
    assert difference < 1e-5
    assert metrics.generated_kernel_count == 1  # The activation and the product with the gate, fused.


def test_trainer_runs_compiled_graphs(tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    assert (args.torch_compile, args.torch_compile_backend) == (True, "inductor")
    args.torch_compile_backend = "aot_eager"
    trainer = Trainer(tiny_model(num_hidden_layers=1), args, train_dataset=tiny_dataset())
    run(trainer, steps=1)
    assert snippet.compiled_graphs() == 1
    assert trainer.accelerator.state.dynamo_plugin.backend == "AOT_EAGER"


def test_the_backends_are_there_and_the_gone_ones_are_not() -> None:
    everyday, every = snippet.backends()
    assert "inductor" in everyday
    assert {"eager", "aot_eager"} <= set(every) - set(everyday)
    gone = {"nvfuser", "aot_nvfuser", "aot_cudagraphs", "ofi", "fx2trt", "ipex", "onnxrt"}
    assert not gone & set(every)


def test_a_gone_backend_is_refused() -> None:
    with pytest.raises(Exception, match="nvfuser"):
        snippet.compile_model(tiny_model(num_hidden_layers=1), "nvfuser")(**tiny_batch())
