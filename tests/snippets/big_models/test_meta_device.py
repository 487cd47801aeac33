"""A model on the meta device has no weights until they are assigned, and then it is the model that was saved."""

from pathlib import Path

import pytest
import torch
from _big_models import tiny_model, tokens
from transformers import LlamaConfig, LlamaForCausalLM, MixtralConfig, MixtralForCausalLM, Qwen2Config, Qwen2ForCausalLM

from snippets.big_models import meta_device as snippet


def test_an_empty_model_has_shapes_and_no_weights() -> None:
    model = tiny_model()
    empty = snippet.empty(model.config)
    assert all(weight.is_meta for weight in empty.parameters())
    assert [weight.shape for weight in empty.parameters()] == [weight.shape for weight in model.parameters()]
    assert not any(buffer.is_meta for buffer in empty.buffers())


def test_filled_from_the_checkpoint_it_gives_the_same_logits(tmp_path: Path) -> None:
    model = tiny_model()
    model.save_pretrained(tmp_path)
    filled = snippet.empty(model.config)
    assert filled.training
    snippet.fill(filled, str(tmp_path))
    assert not filled.training
    with torch.no_grad():
        assert filled(tokens()).logits.equal(model(tokens()).logits)


def test_without_assign_the_weights_stay_away() -> None:
    model = tiny_model()
    empty = snippet.empty(model.config)
    empty.load_state_dict(model.state_dict())
    assert all(weight.is_meta for weight in empty.parameters())


def test_a_tied_weight_which_the_file_has_once_is_filled_too(tmp_path: Path) -> None:
    config = tiny_model().config
    config.tie_word_embeddings = True
    model = LlamaForCausalLM(config).eval()
    model.save_pretrained(tmp_path)
    filled = snippet.empty(config)
    snippet.fill(filled, str(tmp_path))
    assert filled.lm_head.weight is filled.model.embed_tokens.weight
    with torch.no_grad():
        assert filled(tokens()).logits.equal(model(tokens()).logits)


def test_experts_that_the_file_names_otherwise_are_an_error(tmp_path: Path) -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_local_experts": 2}
    config = MixtralConfig(vocab_size=64, num_attention_heads=4, num_key_value_heads=2, **sizes)
    MixtralForCausalLM(config).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"no weights for .*experts"):
        snippet.fill(snippet.empty(config), str(tmp_path))


@pytest.mark.claim("big_models#meta-device", "torch/nn/modules/module.py::Module.load_state_dict")
def test_weights_that_the_model_would_drop_are_an_error(tmp_path: Path) -> None:
    """Qwen2 is a Llama with biases: as a Llama it would be loaded without them and compute something else."""
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    heads = {"vocab_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
    Qwen2ForCausalLM(Qwen2Config(**heads, **sizes)).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"no place for .*q_proj\.bias"):
        snippet.fill(snippet.empty(LlamaConfig(**heads, **sizes)), str(tmp_path))
    snippet.fill(snippet.empty(Qwen2Config(**heads, **sizes)), str(tmp_path))


@pytest.mark.claim("big_models#meta-device", "transformers/generation/utils.py::GenerationMixin")
def test_a_filled_model_generates_with_the_settings_of_the_checkpoint(tmp_path: Path) -> None:
    """As `from_pretrained` does; the configuration of the model alone may name fewer tokens that end an answer."""
    model = tiny_model()
    model.generation_config.eos_token_id = [2, 7]
    model.save_pretrained(tmp_path)
    filled = snippet.empty(model.config)
    assert filled.generation_config.eos_token_id == 2
    snippet.fill(filled, str(tmp_path))
    assert filled.generation_config.eos_token_id == [2, 7]
    (tmp_path / "generation_config.json").unlink()
    snippet.fill(snippet.empty(model.config), str(tmp_path))
