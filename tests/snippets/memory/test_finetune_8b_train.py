"""The program trains the adapter on packed samples, with the loss of all tokens that a step learns from."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import chunked_loss
import pytest
import torch
from _peft import device, tiny_model
from lora import add_lora
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from torch import nn
from transformers import (
    AutoModelForCausalLM,
    Cohere2Config,
    Gemma2Config,
    GraniteConfig,
    PreTrainedConfig,
    PreTrainedTokenizerFast,
)
from transformers.models.llama.modeling_llama import LlamaAttention

from snippets.memory import finetune_8b_train as snippet


def test_a_step_learns_from_packed_samples_and_divides_by_their_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    loss_of: Callable[..., torch.Tensor] = chunked_loss.chunked_loss

    def recorded(model: torch.nn.Module, batch: dict[str, torch.Tensor], tokens: int | None = None) -> torch.Tensor:
        rows, length = batch["input_ids"].shape
        seen.append((length, int(tokens or 0)))
        assert rows == 1
        return loss_of(model, batch, tokens)

    monkeypatch.setattr(chunked_loss, "chunked_loss", recorded)
    tiny_model().save_pretrained(tmp_path / "checkpoint")
    samples = snippet.instructions()
    trainer = snippet.fine_tune(str(tmp_path / "checkpoint"), samples, str(tmp_path / "out"), "cpu")

    lengths = sum(len(sample["input_ids"]) for sample in samples)
    learned = sum(label != -100 for sample in samples for label in sample["labels"][1:])
    assert sum(length for length, _ in seen) == 3 * lengths
    assert [tokens for _, tokens in seen] == [learned] * 6  # Two batches to a step, and a step to an epoch.
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert losses[-1] < losses[0]
    assert (tmp_path / "out/adapter_model.safetensors").exists()
    assert trainer.predict(samples).predictions == ()


@pytest.mark.claim("finetune_8b#program", "accelerate/accelerator.py::Accelerator.prepare_model",
                   "transformers/trainer.py::Trainer.autocast_smart_context_manager")
def test_attention_runs_under_autocast_in_16_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries of a 4-bit layer tell it on a GPU alone: on a CPU peft keeps the type of its input."""
    used = device().type
    attention: set[torch.dtype] = set()
    queries: set[torch.dtype] = set()
    enabled: set[bool] = set()
    load = snippet.load_for_qlora

    def watched(checkpoint: str, device_map: str) -> nn.Module:
        model = load(checkpoint, device_map)
        for module in model.modules():
            if isinstance(module, LlamaAttention):
                module.o_proj.register_forward_pre_hook(lambda _, inputs: attention.add(inputs[0].dtype))
                module.q_proj.register_forward_hook(lambda _, inputs, query: queries.add(query.dtype))
                module.register_forward_pre_hook(lambda *_: enabled.add(torch.is_autocast_enabled(used)))
        return model

    monkeypatch.setattr(snippet, "load_for_qlora", watched)
    tiny_model().save_pretrained(tmp_path / "checkpoint")
    snippet.fine_tune(str(tmp_path / "checkpoint"), snippet.instructions(), str(tmp_path / "out"), used)
    assert enabled == {True} and attention == {torch.bfloat16}
    assert used == "cpu" or queries == {torch.bfloat16}


@pytest.mark.claim("finetune_8b#program", "peft/tuners/tuners_utils.py::BaseTunerLayer")
@pytest.mark.parametrize(("targets", "refused"), [(["q_proj"], False), (["q_proj", "lm_head"], True)])
def test_an_adapter_on_the_head_is_refused(targets: list[str], refused: bool) -> None:
    """Its loss would leave the adapter out, and before training the logits do not tell."""
    model = get_peft_model(tiny_model(torch.float32), LoraConfig(target_modules=targets, task_type="CAUSAL_LM"))
    with pytest.raises(ValueError, match="has an adapter") if refused else nullcontext():
        snippet.check_logits(model, [1, 2, 3])


