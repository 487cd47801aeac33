"""A tiny model of each `model_type`, from its default configuration with the sizes made small, and inputs for it."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

# What a type is tried as: the first of these mappings that has it. The kind says which inputs it takes.
FAMILIES = (
    ("MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES", "speech"),
    ("MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", "encoder-decoder"),
    ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", "encoder"),
    ("MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES", "text of a multimodal model"),
    ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "decoder"),
    ("MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES", "image"),
    ("MODEL_FOR_CTC_MAPPING_NAMES", "audio"),
)
GENERATES = {"decoder", "encoder-decoder", "text of a multimodal model", "speech"}
CAUSAL = {"decoder", "text of a multimodal model"}

VOCABULARY, IMAGE, MELS = 256, 32, 16
# The size that a configuration's name gets, if its default is not smaller.
SIZES = {name: size for size, names in (
    (64, "hidden_size d_model n_embd dim emb_dim embedding_size embedding_dim embed_dim word_embed_proj_dim "
     "lru_width ple_embed_dim projection_dim output_hidden_size out_hidden_size text_hidden_size "
     "codevector_dim proj_codevector_dim image_text_hidden_size pooler_hidden_size decoder_hidden_size "
     "attention_hidden_size"),
    (128, "intermediate_size ffn_dim encoder_ffn_dim decoder_ffn_dim d_ff dff dim_ff d_inner ffn_hidden_size "
     "hidden_dim n_inner feed_forward_size intermediate_size_mlp block_ff_dim projector_hidden_size "
     "mamba_d_ssm max_position_embeddings n_positions max_seq_len n_ctx max_sequence_length "
     "model_max_length max_source_positions max_target_positions position_bias_max_distance "
     "t2u_max_position_embeddings max_2d_position_embeddings"),
    (32, "moe_intermediate_size shared_expert_intermediate_size expert_ffn_hidden_size "
     "shared_intermediate_size dense_intermediate_size moe_shared_expert_intermediate_size "
     "shared_experts_intermediate_size hidden_size_per_layer_input prompt_mid_dim moe_latent_size "
     "centroid_size q_lora_rank image_size classifier_proj_size"),
    (4, "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads "
     "swa_num_attention_heads num_encoder_attention_heads num_decoder_attention_heads "
     "linear_num_value_heads linear_num_heads attention_heads index_n_heads speech_encoder_attention_heads "
     "encoder_num_attention_heads decoder_num_attention_heads num_experts n_routed_experts "
     "num_local_experts moe_num_experts num_experts_per_layer num_query_tokens latent_query_num "
     "num_conv_pos_embedding_groups"),
    (16, "head_dim kv_channels d_kv d_head attention_head_dim dim_head v_head_dim qk_nope_head_dim "
     "swa_head_dim index_head_dim linear_key_head_dim linear_value_head_dim linear_head_dim "
     "global_head_dim attention_head_size kv_lora_rank mamba_d_head mamba_head_dim ssm_state_size "
     "mamba_d_state state_size mamba_dt_rank chunk_size mamba_chunk_size dim_model_base "
     "query_pre_attn_scalar swa_v_head_dim o_lora_rank num_mel_bins image_seq_length mm_tokens_per_image "
     "num_conv_pos_embeddings"),
    (8, "mamba_n_heads mamba_num_heads n_mamba_heads time_step_rank qk_rope_head_dim rotary_dim "
     "gated_norm_rank laurel_rank hc_lowrank index_topk sliding_window sliding_window_size "
     "attention_window_size window_size local_attention attention_chunk_size keep_window_size "
     "local_attention_window_len patch_size num_labels"),
    (2, "mamba_n_groups n_groups linear_num_key_heads o_groups hc_mult num_experts_per_tok "
     "num_experts_per_token moe_k moe_topk num_codebooks num_shared_experts n_shared_experts "
     "zero_expert_num spatial_merge_size encoder_layers decoder_layers num_encoder_layers "
     "num_decoder_layers depth num_blocks speech_encoder_layers t2u_encoder_layers t2u_decoder_layers"),
    (24, "qk_head_dim"),
    (1, "n_group topk_group num_expert_group first_k_dense_replace num_dense_layers num_nextn_predict_layers "
     "num_kv_shared_layers mtp_num_hidden_layers"),
    (VOCABULARY, "vocab_size decoder_vocab_size vocab_size_per_layer_input unpadded_vocab_size ngram_vocab_size_base "
     "t2u_vocab_size encoder_hash_byte_group_vocab"),
    (0, "encoder_layerdrop"),
) for name in names.split()}
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_layers_per_stack")
KEY_VALUE_HEADS = ("num_key_value_heads", "num_kv_heads", "swa_num_key_value_heads", "num_global_key_value_heads",
                   "n_head_kv", "encoder_num_key_value_heads", "decoder_num_key_value_heads")
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1, "_pad_token_id": 0}
# Caps as small beside the scores and logits of a tiny model as they are beside those of a trained one.
CAPS = {"attn_logit_softcapping": 0.5, "final_logit_softcapping": 1.0}
MROPE = {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [2, 3, 3]}}
WINDOWS = {"embed_dim": 32, "depths": [1, 1], "num_heads": [2, 4], "window_size": 4}
# What the defaults of a type do not say, or what does not fit together once it is small.
OVERRIDES: dict[str, dict[str, Any]] = {
    "llama": {"num_key_value_heads": 2},
    "bamba": {"attn_layer_indices": [1]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"]},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "recurrent_gemma": {"num_hidden_layers": 3},
    "falcon_h1": {"mamba_d_head": 16},
    "mamba2": {"num_heads": 8},
    "lfm2_moe": {"layer_types": ["full_attention", "conv"]},
    "deepseek_v2": {"num_experts_per_tok": 2, "n_routed_experts": 4},
    "dots1": {"num_experts_per_tok": 2, "n_routed_experts": 4, "n_shared_experts": 1},
    "nemotron": {"num_key_value_heads": 2, "head_dim": 16},
    "zamba2": {"attention_head_dim": 32, "attention_hidden_size": 128},
    "esm": {"vocab_size": VOCABULARY, "pad_token_id": 0, "mask_token_id": 4}, "esmc": {"vocab_size": VOCABULARY},
    "xmod": {"default_language": "en_XX"},
    "reformer": {"axial_pos_embds_dim": [32, 32], "axial_pos_shape": [8, 16]},
    "encoder-decoder": {"pad_token_id": 0},
    "wav2vec2-bert": {"vocab_size": 32}, "wav2vec2-conformer": {"vocab_size": 32},
} | {name: changes for names, changes in (
    ("hunyuan_v1_dense hunyuan_v1_moe ministral hunyuan_vl_text", {"head_dim": 16}),
    ("deepseek_v3 axk1 longcat_flash youtu", {"head_dim": 8}),
    ("qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text paddleocr_vl_text glm4v_text glm46v_text glm_ocr_text glmga_text",
     MROPE),
    ("swin swinv2 donut-swin", WINDOWS),
    ("qwen2_5_omni_thinker qwen3_omni_moe_thinker", {"vision_start_token_id": VOCABULARY - 5}),
) for name in names.split()}
# Kinds that a setting makes another kind: the type, and the settings.
DYNAMIC = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10_000.0}
LONG = {"rope_type": "longrope", "rope_theta": 10_000.0, "short_factor": [1.0] * 8, "long_factor": [4.0] * 8,
        "factor": 8.0, "original_max_position_embeddings": 16}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama+dynamic": ("llama", {"rope_parameters": DYNAMIC, "max_position_embeddings": 16}),
    "phi3+longrope": ("phi3", {"rope_parameters": LONG, "original_max_position_embeddings": 16}),
}


@dataclass(frozen=True)
class Subject:
    """A model to try methods on: `row` makes the inputs of one sample, `kind` says what they are."""

    model_type: str
    kind: str
    model: PreTrainedModel

    @property
    def config(self) -> PreTrainedConfig:
        return self.model.config


def known_types() -> dict[str, tuple[str, str]]:
    """For each type the name of its class and its kind, in the order in which they are tried."""
    found: dict[str, tuple[str, str]] = {}
    for mapping, kind in FAMILIES:
        for name, classes in getattr(modeling_auto, mapping).items():
            first = classes if isinstance(classes, str) else classes[0]
            found.setdefault(name, (first, kind))
    return found | {name: found[of] for name, (of, _) in VARIANTS.items()}


def tiny_config(model_type: str) -> PreTrainedConfig:
    """The default configuration of a type with every size made small and its kinds of layers kept."""
    of, changes = VARIANTS.get(model_type, (model_type, {}))
    return shrink(CONFIG_MAPPING[of](), changes)


def shrink(default: PreTrainedConfig, changes: Mapping[str, Any] = MappingProxyType({})) -> PreTrainedConfig:
    """Make a configuration, and those inside it, small, and change what a variant changes."""
    values = default.to_dict()
    small: dict[str, Any] = {}
    for name, value in values.items():
        inner = vars(default).get(name)
        if isinstance(inner, PreTrainedConfig):
            small[name] = shrink(inner).to_dict() | {"model_type": inner.model_type}
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, int):
            if name in SIZES:
                small[name] = min(value, SIZES[name])
            elif name in SPECIAL:
                small[name] = SPECIAL[name]
        elif isinstance(value, float) and name in CAPS:
            small[name] = CAPS[name]
        elif isinstance(value, list) and name in SPECIAL:
            small[name] = SPECIAL[name]
    small |= dict(small_token_ids(values))
    small |= small_key_value_heads(values, small)
    small |= small_layers(values)
    if isinstance(values.get("rope_parameters"), dict):
        small["rope_parameters"] = small_rope(values["rope_parameters"])
    dropouts = {name: 0.0 for name, value in values.items() if isinstance(value, float) and is_dropout(name)}
    return type(default)(**small | dropouts | OVERRIDES.get(default.model_type, {}) | dict(changes))


def is_dropout(name: str) -> bool:
    """Whether a setting drops numbers at random, which would make two passes differ."""
    return any(part in name for part in ("dropout", "drop", "pdrop", "layerdrop", "jitter"))


def small_token_ids(values: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Ids of tokens with a meaning, such as an image, at the end of the small vocabulary, where no sample has any."""
    number = VOCABULARY - 1
    for name, value in values.items():
        token = name.endswith(("_token_id", "_token_index", "_token")) and name not in SPECIAL
        if token and isinstance(value, int) and not isinstance(value, bool) and value > 40:
            yield name, number
            number -= 1


