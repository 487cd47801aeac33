"""Packed samples give the logits, the loss and the gradients of samples alone, unless a mask or a cache is passed."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from _long_sequences import LENGTHS, device, samples, tiny_model
from transformers import (
    AutoModelForCausalLM,
    CLIPVisionConfig,
    DataCollatorWithFlattening,
    FalconMambaConfig,
    JambaConfig,
    Lfm2Config,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    Mamba2Config,
    MambaConfig,
    MiniMaxConfig,
    PretrainedConfig,
    PreTrainedModel,
    Qwen3_5ForCausalLM,
    Qwen3_5TextConfig,
    RecurrentGemmaConfig,
    RwkvConfig,
    Trainer,
    TrainingArguments,
    xLSTMConfig,
)
from transformers import modeling_flash_attention_utils as flash
from transformers.models.qwen3_5 import modeling_qwen3_5 as qwen

from snippets.long_sequences import packing as snippet


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 1e-5), (torch.bfloat16, 0.02)])
def test_packed_is_as_if_alone(attention: str, dtype: torch.dtype, most: float) -> None:
    model = tiny_model(dtype, attention).eval()
    assert snippet.packing_error(model, samples(), use_cache=False) < most
    assert snippet.packing_error(model, samples(), rows=2, use_cache=False) < most


@pytest.mark.parametrize(("rows", "kernel"), [(1, "lengths"), (2, "causal")])
@pytest.mark.claim(
    "packing#packing",
    "transformers/modeling_flash_attention_utils.py::_flash_attention_forward",
    "transformers/modeling_flash_attention_utils.py::_is_packed_sequence",
)
def test_flash_attention_gets_the_lengths_of_samples_in_a_batch_of_one_row_alone(
    rows: int, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []

    def record(name: str) -> Callable[..., torch.Tensor]:
        return lambda query, *_, **__: (called.append(name), query)[1]

    kernels = (record("causal"), record("lengths"), None, None, None)
    monkeypatch.setattr(flash, "lazy_import_flash_attention", lambda *_, **__: (kernels, (lambda **_: {}, None)))
    heads = torch.zeros(rows, sum(LENGTHS), 4, 16, dtype=torch.bfloat16)
    positions = snippet.collate(samples())["position_ids"].repeat(rows, 1)
    flash._flash_attention_forward(
        heads, heads, heads, None, sum(LENGTHS), is_causal=True, position_ids=positions,
        attn_implementation="flash_attention_2",
    )
    assert called == [kernel]


def test_a_cache_which_is_the_default_lets_samples_see_each_other() -> None:
    model = tiny_model().eval()
    assert snippet.packing_error(model, samples()) > 0.1
    assert snippet.packing_error(model, samples(), use_cache=True) > 0.1


def test_a_mask_of_ones_does_too() -> None:
    ones = torch.ones(1, sum(LENGTHS), dtype=torch.long)
    assert snippet.packing_error(tiny_model().eval(), samples(), use_cache=False, attention_mask=ones) > 0.1


def test_the_loss_is_that_of_all_tokens_that_are_predicted() -> None:
    model = tiny_model()
    torch.testing.assert_close(snippet.packed_loss(model, samples()), snippet.mean_loss(model))


def test_the_gradients_are_the_same() -> None:
    packed, alone = tiny_model(), tiny_model()
    snippet.packed_loss(packed, samples()).backward()
    snippet.mean_loss(alone).backward()
    for ours, theirs in zip(packed.parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-6, rtol=1e-4)


def test_one_sample_and_samples_of_one_token_are_packed_too() -> None:
    model = tiny_model().eval()
    assert snippet.packing_error(model, samples((12,)), use_cache=False) < 1e-5
    assert snippet.packing_error(model, samples((1, 6, 1)), use_cache=False) < 1e-5


def test_the_first_label_of_each_sample_is_left_out() -> None:
    labels = snippet.collate(samples())["labels"][0]
    starts = [sum(LENGTHS[:index]) for index in range(len(LENGTHS))]
    assert (labels == -100).nonzero().flatten().tolist() == starts


def test_trainer_turns_the_cache_off() -> None:
    assert not TrainingArguments.__dataclass_fields__["use_cache"].default


@pytest.fixture
def multimodal() -> LlavaForConditionalGeneration:
    torch.manual_seed(0)
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4}
    text = LlamaConfig(vocab_size=256, hidden_size=64, intermediate_size=128, num_key_value_heads=2, **sizes)
    vision = CLIPVisionConfig(hidden_size=32, intermediate_size=64, image_size=28, patch_size=14, **sizes)
    whole = LlavaConfig(vision_config=vision, text_config=text, image_token_index=0)
    return LlavaForConditionalGeneration(whole).to(device()).eval()


def test_trainer_leaves_the_cache_of_a_multimodal_model_on(
    multimodal: LlavaForConditionalGeneration, tmp_path: Path
) -> None:
    trainer = Trainer(multimodal, TrainingArguments(str(tmp_path), use_cpu=device().type == "cpu"))
    assert not trainer.model.config.use_cache
    assert snippet.packing_error(multimodal, samples()) > 0.1
    multimodal.config.get_text_config().use_cache = False
    assert snippet.packing_error(multimodal, samples()) < 1e-5


@pytest.mark.claim("packing#packing", "transformers/trainer.py::Trainer.train")
@pytest.mark.parametrize("turned_off", [False, True])
def test_with_model_init_training_creates_a_model_whose_cache_is_on(turned_off: bool, tmp_path: Path) -> None:
    def model_init() -> PreTrainedModel:
        model = tiny_model()
        if turned_off:
            model.config.use_cache = False
        return model

    args = TrainingArguments(
        str(tmp_path), max_steps=1, use_cpu=device().type == "cpu", report_to="none", save_strategy="no"
    )
    trainer = Trainer(
        args=args, model_init=model_init, train_dataset=samples(), data_collator=snippet.collate
    )
    assert snippet.packing_error(trainer.model.eval(), samples()) < 1e-5
    trainer.train()
    error = snippet.packing_error(trainer.model.eval(), samples())
    assert error < 1e-5 if turned_off else error > 0.1


def test_the_lengths_for_flash_attention_may_be_among_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model().eval()
    expected = snippet.packed_loss(model, samples())
    monkeypatch.setattr(snippet, "collate", DataCollatorWithFlattening(return_flash_attn_kwargs=True))
    assert isinstance(snippet.collate(samples())["max_length_q"], int)
    torch.testing.assert_close(snippet.packed_loss(model, samples()), expected)
    assert snippet.packing_error(model, samples(), use_cache=False) < 1e-5


SIZES = {"vocab_size": 256, "hidden_size": 64, "num_hidden_layers": 2}


@pytest.fixture
def hybrid() -> Qwen3_5ForCausalLM:
    torch.manual_seed(0)
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    linear = {"linear_num_key_heads": 2, "linear_num_value_heads": 4}
    widths = {"linear_key_head_dim": 16, "linear_value_head_dim": 16, "intermediate_size": 128}
    kinds = {"layer_types": ["linear_attention", "full_attention"], "initializer_range": 0.2}
    return Qwen3_5ForCausalLM(Qwen3_5TextConfig(**SIZES, **heads, **linear, **widths, **kinds)).to(device()).eval()


def packed_options(*names: str) -> dict[str, object]:
    """What the collator adds with both arguments, of which only these."""
    batch = DataCollatorWithFlattening(return_seq_idx=True, return_flash_attn_kwargs=True)(samples())
    options = {name: batch[name] for name in names}
    return {k: v.to(device()) if torch.is_tensor(v) else v for k, v in options.items()}


STATE, CONVOLUTION = ("cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k"), ("seq_idx",)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins that compute each sample alone where they are told to, as the two packages do."""

    def reference(function: Callable[..., object]) -> Callable[..., object]:
        return reference(function.__wrapped__) if hasattr(function, "__wrapped__") else function

    convolve, update = reference(qwen.causal_conv1d_fn), reference(qwen.torch_chunk_gated_delta_rule)

    def causal_conv1d_fn(x, weight, bias, *, activation=None, seq_idx=None, **_):
        lengths = x.shape[-1] if seq_idx is None else torch.bincount(seq_idx[0].long()).tolist()
        return torch.cat([convolve(part, weight, bias, activation) for part in x.split(lengths, dim=-1)], -1)

    def chunk_gated_delta_rule(*states, g=None, beta=None, cu_seqlens=None, **options):
        options = {name: options[name] for name in ("output_final_state", "use_qk_l2norm_in_kernel")}
        lengths = states[0].shape[1] if cu_seqlens is None else cu_seqlens.diff().tolist()
        parts = zip(*(tensor.split(lengths, dim=1) for tensor in (*states, g, beta)), strict=True)
        done = [update(q, k, v, g=g, beta=beta, initial_state=None, **options) for q, k, v, g, beta in parts]
        return torch.cat([output for output, _ in done], 1), done[-1][1]

    monkeypatch.setattr(qwen, "causal_conv1d_fn", causal_conv1d_fn)
    for name in ("torch_chunk_gated_delta_rule", "chunk_gated_delta_rule"):
        monkeypatch.setattr(qwen, name, chunk_gated_delta_rule, raising=False)


