"""QLoRA stores 4 bits per frozen weight, trains its matrices, and what is merged is what was trained or is not."""

from collections.abc import Iterator
from pathlib import Path

import bitsandbytes as bnb
import pytest
import torch
from _peft import batches, device, logits, relative_difference, tiny_model
from peft import PeftModel, prepare_model_for_kbit_training

from snippets.peft import qlora as snippet


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("qlora")
    tiny_model().save_pretrained(path / "checkpoint")
    return path


@pytest.fixture(scope="module")
def trained(folder: Path) -> Iterator[PeftModel]:
    model = snippet.load_for_qlora(str(folder / "checkpoint"), device().type)
    snippet.train(model, steps=20)
    model.save_pretrained(str(folder / "adapter"))
    return model


def test_all_layers_but_the_head_are_quantized(trained: PeftModel) -> None:
    layers = [module for module in trained.modules() if isinstance(module, bnb.nn.Linear4bit)]
    assert len(layers) == 4 * 7
    assert snippet.weight_bits(trained) == pytest.approx(4.127, abs=0.02)


def test_what_is_not_quantized_is_cast_to_fp32(trained: PeftModel) -> None:
    base = trained.get_base_model()
    assert base.model.embed_tokens.weight.dtype == base.lm_head.weight.dtype == torch.float32
    assert base.is_activation_checkpointing


def test_the_adapter_alone_learns(folder: Path) -> None:
    model = snippet.load_for_qlora(str(folder / "checkpoint"), device().type)
    loss = model(**batches()[0]).loss
    loss.backward()
    assert {name.split(".")[-3] for name, p in model.named_parameters() if p.grad is not None} == {"lora_A", "lora_B"}
    snippet.train(model, steps=20)
    assert model(**batches()[0]).loss < loss - 0.1


def test_merging_is_exact_into_the_dequantized_weights_alone(trained: PeftModel, folder: Path) -> None:
    wanted = logits(trained)
    adapter, checkpoint = str(folder / "adapter"), str(folder / "checkpoint")
    merged = snippet.merge_as_trained(checkpoint, adapter, device().type)
    assert relative_difference(logits(merged), wanted) < 0.02
    assert relative_difference(logits(snippet.merge_into_checkpoint(checkpoint, adapter)), wanted) > 0.05


def test_merging_into_four_bits_warns_and_rounds(folder: Path, trained: PeftModel) -> None:
    base = snippet.load_in_4bit(str(folder / "checkpoint"), device().type)
    model = PeftModel.from_pretrained(base, str(folder / "adapter"))
    wanted = logits(model)
    with pytest.warns(UserWarning, match="rounding errors"):
        merged = model.merge_and_unload()
    assert relative_difference(logits(merged), wanted) > 0.05


def test_without_the_keyword_torch_warns_of_a_reentrant_checkpoint(folder: Path) -> None:
    model = prepare_model_for_kbit_training(snippet.load_in_4bit(str(folder / "checkpoint"), device().type))
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        model.train()(**batches()[0])
