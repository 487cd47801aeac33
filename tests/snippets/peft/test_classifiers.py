"""Which layers of a new head an adapter saves, and which have to be named: the rest is random again after loading."""

from pathlib import Path

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    BartConfig,
    BartModel,
    BertConfig,
    BertModel,
    DebertaV2Config,
    DebertaV2Model,
    DistilBertConfig,
    DistilBertModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    T5Config,
    T5Model,
)

SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
BASES = {
    "bert": lambda: BertModel(BertConfig(**SIZES)),
    "deberta": lambda: DebertaV2Model(DebertaV2Config(**SIZES, pooler_hidden_size=32)),
    "distilbert": lambda: DistilBertModel(DistilBertConfig(
        vocab_size=64, dim=32, hidden_dim=64, n_layers=1, n_heads=2,
    )),
    "bart": lambda: BartModel(BartConfig(
        vocab_size=64, d_model=32, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2,
    )),
    "t5": lambda: T5Model(T5Config(
        vocab_size=64, d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0,
    )),
}  # fmt: skip


def classifier(base: Path, seed: int) -> PreTrainedModel:
    """The base with a new head, which this seed draws."""
    torch.manual_seed(seed)
    return AutoModelForSequenceClassification.from_pretrained(base)


def logits(model: torch.nn.Module) -> torch.Tensor:
    end = model.config.eos_token_id or 3
    with torch.no_grad():
        return model.eval()(input_ids=torch.tensor([[5, 6, 7, end]])).logits


def same_after_loading(kind: str, folder: Path, **options: list[str]) -> bool:
    """Whether an adapter that is saved and loaded onto the base again gives the logits that it gave."""
    BASES[kind]().save_pretrained(folder / "base")
    lora = LoraConfig(target_modules="all-linear", task_type="SEQ_CLS", **options)
    model = get_peft_model(classifier(folder / "base", seed=1), lora)
    model.save_pretrained(folder / "adapter")
    loaded = PeftModel.from_pretrained(classifier(folder / "base", seed=2), folder / "adapter")
    return torch.equal(logits(loaded), logits(model))


@pytest.mark.claim("peft#lora", "peft/peft_model.py::PeftModelForSequenceClassification")
@pytest.mark.parametrize(("kind", "options", "same"), [
    ("bert", {}, True),
    ("deberta", {}, False),
    ("deberta", {"modules_to_save": ["pooler"]}, True),
    ("bart", {}, False),
    ("bart", {"modules_to_save": ["classification_head"]}, True),
    ("t5", {}, False),
    ("t5", {"modules_to_save": ["classification_head"]}, True),
    ("distilbert", {"modules_to_save": ["pre_classifier"], "exclude_modules": ["classifier"]}, True),
])
def test_a_head_is_saved_where_all_its_new_layers_are_named(
    kind: str, options: dict[str, list[str]], same: bool, tmp_path: Path
) -> None:
    assert same_after_loading(kind, tmp_path, **options) == same


@pytest.mark.claim("peft#save", "peft/peft_model.py::PeftModel.from_pretrained")
def test_the_adapter_of_a_classifier_loads_into_a_model_of_another_class_without_an_error(tmp_path: Path) -> None:
    LlamaForCausalLM(LlamaConfig(**SIZES, pad_token_id=0)).save_pretrained(tmp_path / "base")
    lora = LoraConfig(target_modules="all-linear", task_type="SEQ_CLS")
    get_peft_model(classifier(tmp_path / "base", seed=1), lora).save_pretrained(tmp_path / "adapter")
    classes, words = (PeftModel.from_pretrained(kind.from_pretrained(tmp_path / "base"), tmp_path / "adapter")
                      for kind in (AutoModelForSequenceClassification, AutoModelForCausalLM))
    assert logits(classes).shape == (1, 2)
    assert logits(words).shape == (1, 4, 64)


@pytest.mark.claim("peft#lora", "peft/peft_model.py::PeftModelForSequenceClassification")
def test_the_head_of_distilbert_is_an_error_unless_its_layers_are_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="modules_to_save cannot be applied"):
        same_after_loading("distilbert", tmp_path)
