"""LoRA changes nothing until it is trained, trains its own matrices alone, and survives saving and merging."""

from pathlib import Path

import pytest
import torch
from _peft import batches, logits, relative_difference, tiny_model
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    PreTrainedModel,
    Trainer,
    TrainingArguments,
    Zamba2Config,
    Zamba2ForCausalLM,
)

from snippets.peft import lora as snippet


@pytest.fixture(scope="module")
def trained() -> PeftModel:
    model = snippet.add_lora(tiny_model())
    snippet.train(model, batches() * 20, lr=2e-3)
    return model


@pytest.fixture(scope="module")
def folder(trained: PeftModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lora")
    tiny_model().save_pretrained(path / "checkpoint")
    trained.save_pretrained(str(path / "adapter"))
    return path


def test_a_layer_gets_rank_times_its_inputs_and_outputs() -> None:
    hidden, keys, middle, rank, layers = 64, 32, 128, 16, 4  # Two of the four heads have keys and values.
    shapes = [(hidden, hidden)] * 2 + [(hidden, keys)] * 2 + [(hidden, middle)] * 3
    expected = layers * sum(rank * (inputs + outputs) for inputs, outputs in shapes)
    assert snippet.add_lora(tiny_model()).get_nb_trainable_parameters()[0] == expected


def test_before_training_nothing_has_changed() -> None:
    assert torch.equal(logits(snippet.add_lora(tiny_model())), logits(tiny_model()))


def test_the_adapter_of_a_bf16_model_is_fp32_and_the_rest_stays() -> None:
    model = snippet.add_lora(tiny_model())
    assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float32}
    assert {p.dtype for p in model.parameters() if not p.requires_grad} == {torch.bfloat16}


def test_training_changes_the_adapter_alone(trained: PeftModel) -> None:
    frozen = [p for p in trained.parameters() if not p.requires_grad]
    assert all(torch.equal(old, new) for old, new in zip(tiny_model().parameters(), frozen, strict=True))
    assert relative_difference(logits(trained), logits(tiny_model())) > 0.5


def test_the_adapter_alone_is_saved_and_gives_the_same_logits(trained: PeftModel, folder: Path) -> None:
    assert {file.name for file in (folder / "adapter").glob("adapter*")} == {
        "adapter_config.json", "adapter_model.safetensors"
    }
    loaded = snippet.load(str(folder / "checkpoint"), str(folder / "adapter")).to(trained.device)
    assert torch.equal(logits(loaded), logits(trained))
    assert not any(p.requires_grad for p in loaded.parameters())


def test_the_merged_checkpoint_is_plain(trained: PeftModel, folder: Path) -> None:
    snippet.merge(str(folder / "checkpoint"), str(folder / "adapter"), str(folder / "merged"))
    merged = AutoModelForCausalLM.from_pretrained(folder / "merged").to(trained.device)
    assert {p.dtype for p in merged.parameters()} == {torch.bfloat16}
    assert not [name for name, _ in merged.named_parameters() if "lora" in name]
    assert relative_difference(logits(merged), logits(trained)) < 0.02


def test_the_default_targets_are_queries_and_values_alone() -> None:
    model = get_peft_model(tiny_model(), LoraConfig(task_type="CAUSAL_LM"))
    assert {name.split(".")[-1] for name in model.targeted_module_names} == {"q_proj", "v_proj"}


def test_all_linear_layers_are_all_but_the_head() -> None:
    names = snippet.add_lora(tiny_model()).targeted_module_names
    assert len(names) == 4 * 7
    assert "lm_head" not in names


def test_a_target_that_is_in_no_model_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Target modules .* not found in the base model"):
        get_peft_model(tiny_model(), LoraConfig(target_modules=["query_key_value"]))


def test_trainer_saves_the_adapter_alone(tmp_path: Path) -> None:
    samples = [{"input_ids": row, "labels": row} for row in batches()[0]["input_ids"].cpu()]
    args = TrainingArguments(str(tmp_path), max_steps=1, save_steps=1, report_to="none", disable_tqdm=True)
    Trainer(snippet.add_lora(tiny_model()), args, train_dataset=samples).train()
    assert [file.name for file in tmp_path.glob("checkpoint-1/*model*.safetensors")] == ["adapter_model.safetensors"]


@pytest.mark.claim("peft#lora", "peft/tuners/lora/layer.py::Linear.forward")
def test_under_autocast_an_adapter_keeps_little_more() -> None:
    base = snippet.kept_with(adapter=False, autocast=False)
    assert snippet.kept_with(adapter=True, autocast=True) < 1.15 * base
    assert snippet.kept_with(adapter=True, autocast=False) > 1.35 * base