def small_key_value_heads(values: dict[str, Any], small: dict[str, Any]) -> dict[str, int]:
    """Key-value heads that are shared by heads if they are so by default."""
    heads = next((values[name] for name in ("num_attention_heads", "n_head", "n_heads", "num_heads")
                  if isinstance(values.get(name), int)), 4)
    found = {}
    for name in KEY_VALUE_HEADS:
        value = values.get(name)
        if isinstance(value, int):
            found[name] = 1 if value == 1 and heads > 1 else 2 if value < heads else min(4, heads)
    return found


def small_layers(values: dict[str, Any]) -> dict[str, Any]:
    """Few layers that are still of every kind that the default has: lists with an item a layer keep one of each."""
    name = next((each for each in LAYERS if isinstance(values.get(each), int)), None)
    if name is None or values[name] < 2:
        return {}
    count = values[name]
    lists = {key: value for key, value in values.items() if isinstance(value, list) and len(value) == count}
    kinds: dict[str, int] = {}
    for index in range(count):
        kinds.setdefault(repr([value[index] for value in lists.values()]), index)
    chosen = sorted(kinds.values())[:4]
    while len(chosen) < 2:
        chosen.append(chosen[-1])
    small: dict[str, Any] = {each: len(chosen) for each in LAYERS if isinstance(values.get(each), int)}
    return small | {key: [value[index] for index in chosen] for key, value in lists.items()}