def test_the_check_leaves_the_gradients_of_4_bit_weights_right(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path)
    tokens = torch.arange(1, 9)[None].to(device())
    gradients = []
    for check in (snippet.check_logits, lambda *_: None):
        torch.manual_seed(0)
        model = snippet.load_for_qlora(str(tmp_path), device().type)
        for parameter in model.parameters():
            if parameter.requires_grad:
                nn.init.normal_(parameter, std=0.05)
        check(model, [1, 2, 3])
        chunked_loss.chunked_loss(model.train(), {"input_ids": tokens, "labels": tokens}).backward()
        gradients.append([p.grad for p in model.parameters() if p.requires_grad])
    for checked, unchecked in zip(*gradients, strict=True):
        assert torch.equal(checked, unchecked)


SIZES = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16,
         "num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}


def model_of(config: PreTrainedConfig) -> nn.Module:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    nn.init.normal_(model.lm_head.weight, std=0.5)
    return model


def with_a_bias() -> nn.Module:
    model = tiny_model(torch.float32)
    model.lm_head.bias = nn.Parameter(torch.ones(256))
    return model


@pytest.mark.claim("finetune_8b#program", "transformers/models/granite/modeling_granite.py::GraniteForCausalLM.forward",
                   "transformers/models/cohere2/modeling_cohere2.py::Cohere2ForCausalLM.forward",
                   "transformers/models/gemma2/modeling_gemma2.py::Gemma2ForCausalLM.forward",
                   "transformers/models/gemma4/modeling_gemma4.py::Gemma4ForConditionalGeneration.forward")
@pytest.mark.parametrize("build", [
    lambda: model_of(GraniteConfig(logits_scaling=8.0, **SIZES)), lambda: model_of(Cohere2Config(**SIZES)),
    lambda: model_of(Gemma2Config(**SIZES)), with_a_bias,
], ids=["granite", "cohere2", "gemma2", "bias"])
def test_a_model_that_changes_the_logits_of_its_head_is_refused(build: Callable[[], nn.Module]) -> None:
    with pytest.raises(ValueError, match="changes its logits"):
        snippet.check_logits(add_lora(build().cpu()), [1, 2, 3])


TEMPLATE = """{% for each in messages %}{{ each.role }} {{ each.content }} end {% endfor %}
{%- if add_generation_prompt %}assistant {% endif %}"""


def chat_tokenizer() -> PreTrainedTokenizerFast:
    words = ["user", "assistant", "end", "one", "two", "three", "four"]
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}))
    tokenizer.pre_tokenizer = Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, chat_template=TEMPLATE)


@pytest.mark.parametrize("longest", [1024, 6])
def test_only_the_last_message_of_a_chat_is_learned(longest: int, tmp_path: Path) -> None:
    turns = [("user", "one"), ("assistant", "two"), ("user", "three"), ("assistant", "four four")]
    messages = [{"role": role, "content": content} for role, content in turns]
    file = tmp_path / "chats.jsonl"
    file.write_text("".join(json.dumps({"messages": part}) + "\n" for part in (messages, messages[:2])))
    first, second = snippet.read_samples(str(file), chat_tokenizer(), longest)
    whole = [0, 3, 2, 1, 4, 2, 0, 5, 2, 1, 6, 6, 2]
    assert first["input_ids"] == whole[:longest]
    assert first["labels"] == ([-100] * 10 + whole[10:])[:longest]
    assert second == {"input_ids": whole[:6], "labels": [-100, -100, -100, -100, 4, 2]}


def test_the_command_trains_on_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint, file = tmp_path / "checkpoint", tmp_path / "chats.jsonl"
    tiny_model().save_pretrained(checkpoint)
    chat_tokenizer().save_pretrained(checkpoint)
    messages = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two three"}]
    file.write_text((json.dumps({"messages": messages}) + "\n") * 16)
    monkeypatch.setattr("sys.argv", ["finetune_8b_train.py", str(checkpoint), str(file), str(tmp_path / "adapter")])
    snippet.main()
    assert (tmp_path / "adapter/adapter_model.safetensors").exists()
