"""The program trains compiled layers in FP8 from a checkpoint, and saves one that loads as any other."""

from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM, PreTrainedModel, Trainer
from transformers.modeling_layers import GradientCheckpointingLayer

from snippets.low_precision import fp8_program as snippet
from snippets.low_precision.fp8_training import to_fp8

UNDER_AUTOCAST: list[bool] = []


def watch_autocast(model: PreTrainedModel) -> PreTrainedModel:
    """The converted model, which notes whether each forward pass was under autocast to bf16."""
    def note(module: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        kind = inputs[0].device.type
        UNDER_AUTOCAST.append(torch.is_autocast_enabled(kind) and torch.get_autocast_dtype(kind) == torch.bfloat16)

    model.get_input_embeddings().register_forward_pre_hook(note)
    return to_fp8(model)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trainer, Path]:
    folder = tmp_path_factory.mktemp("fp8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snippet, "to_fp8", watch_autocast)
        return snippet.train_tiny(str(folder)), folder


def test_it_learns_in_fp8_with_compiled_layers(trained: tuple[Trainer, Path]) -> None:
    trainer, _ = trained
    layers = [each for each in trainer.model.modules() if isinstance(each, GradientCheckpointingLayer)]
    linear = [each for layer in layers for each in layer.modules() if isinstance(each, nn.Linear)]
    assert len(layers) == 2 and len(linear) == 2 * 7
    assert {type(each).__name__ for each in linear} == {"Float8Linear"}
    assert all(layer._compiled_call_impl is not None for layer in layers)
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert losses[-1] < losses[0] - 0.5


def test_weights_stay_in_fp32_and_products_are_under_bf16_autocast(trained: tuple[Trainer, Path]) -> None:
    trainer, _ = trained
    assert {parameter.dtype for parameter in trainer.model.parameters()} == {torch.float32}
    assert UNDER_AUTOCAST and all(UNDER_AUTOCAST)


def test_samples_of_any_length_make_tokens_divisible_by_16(trained: tuple[Trainer, Path]) -> None:
    trainer, _ = trained
    assert {len(sample["input_ids"]) for sample in trainer.train_dataset} == {*range(2, 17)}  # with the end token
    for start in range(0, 15, 5):
        batch = trainer.data_collator([dict(sample) for sample in trainer.train_dataset[start : start + 5]])
        assert batch["input_ids"].numel() % 16 == 0
        assert torch.equal(batch["labels"] != -100, batch["attention_mask"].bool())


def test_the_learning_rate_suits_all_weights_unless_another_is_passed(tmp_path: Path) -> None:
    checkpoint = snippet.save_checkpoint(tmp_path / "checkpoint")
    more = {"max_steps": 1, "use_cpu": not torch.accelerator.is_available(), "report_to": "none"}
    with torch.compiler.set_stance("force_eager"):
        trainer = snippet.train(checkpoint, snippet.TEXTS, str(tmp_path / "out"), **more)
    assert trainer.args.learning_rate == 1e-5 and trainer.args.bf16


def test_the_saved_checkpoint_loads_without_torchao_s_layers(trained: tuple[Trainer, Path]) -> None:
    trainer, folder = trained
    saved = AutoModelForCausalLM.from_pretrained(folder / "out", dtype="auto")
    assert "Float8Linear" not in {type(each).__name__ for each in saved.modules()}
    assert saved.dtype == torch.float32
    own = trainer.model.state_dict()
    assert all(torch.equal(weight, own[name].cpu()) for name, weight in saved.state_dict().items())
