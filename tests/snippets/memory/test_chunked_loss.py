"""The loss in chunks and its gradients are those of the model, and a model for which they are not is an error."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import (
    AutoModelForCausalLM,
    ChameleonConfig,
    ChameleonForConditionalGeneration,
    CohereConfig,
    DataCollatorWithFlattening,
    Gemma2Config,
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    GraniteConfig,
    LlamaConfig,
    MiniCPM3Config,
    MistralConfig,
    MixtralConfig,
    PhiConfig,
    Qwen3Config,
    Trainer,
    TrainingArguments,
)

from snippets.memory import chunked_loss as snippet


def of_tokens(tokens: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"input_ids": tokens, "labels": tokens}


def in_fp32(model: torch.nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    return snippet.chunked_loss(model, of_tokens(tokens), dtype=torch.float32)


def samples() -> list[dict[str, list[int]]]:
    batch = snippet.padded_batch()
    rows = zip(batch["input_ids"], batch["labels"], batch["attention_mask"].bool(), strict=True)
    return [{"input_ids": tokens[mask].tolist(), "labels": labels[mask].tolist()} for tokens, labels, mask in rows]


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-5), (torch.bfloat16, 0.02)])
@pytest.mark.parametrize("batch", [snippet.padded_batch(), DataCollatorWithFlattening()(samples())],
                         ids=["padded", "packed"])
def test_the_loss_and_the_gradients_are_the_models(batch, dtype: torch.dtype, most: float) -> None:
    def chunked(model: torch.nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return snippet.chunked_loss(model, batch, dtype=dtype)

    found, whole = (snippet.gradients_of(loss_of, [batch]) for loss_of in (chunked, snippet.plain_loss))
    assert snippet.relative_difference(found, whole) < most
    assert "labels" in batch


def test_the_argument_has_the_trainer_call_liger_with_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    monkeypatch.setattr("transformers.trainer.apply_liger_kernel", lambda model, config: given.append(model))
    model = snippet.tiny_model()
    args = replace(snippet.liger_arguments(), output_dir=str(tmp_path))
    Trainer(model, args, train_dataset=samples(), data_collator=DataCollatorWithFlattening()).train()
    assert given == [model]


def trained(kind: type[Trainer], folder: Path) -> Trainer:
    """After one step of three batches, each with a sample of another length."""
    arguments = TrainingArguments(
        str(folder), per_device_train_batch_size=1, gradient_accumulation_steps=3, max_steps=1, logging_steps=1,
        use_cpu=True, report_to="none", save_strategy="no", disable_tqdm=True, bf16=True,
    )
    trainer = kind(snippet.tiny_model(), arguments, train_dataset=samples(),
                   data_collator=DataCollatorWithFlattening())
    trainer.train()
    return trainer


def test_the_trainer_divides_by_the_labels_of_all_accumulated_batches(tmp_path: Path) -> None:
    """With samples of unequal lengths, the mean of the batches' means would be another loss."""
    plain, chunked = (trained(kind, tmp_path) for kind in (Trainer, snippet.ChunkedLossTrainer))
    for name, most in (("loss", 0.01), ("grad_norm", 0.02)):
        ours, theirs = (trainer.state.log_history[0][name] for trainer in (chunked, plain))
        assert ours == pytest.approx(theirs, rel=most)
    ours, theirs = (trainer.evaluate(samples())["eval_loss"] for trainer in (chunked, plain))
    assert ours == pytest.approx(theirs, rel=0.01)


def test_the_trainer_computes_the_loss_under_autocast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    loss_of = snippet.chunked_loss

    def recorded(*arguments: object) -> torch.Tensor:
        seen.append(torch.is_autocast_enabled("cpu"))
        return loss_of(*arguments)

    monkeypatch.setattr(snippet, "chunked_loss", recorded)
    trained(snippet.ChunkedLossTrainer, tmp_path)
    assert seen == [True] * 3


SIZES = {
    "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
    "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip


def with_lora() -> PeftModel:
    torch.manual_seed(0)
    return get_peft_model(snippet.tiny_model(), LoraConfig(target_modules=["q_proj", "down_proj"],
                                                           init_lora_weights=False))


def test_adapters_are_trained_as_by_the_plain_loss() -> None:
    batch, gradients = snippet.padded_batch(), []
    for loss_of in (partial(snippet.chunked_loss, dtype=torch.float32), snippet.plain_loss):
        model = with_lora()
        loss_of(model, batch).backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters() if p.requires_grad]))
    assert snippet.relative_difference(*gradients) < 1e-5