@pytest.mark.claim(
    "packing#packing", "transformers/models/qwen3_5/modeling_qwen3_5.py::Qwen3_5GatedDeltaNet.forward"
)
@pytest.mark.parametrize(
    ("names", "apart"), [((), False), (CONVOLUTION, False), (STATE, False), (CONVOLUTION + STATE, True)]
)
@pytest.mark.usefixtures("kernels")
def test_linear_attention_needs_both_arguments(
    hybrid: Qwen3_5ForCausalLM, names: tuple[str, ...], apart: bool
) -> None:
    error = snippet.packing_error(hybrid, samples(), use_cache=False, **packed_options(*names))
    assert error < 1e-5 if apart else error > 0.01


@pytest.mark.parametrize("names", [CONVOLUTION, STATE])
def test_without_the_packages_either_argument_is_an_error(hybrid: Qwen3_5ForCausalLM, names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="can't keep packed sequences apart"):
        snippet.packing_error(hybrid, samples(), use_cache=False, **packed_options(*names))


HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128}
EXPERTS = {"num_experts_per_tok": 1, "expert_layer_period": 2, "expert_layer_offset": 1, "num_experts": 2}
MAMBA = {"use_mamba_kernels": False, "mamba_d_state": 8, "mamba_dt_rank": 4}