def small_rope(rope: dict[str, Any]) -> dict[str, Any]:
    """Rotary settings whose sections fit the small heads."""
    small = {}
    for name, value in rope.items():
        if isinstance(value, dict):
            value = small_rope(value)
        elif name == "mrope_section":
            value = [2, 3, 3] if len(value) == 3 else [2, 2, 2, 2]
        small[name] = value
    return small


def build(model_type: str, seed: int = 0) -> Subject:
    """The tiny model of a type in evaluation mode, its weights random and large enough that each of them matters."""
    import transformers

    name, kind = known_types()[model_type]
    torch.manual_seed(seed)
    random.seed(seed)
    config = tiny_config(model_type)
    if config.is_encoder_decoder and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = SPECIAL["decoder_start_token_id"]
    model = getattr(transformers, name)(config).eval()
    randomize(model, seed)
    if generation := getattr(model, "generation_config", None):
        generation.eos_token_id, generation.pad_token_id = None, 0  # Generation goes on to its limit.
        generation.bos_token_id = 1
    return Subject(model_type, kind, model)


@torch.no_grad()
def randomize(model: PreTrainedModel, seed: int) -> None:
    """Give matrices the size that keeps the size of what passes them, and let no vector be all zeros or ones."""
    generator = torch.Generator().manual_seed(seed)
    for _, weight in sorted(model.named_parameters()):
        if not weight.is_floating_point() or not weight.numel():
            continue
        noise = torch.randn(weight.shape, generator=generator)
        if weight.ndim < 2 or (weight.ndim > 2 and weight.shape[-1] == 1):
            weight.add_(noise, alpha=0.1)
        else:
            inputs = weight.shape[-1] if weight.ndim == 3 else weight[0].numel()
            weight.copy_(noise * inputs**-0.5)
    if has_embeddings(model):
        # Small beside what the layers add: with a tied head, the model would repeat the last token for ever.
        table = model.get_input_embeddings()
        found = table(torch.arange(3, min(table.num_embeddings, 200)))
        table.weight.mul_(0.2 / found.std().clamp(min=1e-6))