@pytest.mark.parametrize("build", [snippet.tiny_model, with_lora])
@pytest.mark.parametrize("tokens", [None, 0])
def test_a_step_without_labels_has_gradients_of_zero(tokens: int | None, build: Callable[[], torch.nn.Module]) -> None:
    model, batch = build(), snippet.padded_batch()
    loss = snippet.chunked_loss(model, batch | {"labels": torch.full_like(batch["labels"], -100)}, tokens)
    loss.backward()
    assert loss == 0
    assert all((p.grad == 0).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize("tensors", [FakeTensorMode, nullcontext])
@pytest.mark.parametrize("kind", [LlamaConfig, MistralConfig, Qwen3Config])
def test_where_the_head_alone_makes_the_logits_the_chunked_loss_is_right(kind, tensors) -> None:
    with tensors():
        model, tokens = AutoModelForCausalLM.from_config(kind(**SIZES)), torch.ones(2, 4, dtype=torch.long)
        snippet.check_head(model, tokens)
    if tensors is nullcontext:
        torch.testing.assert_close(in_fp32(model, tokens), snippet.plain_loss(model, of_tokens(tokens)))


@pytest.mark.parametrize("tensors", [FakeTensorMode, nullcontext])
@pytest.mark.parametrize(("kind", "reason"), [
    (CohereConfig, "changes the logits"),
    (Gemma2Config, "changes the logits"),
    (GraniteConfig, "changes the logits"),
    (PhiConfig, "more than a matrix"),
])
def test_scaled_capped_and_biased_logits_are_an_error(kind, reason: str, tensors) -> None:
    config = kind(**SIZES, head_dim=8, pad_token_id=0, bos_token_id=1, eos_token_id=1)
    with tensors(), pytest.raises(ValueError, match=reason):
        model = AutoModelForCausalLM.from_config(config)
        snippet.check_head(model, torch.ones(2, 4, dtype=torch.long))


@pytest.mark.claim("logits#chunked-loss",
                   "transformers/models/minicpm3/modeling_minicpm3.py::MiniCPM3ForCausalLM.forward")
@pytest.mark.parametrize("tensors", [FakeTensorMode, nullcontext])
def test_a_scaled_input_of_the_head_is_an_error(tensors) -> None:
    ranks = {"q_lora_rank": 8, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8}
    config = MiniCPM3Config(**SIZES | {"num_key_value_heads": 4}, **ranks, dim_model_base=4)
    with tensors(), pytest.raises(ValueError, match="changes the input of the head"):
        model = AutoModelForCausalLM.from_config(config)
        snippet.check_head(model, torch.ones(2, 4, dtype=torch.long))


def with_lora_on_the_head() -> torch.nn.Module:
    adapted = get_peft_model(AutoModelForCausalLM.from_config(LlamaConfig(**SIZES)), LoraConfig(
        target_modules=["lm_head"], init_lora_weights=False))
    return adapted.get_base_model()


def with_a_router_loss() -> torch.nn.Module:
    return AutoModelForCausalLM.from_config(MixtralConfig(**SIZES, num_local_experts=4, output_router_logits=True))


def with_masked_logits() -> torch.nn.Module:
    """Chameleon writes into the logits of its image tokens, in place."""
    vision = {"base_channels": 32, "resolution": 32, "num_embeddings": 10, "embed_dim": 8, "latent_channels": 8,
              "channel_multiplier": [1, 1]}
    tokens = {"<image>": 5} | {f"IMGIMG{letter}Z": 30 + number for number, letter in enumerate("ABCDEFGHIJ")}
    return ChameleonForConditionalGeneration(ChameleonConfig(**SIZES, vocabulary_map=tokens, vq_config=vision))


@pytest.mark.claim("logits#chunked-loss",
                   "peft/tuners/lora/layer.py::Linear.forward",
                   "transformers/models/chameleon/modeling_chameleon.py::ChameleonForConditionalGeneration.forward",
                   "transformers/models/mixtral/modeling_mixtral.py::MixtralForCausalLM.forward")
@pytest.mark.parametrize(("build", "reason"), [
    (with_lora_on_the_head, "more than a matrix"),
    (with_masked_logits, "changes the logits"),
    (with_a_router_loss, "adds a loss"),
])
def test_lora_on_the_head_masked_logits_and_a_router_loss_are_an_error(build, reason: str) -> None:
    """For each of them the chunked loss is another one, without a word."""
    model, tokens = build(), torch.arange(8).reshape(2, 4)
    with pytest.raises(ValueError, match=reason):
        snippet.check_head(model, tokens)
    chunked, whole = in_fp32(model, tokens), snippet.plain_loss(model, of_tokens(tokens))
    assert abs(chunked - whole) > 1e-3


@pytest.mark.claim("logits#chunked-loss", "transformers/models/gemma3/modeling_gemma3.py::Gemma3Model.forward")
def test_without_its_token_types_the_loss_of_a_multimodal_model_is_another() -> None:
    torch.manual_seed(0)
    text = {"vocab_size": 128, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "head_dim": 8}
    vision = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = Gemma3Config(
        text_config=text | {"num_attention_heads": 4, "num_key_value_heads": 2},
        vision_config=vision | {"image_size": 56, "patch_size": 14}, mm_tokens_per_image=4, image_token_id=5,
    )
    model = Gemma3ForConditionalGeneration(config)
    for weight in model.parameters():
        weight.detach().mul_(5 if weight.dim() > 1 else 1)
    model.model.multi_modal_projector.mm_input_projection_weight.detach().normal_()
    tokens = torch.tensor([[9, 7, 5, 5, 5, 5, 8, 10, 11, 12, 13, 14]])
    kinds = tokens.eq(5).long()
    image = {"pixel_values": 3 * torch.randn(1, 3, 56, 56), "attention_mask": torch.ones_like(tokens)}
    batch = {"input_ids": tokens, "labels": tokens.masked_fill(tokens < 9, -100)} | image
    whole = snippet.plain_loss(model, batch | {"token_type_ids": kinds})
    found = snippet.chunked_loss(model, batch | {"token_type_ids": kinds}, dtype=torch.float32)
    torch.testing.assert_close(found, whole)
    assert (snippet.chunked_loss(model, batch, dtype=torch.float32) - whole).abs() > 1e-3