def test_the_default_targets_keep_less_than_no_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen layer without an adapter need not keep its input."""
    base = snippet.kept_with(adapter=False, autocast=False)
    monkeypatch.setattr(
        snippet, "add_lora", lambda model: get_peft_model(model, LoraConfig(r=16, task_type="CAUSAL_LM"))
    )
    assert snippet.kept_with(adapter=True, autocast=False) < base
    assert snippet.kept_with(adapter=True, autocast=True) < base


def test_training_multiplies_in_bf16() -> None:
    model = snippet.add_lora(tiny_model())
    types: set[torch.dtype] = set()
    layer = model.get_base_model().model.layers[0].self_attn.q_proj.lora_A["default"]
    layer.register_forward_hook(lambda module, inputs, output: types.add(output.dtype))
    snippet.train(model, batches())
    assert types == {torch.bfloat16}


@pytest.mark.claim("peft#merge", "peft/tuners/lora/layer.py::Linear.merge")
def test_a_merge_is_rounded_once_and_a_safe_one_twice(folder: Path) -> None:
    checkpoint, adapter, merged = (str(folder / name) for name in ("checkpoint", "adapter", "once"))
    snippet.merge(checkpoint, adapter, merged)
    once = AutoModelForCausalLM.from_pretrained(merged).state_dict()
    base = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    exact = PeftModel.from_pretrained(base, adapter).merge_and_unload().state_dict()
    assert all(torch.equal(once[name], exact[name].bfloat16()) for name in exact)
    base = AutoModelForCausalLM.from_pretrained(checkpoint)
    safe = PeftModel.from_pretrained(base, adapter).merge_and_unload(safe_merge=True).state_dict()
    assert not all(torch.equal(safe[name], once[name]) for name in once)


def trained_adapter(base: PreTrainedModel, folder: Path, **options: object) -> None:
    """Save the base, and an adapter whose matrices B are no longer zero."""
    base.save_pretrained(folder / "base")
    model = get_peft_model(base, LoraConfig(r=2, init_lora_weights=False, **options))
    model.save_pretrained(str(folder / "adapter"))


@pytest.mark.claim("peft#merge", "peft/tuners/lora/layer.py::Linear.merge",
                   "transformers/models/zamba2/modeling_zamba2.py::Zamba2Model.__init__")
def test_layers_that_share_a_weight_are_named_and_merging_changes_the_model(tmp_path: Path) -> None:
    zamba = Zamba2Config(
        vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=4, layers_block_type=["mamba", "hybrid"] * 2, num_mem_blocks=1, mamba_d_state=8,
        mamba_headdim=8, n_mamba_heads=8, chunk_size=8, initializer_range=0.3,
    )
    bases = {
        "shared": (Zamba2ForCausalLM(zamba), ["q_proj", "v_proj"]),
        "head": (tiny_model(tie_word_embeddings=True), ["q_proj", "lm_head"]),
    }
    for name, (base, targets) in bases.items():
        folder = tmp_path / name
        trained_adapter(base, folder, target_modules=targets)
        adapted = snippet.load(str(folder / "base"), str(folder / "adapter")).eval()
        assert snippet.shared_layers(adapted), name
        tokens = torch.arange(1, 9)[None]
        with torch.no_grad():
            before = adapted(input_ids=tokens).logits.float()
            after = adapted.merge_and_unload()(input_ids=tokens).logits.float()
        assert relative_difference(after, before) > 0.05, name


def test_an_adapter_beside_layers_that_share_a_weight_is_merged(tmp_path: Path) -> None:
    trained_adapter(tiny_model(tie_word_embeddings=True), tmp_path, target_modules=["q_proj"])
    assert not snippet.shared_layers(snippet.load(str(tmp_path / "base"), str(tmp_path / "adapter")))
    snippet.merge(*(str(tmp_path / part) for part in ("base", "adapter", "merged")))
    assert list((tmp_path / "merged").glob("*.safetensors"))


@pytest.mark.claim("peft#failures", "peft/tuners/lora/config.py::LoraConfig")
@pytest.mark.parametrize(("indices", "wanted"), [
    ([10, 11], {"embed_tokens"}),
    ({"embed_tokens": [10, 11], "lm_head": [10, 11]}, {"embed_tokens", "lm_head"}),
], ids=["list", "by name"])
def test_a_list_of_new_tokens_leaves_an_untied_head_frozen(indices: list | dict, wanted: set[str]) -> None:
    model = get_peft_model(tiny_model(), LoraConfig(task_type="CAUSAL_LM", trainable_token_indices=indices))
    trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    assert {kind for kind in ("embed_tokens", "lm_head") if any(kind in name for name in trained)} == wanted