def has_embeddings(model: PreTrainedModel) -> bool:
    """Whether the model has a table of tokens."""
    try:
        return isinstance(model.get_input_embeddings(), torch.nn.Embedding)
    except (NotImplementedError, AttributeError):
        return False


def random_tokens(rows: int, length: int, seed: int = 0) -> torch.Tensor:
    """Ids of tokens without a special meaning."""
    return torch.randint(3, 200, (rows, length), generator=torch.Generator().manual_seed(seed))


def batch(subject: Subject, rows: int = 2, length: int = 12, seed: int = 0) -> dict[str, torch.Tensor]:
    """Inputs of `rows` samples, without labels."""
    generator = torch.Generator().manual_seed(seed)
    config, name = subject.config, subject.model.main_input_name
    if name == "pixel_values":
        size, channels = getattr(config, "image_size", IMAGE), getattr(config, "num_channels", 3)
        height, width = size if isinstance(size, list | tuple) else (size, size)
        return {name: torch.randn(rows, channels, height, width, generator=generator)}
    if name == "input_values":
        return {name: torch.randn(rows, 4000, generator=generator)}
    if name == "input_features" and subject.kind in {"speech", "audio"}:
        mels = next((found for each in ("num_mel_bins", "input_feat_per_channel", "feature_projection_input_dim")
                     if (found := getattr(config, each, None))), MELS)
        frames = 2 * getattr(config, "max_source_positions", 32)
        shape = (rows, mels, frames) if subject.model_type == "whisper" else (rows, 64, mels)
        made = {name: torch.randn(shape, generator=generator)}
    else:
        made = {"input_ids": random_tokens(rows, length, seed)}
    if config.is_encoder_decoder:
        made["decoder_input_ids"] = random_tokens(rows, length, seed + 1)
    return made
