"""The simulated steps are those of real tensors, to the byte, and each culprit fills what the page says it fills."""

import gc
from collections import Counter
from contextlib import nullcontext

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import (
    AutoModelForCausalLM,
    ChameleonConfig,
    ChameleonForConditionalGeneration,
    CohereConfig,
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
)

from snippets.memory import out_of_memory as snippet

TINY = LlamaConfig(
    vocab_size=1000, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True,
)  # fmt: skip
LOGITS = 4 * 16 * 1000 * 4  # bytes of a batch of 4 samples of 16 tokens


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippet, "LLAMA_1B", TINY)


def trained(*batches: tuple[int, int], build=snippet.llama, loss_of=snippet.loss_of_logits) -> snippet.Snapshot:
    return snippet.train(snippet.Snapshot(), build, batches, loss_of)


@pytest.mark.parametrize("build", [snippet.llama, snippet.checked])
@pytest.mark.parametrize("loss_of", [snippet.loss_of_logits, snippet.chunked_loss])
def test_the_simulated_steps_are_those_of_real_tensors(build, loss_of, monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = trained((4, 16), (2, 24), build=build, loss_of=loss_of)
    monkeypatch.setattr(snippet, "FakeTensorMode", lambda **_: nullcontext())
    measured = trained((4, 16), (2, 24), build=build, loss_of=loss_of)
    assert measured.peak() == simulated.peak()
    assert dict(measured.by_origin()) == dict(simulated.by_origin())


def test_origins_are_all_of_the_peak_and_name_the_code() -> None:
    memory = trained((4, 16), (4, 16))
    origins = dict(memory.by_origin())
    assert sum(origins.values()) == memory.peak().total()
    layers, tokens = TINY.num_hidden_layers, 4 * 16
    assert origins["LlamaMLP.forward, mm"] == layers * tokens * 2 * TINY.intermediate_size * 4
    assert origins["fixed_cross_entropy, _log_softmax"] == LOGITS
    parameters = sum(parameter.numel() for parameter in snippet.llama().parameters())
    assert origins["train, zeros_like"] == 8 * parameters


def test_the_first_step_of_the_optimizer_makes_its_state() -> None:
    memory = trained((4, 16), (4, 16))
    parameters = sum(parameter.numel() for parameter in snippet.llama().parameters())
    assert memory.peak()["optimizer"] == 8 * parameters
    assert [moment["optimizer"] for moment in memory.curve(10)][:3] == [0] * 3


def test_the_longest_batch_makes_the_peak_wherever_it_comes() -> None:
    assert trained((4, 16), (4, 16), (4, 64)).peak() == trained((4, 16), (4, 64), (4, 16)).peak()
    assert trained((4, 16), (4, 64)).peak().total() > trained((4, 16), (4, 16)).peak().total()


def test_over_time_activations_rise_and_fall_twice_and_weights_stay() -> None:
    moments = trained((4, 16), (4, 16)).curve(30)
    assert len(moments) == 30
    assert len({moment["weights"] for moment in moments[1:]}) == 1
    held = [moment["activations"] for moment in moments]
    assert held[-1] < max(held) / 2
    assert max(moment.total() for moment in moments) == trained((4, 16), (4, 16)).peak().total()
    assert moments[-1]["optimizer"] > 0 == moments[3]["optimizer"]


def test_what_is_freed_after_the_steps_is_not_part_of_them() -> None:
    memory = trained((4, 16), (4, 16))
    gc.collect()  # Only now is the whole model freed.
    held: Counter[str] = Counter()
    for number, size in memory.timeline:
        held[memory.kinds.get(number, "activations")] += size
    assert held["weights"] == memory.peak()["weights"] > 0
    assert held["optimizer"] == memory.peak()["optimizer"] > 0


def test_without_the_logits_the_chunked_loss_is_the_same() -> None:
    model, tokens = snippet.llama(), torch.arange(64).reshape(4, 16)
    both = [loss_of(model, tokens) for loss_of in (snippet.loss_of_logits, snippet.chunked_loss)]
    torch.testing.assert_close(*both)


SIZES = {
    "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
    "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip


@pytest.mark.parametrize("tensors", [FakeTensorMode, nullcontext])
@pytest.mark.parametrize("kind", [LlamaConfig, MistralConfig, Qwen3Config])
def test_where_the_head_alone_makes_the_logits_the_chunked_loss_is_right(kind, tensors) -> None:
    with tensors():
        model, tokens = AutoModelForCausalLM.from_config(kind(**SIZES)), torch.ones(2, 4, dtype=torch.long)
        snippet.check_head(model, tokens)
    if tensors is nullcontext:
        torch.testing.assert_close(snippet.chunked_loss(model, tokens), snippet.loss_of_logits(model, tokens))


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
    chunked, whole = snippet.chunked_loss(model, tokens), snippet.loss_of_logits(model, tokens)
    assert abs(chunked - whole) > 1e-3


def evaluated(keep, run=snippet.evaluate, **options) -> Counter:
    return run(snippet.Snapshot(), snippet.llama, keep, length=16, **options).peak()


def test_kept_losses_keep_the_graph_of_each_batch() -> None:
    few, many = (evaluated(snippet.kept_loss, batches=batches)["activations"] for batches in (2, 4))
    once, again = (evaluated(snippet.detached_loss, batches=batches)["activations"] for batches in (2, 4))
    assert many - few > 4 * LOGITS and again - once < LOGITS


def test_kept_logits_grow_with_the_batches_and_tokens_hardly() -> None:
    logits = [evaluated(snippet.kept_logits, snippet.without_graph, batches=n).total() for n in (2, 4)]
    tokens = [evaluated(snippet.kept_tokens, snippet.without_graph, batches=n).total() for n in (2, 4)]
    assert logits[1] - logits[0] == pytest.approx(2 * LOGITS, rel=0.01)
    assert 0 < tokens[1] - tokens[0] < LOGITS / 100


def test_the_table_has_every_case(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("SHORT", "LONG", "MANY"):
        monkeypatch.setattr(snippet, name, (2, 8))
    monkeypatch.setattr(snippet.evaluate, "__defaults__", (2, 2, 8))
    snippet.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20].strip() for line in lines[2:11]] == list(snippet.CASES)
    assert len(lines[-1].split()) == 1 + snippet.PARTS


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
    labels, kinds = tokens.masked_fill(tokens < 9, -100), tokens.eq(5).long()
    image = {"attention_mask": torch.ones_like(tokens), "pixel_values": 3 * torch.randn(1, 3, 56, 56)}

    def chunked(**inputs: torch.Tensor) -> torch.Tensor:
        hidden = model.model(input_ids=tokens, **image, **inputs).last_hidden_state
        rows = hidden[:, :-1].flatten(0, 1)
        return snippet.F.linear_cross_entropy(rows, model.lm_head.weight, labels[:, 1:].flatten())

    whole = model(input_ids=tokens, labels=labels, token_type_ids=kinds, **image).loss
    torch.testing.assert_close(chunked(token_type_ids=kinds), whole)
    assert (chunked() - whole).abs() > 1e-3