@pytest.mark.claim("packing#packing", "transformers/models/mamba/modeling_mamba.py::MambaBlock.forward")
@pytest.mark.parametrize("config", [
    MambaConfig(**SIZES),
    Mamba2Config(**SIZES, num_heads=8, head_dim=16, n_groups=1, expand=2),
    FalconMambaConfig(**SIZES),
    RwkvConfig(**SIZES),
    xLSTMConfig(**SIZES, num_heads=4, qk_dim_factor=1.0, v_dim_factor=1.0),
    JambaConfig(**SIZES, **HEADS, **EXPERTS, **MAMBA, attn_layer_period=2, attn_layer_offset=1, initializer_range=0.2),
    MiniMaxConfig(
        **SIZES, **HEADS, num_local_experts=2, num_experts_per_tok=1, block_size=16,
        layer_types=["linear_attention", "full_attention"], initializer_range=0.2,
    ),
    RecurrentGemmaConfig(**SIZES | HEADS | {"num_hidden_layers": 3}, lru_width=64, attention_window_size=64),
], ids=lambda config: config.model_type)
def test_in_layers_with_a_state_that_take_no_arguments_they_do_nothing(config: PretrainedConfig) -> None:
    torch.manual_seed(0)
    model: PreTrainedModel = AutoModelForCausalLM.from_config(config).to(device()).eval()
    errors = {
        snippet.packing_error(model, samples(), use_cache=False, **packed_options(*names))
        for names in ((), CONVOLUTION + STATE)
    }
    assert len(errors) == 1
    assert errors.pop() > 0.01


@pytest.mark.claim("packing#packing", "transformers/models/lfm2/modeling_lfm2.py::Lfm2ShortConv")
def test_positions_do_not_separate_the_samples_of_short_convolutions() -> None:
    torch.manual_seed(0)
    config = Lfm2Config(**SIZES, **HEADS, layer_types=["conv", "full_attention"], initializer_range=0.2)
    model = AutoModelForCausalLM.from_config(config).to(device()).eval()
    assert snippet.packing_error(model, samples(), use_cache=False) > 0.01
