"""Models that do not separate packed samples by their positions, and inputs that packing drops."""

import pytest
import torch
from _long_sequences import device, samples
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForSeq2SeqLM,
    BambaConfig,
    BartConfig,
    BloomConfig,
    DataCollatorWithFlattening,
    DefaultDataCollator,
    FalconConfig,
    FalconH1Config,
    Glm4vConfig,
    GptOssConfig,
    GraniteMoeHybridConfig,
    Lfm2Config,
    LlamaConfig,
    MptConfig,
    NemotronHConfig,
    OPTConfig,
    PretrainedConfig,
    PreTrainedModel,
    Qwen2_5_VLConfig,
    Qwen2VLConfig,
    Qwen3VLConfig,
    T5Config,
)

from snippets.long_sequences import packing as snippet

SIZES = {"vocab_size": 256, "hidden_size": 64, "num_attention_heads": 4}
LAYERS = {"intermediate_size": 128, "num_hidden_layers": 2, "num_key_value_heads": 2}


@pytest.mark.claim(
    "packing#packing",
    "transformers/models/gpt_oss/modeling_gpt_oss.py::GptOssModel.forward",
    "transformers/models/falcon/modeling_falcon.py::FalconModel.forward",
    "transformers/models/mpt/modeling_mpt.py::MptModel.forward",
    "transformers/models/opt/modeling_opt.py::OPTDecoder.forward",
    "transformers/models/bloom/modeling_bloom.py::BloomModel.forward",
)
@pytest.mark.parametrize(("config", "apart"), [
    (LlamaConfig(**SIZES, **LAYERS), True),
    (GptOssConfig(**SIZES, **LAYERS, head_dim=16, num_local_experts=2, num_experts_per_tok=1), False),
    (FalconConfig(**SIZES, num_hidden_layers=2), False),
    (MptConfig(vocab_size=256, d_model=64, n_layers=2, n_heads=4), False),
    (OPTConfig(**SIZES, num_hidden_layers=2, ffn_dim=128, word_embed_proj_dim=64, init_std=0.2), False),
    (BloomConfig(vocab_size=256, hidden_size=64, n_layer=2, n_head=4, initializer_range=0.2), False),
], ids=lambda value: getattr(value, "model_type", None))
def test_some_models_do_not_pass_their_positions_on(config: PretrainedConfig, apart: bool) -> None:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").to(device()).eval()
    error = snippet.packing_error(model, samples(), use_cache=False)
    assert error < 1e-5 if apart else error > 0.01


STATES = SIZES | {"num_hidden_layers": 2, "num_key_value_heads": 2, "intermediate_size": 128}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 8}
MAMBA_2 = {"mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 1, "ssm_state_size": 8}


@pytest.mark.claim("packing#packing", "transformers/integrations/hub_kernels.py")
@pytest.mark.parametrize("config", [
    BambaConfig(**STATES, **MAMBA, attn_layer_indices=[1]),
    GraniteMoeHybridConfig(**STATES, **MAMBA, layer_types=["mamba", "attention"], num_local_experts=0),
    FalconH1Config(**STATES, **MAMBA, mamba_d_ssm=128),
    NemotronHConfig(**STATES, **MAMBA_2, head_dim=16, layers_block_type=["mamba", "attention"]),
    Lfm2Config(**STATES, layer_types=["conv", "full_attention"]),
], ids=lambda config: config.model_type)
def test_some_layers_with_a_state_read_seq_idx_alone(config: PretrainedConfig) -> None:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config).to(device()).eval()
    for weight in model.parameters():
        if weight.dim() > 1:
            torch.nn.init.normal_(weight, std=0.15)
    batch = DataCollatorWithFlattening(return_seq_idx=True, return_flash_attn_kwargs=True)(samples())
    lengths = {name: batch[name] for name in ("cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k")}
    assert snippet.packing_error(model, samples(), use_cache=False, **lengths) > 0.01
    with pytest.raises(ValueError, match="can't keep packed sequences apart"):
        snippet.packing_error(model, samples(), use_cache=False, seq_idx=batch["seq_idx"].to(device()))


BART = {"d_model": 64, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "init_std": 0.2}
T5 = {"d_model": 64, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 4, "decoder_start_token_id": 0}


