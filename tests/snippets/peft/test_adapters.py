"""The program trains an adapter alone and saves it; the merged model computes what the base with the adapter does."""

import weakref
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer

from snippets.peft import adapters as snippet


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return snippet.run_tiny(snippet.finetune, tmp_path_factory.mktemp("run"))


def test_the_adapter_covers_all_linear_layers_but_the_head(folders: tuple[Path, Path]) -> None:
    checkpoint, output = folders
    base = AutoModelForCausalLM.from_pretrained(checkpoint)
    adapted = PeftModel.from_pretrained(base, output)
    covered = [name for name, _ in adapted.named_modules() if name.endswith("lora_A.default")]
    assert len(covered) == 7 * base.config.num_hidden_layers
    assert not [name for name in covered if "lm_head" in name]


def test_the_merged_model_is_the_base_with_the_adapter_and_has_learned(folders: tuple[Path, Path]) -> None:
    checkpoint, output = folders
    tokens = torch.tensor([AutoTokenizer.from_pretrained(output / "merged")(snippet.TEXTS[8])["input_ids"]])

    def logits(model: torch.nn.Module) -> torch.Tensor:
        with torch.inference_mode():
            return model.eval()(input_ids=tokens).logits.float()

    def distance(ours: torch.Tensor, theirs: torch.Tensor) -> float:
        return ((ours - theirs).norm() / theirs.norm()).item()

    base, adapted, merged = (
        logits(AutoModelForCausalLM.from_pretrained(checkpoint)),
        logits(PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(checkpoint), output)),
        logits(AutoModelForCausalLM.from_pretrained(output / "merged")),
    )
    assert distance(merged, adapted) < 0.3 * distance(base, adapted)
    assert snippet.mean_loss(output / "merged") < snippet.mean_loss(checkpoint)


def test_the_adapter_is_in_fp32_and_the_merged_model_in_bf16(folders: tuple[Path, Path]) -> None:
    from safetensors.torch import load_file

    _, output = folders
    weights = load_file(output / "adapter_model.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.float32}
    assert all("lora_" in name for name in weights)
    assert not (output / "merged" / "adapter_config.json").exists()
    assert AutoModelForCausalLM.from_pretrained(output / "merged").dtype == torch.bfloat16


@pytest.mark.filterwarnings("ignore:`gradient_checkpointing_enable` is deprecated:FutureWarning")
def test_qlora_merges_into_16_bits_what_it_has_learned(tmp_path: Path) -> None:
    checkpoint, output = snippet.run_tiny(snippet.finetune_qlora, tmp_path)
    merged = AutoModelForCausalLM.from_pretrained(output / "merged")
    assert merged.dtype == torch.bfloat16
    assert not getattr(merged.config, "quantization_config", None)
    assert snippet.mean_loss(output / "merged") < snippet.mean_loss(checkpoint) - 0.1


@pytest.mark.filterwarnings("ignore:`gradient_checkpointing_enable` is deprecated:FutureWarning")
def test_the_4_bit_model_is_freed_before_the_merged_one_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[weakref.ref[torch.nn.Module]] = []
    load, merge = snippet.load_for_qlora, snippet.merge_as_trained

    def load_and_watch(checkpoint: str) -> torch.nn.Module:
        model = load(checkpoint)
        loaded.append(weakref.ref(model))
        return model

    def merge_after_it(checkpoint: str, adapter: str) -> torch.nn.Module:
        assert [model() for model in loaded] == [None]
        return merge(checkpoint, adapter)

    monkeypatch.setattr(snippet, "load_for_qlora", load_and_watch)
    monkeypatch.setattr(snippet, "merge_as_trained", merge_after_it)
    snippet.finetune_qlora(snippet.save_checkpoint(tmp_path / "checkpoint"), ["a"], str(tmp_path / "out"), max_steps=1)


@pytest.mark.parametrize("tokens", [512, 16])
def test_a_text_is_cut_to_its_length_and_settings_can_be_changed(
    tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[Trainer] = []
    monkeypatch.setattr(Trainer, "train", lambda trainer: trained.append(trainer))
    checkpoint = snippet.save_checkpoint(tmp_path / "checkpoint")
    length = {} if tokens == 512 else {"length": tokens}
    snippet.finetune(checkpoint, ["a" * 1000], str(tmp_path / "out"), **length, per_device_train_batch_size=1)
    (trainer,) = trained
    assert [len(sample["labels"]) for sample in trainer.train_dataset] == [tokens]
    assert trainer.args.per_device_train_batch_size == 1
    assert trainer.args.activation_checkpointing