@pytest.mark.claim(
    "packing#packing",
    "transformers/models/t5/modeling_t5.py::T5ForConditionalGeneration.forward",
    "transformers/models/bart/modeling_bart.py::BartForConditionalGeneration.forward",
)
@pytest.mark.parametrize(("kind", "config", "read"), [
    (AutoModelForCausalLM, LlamaConfig(**SIZES, **LAYERS, initializer_range=0.2), True),
    (AutoModelForSeq2SeqLM, T5Config(vocab_size=256, **T5), False),
    (AutoModelForSeq2SeqLM, BartConfig(vocab_size=256, **BART), False),
], ids=["llama", "t5", "bart"])
def test_an_encoder_decoder_takes_the_positions_and_does_not_read_them(
    kind: type[AutoModelForCausalLM | AutoModelForSeq2SeqLM], config: PretrainedConfig, read: bool
) -> None:
    torch.manual_seed(0)
    model = kind.from_config(config).to(device()).eval()
    batch = {name: tensor.to(device()) for name, tensor in snippet.collate(samples()).items()}
    one = batch | {"position_ids": torch.arange(batch["input_ids"].shape[1], device=device())[None]}
    losses = [model(**inputs, use_cache=False).loss.item() for inputs in (batch, one)]
    assert (losses[0] != losses[1]) == read


ROPE = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10_000.0}
TEXT = {**SIZES, **LAYERS, "head_dim": 16, "rope_parameters": ROPE}
GLM = TEXT | {"rope_parameters": ROPE | {"partial_rotary_factor": 1.0}}
VISION = {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 64}
VISION_2 = {"depth": 1, "embed_dim": 32, "hidden_size": 64, "num_heads": 2}
IMAGE = 1
EDGES = {"image_start_token_id": 301, "image_end_token_id": 302}
IDS = {"image_token_id": IMAGE, "video_token_id": 300}
QWEN = IDS | {"vision_start_token_id": 301, "vision_end_token_id": 302}
QWEN_3 = Qwen3VLConfig(text_config=TEXT, vision_config=VISION | {"deepstack_visual_indexes": [0]}, **QWEN)


def multimodal(config: PretrainedConfig) -> PreTrainedModel:
    """A tiny model that takes images, with random weights."""
    torch.manual_seed(0)
    return AutoModelForImageTextToText.from_config(config).to(device()).eval()


def expand(model: PreTrainedModel, args: tuple, given: dict) -> tuple[tuple, dict]:
    """Four rows of positions, as the page says, where positions are passed."""
    if "position_ids" in given:
        given["position_ids"] = given["position_ids"][None].expand(4, -1, -1)
    return args, given


@pytest.mark.claim(
    "packing#packing",
    "transformers/models/qwen2_5_vl/modeling_qwen2_5_vl.py::Qwen2_5_VLTextModel.forward",
    "transformers/models/qwen2_vl/modeling_qwen2_vl.py::Qwen2VLTextModel.forward",
    "transformers/models/glm4v/modeling_glm4v.py::Glm4vTextModel.forward",
)
@pytest.mark.parametrize(("config", "apart"), [
    (QWEN_3, True),
    (Qwen2VLConfig(text_config=TEXT, vision_config=VISION_2, **QWEN), False),
    (Qwen2_5_VLConfig(text_config=TEXT, vision_config=VISION, **QWEN), False),
    (Glm4vConfig(text_config=GLM, vision_config=VISION, **IDS, **EDGES), False),
], ids=lambda value: getattr(value, "model_type", None))
def test_models_with_three_rows_of_positions_need_a_fourth(config: PretrainedConfig, apart: bool) -> None:
    model = multimodal(config)
    seen: list[bool] = []  # Whether a layer gets positions, from which FlashAttention finds the samples.
    layer = model.model.language_model.layers[0].self_attn
    layer.register_forward_pre_hook(lambda _, args, given: seen.append(given["position_ids"] is not None),
                                    with_kwargs=True)
    error = snippet.packing_error(model, samples(), use_cache=False)
    assert error < 1e-5 if apart else error > 0.01
    assert seen[0] == apart
    seen.clear()
    model.register_forward_pre_hook(expand, with_kwargs=True)
    assert snippet.packing_error(model, samples(), use_cache=False) < 1e-5
    assert seen[0]


@pytest.mark.claim(
    "packing#packing", "transformers/data/data_collator.py::DataCollatorWithFlattening.__call__"
)
def test_packing_drops_images_without_a_message_and_the_model_does_not_miss_them() -> None:
    model = multimodal(QWEN_3).train()
    sample = {"input_ids": [5, IMAGE, 6], "labels": [5, -100, 6], "pixel_values": [[0.5] * 12]}
    assert "pixel_values" in DefaultDataCollator()([sample])
    assert set(snippet.collate([sample])) == {"input_ids", "position_ids", "labels"}
    assert snippet.packed_loss(model, [sample]).isfinite()
