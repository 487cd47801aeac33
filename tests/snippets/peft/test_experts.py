"""Which parts of a mixture of experts `"all-linear"` adapts."""

import pytest
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    DeepseekV3Config,
    Glm4MoeConfig,
    GptOssConfig,
    MixtralConfig,
    OlmoeConfig,
    PretrainedConfig,
    Qwen3_5MoeTextConfig,
    Qwen3MoeConfig,
)

SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 2}
TINY = SIZES | HEADS | {"num_experts_per_tok": 2}
WIDTH = {"moe_intermediate_size": 16}
MIXTRAL = MixtralConfig(**TINY, num_local_experts=4)
DEEPSEEK = DeepseekV3Config(
    **TINY, **WIDTH, n_routed_experts=4, n_group=1, topk_group=1, first_k_dense_replace=1, q_lora_rank=16,
    kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=8,
)
CONVERTED = [
    MIXTRAL,
    Qwen3MoeConfig(**TINY, **WIDTH, num_experts=4),
    OlmoeConfig(**TINY, num_experts=4),
    DEEPSEEK,
    Glm4MoeConfig(**TINY, **WIDTH, n_routed_experts=4, first_k_dense_replace=1, head_dim=16),
]
LEFT_OUT = [
    GptOssConfig(**TINY, num_local_experts=4, head_dim=16),
    Qwen3_5MoeTextConfig(
        **TINY, **WIDTH, num_experts=4, head_dim=16, shared_expert_intermediate_size=16, linear_num_key_heads=2,
        linear_num_value_heads=2, linear_key_head_dim=8, linear_value_head_dim=8,
    ),
]


def adapted(config: PretrainedConfig, **options: object) -> PeftModel:
    torch.manual_seed(0)
    lora = LoraConfig(**({"r": 4, "target_modules": "all-linear", "task_type": "CAUSAL_LM"} | options))
    return get_peft_model(AutoModelForCausalLM.from_config(config), lora)


def matrices(model: PeftModel) -> dict[str, torch.Size]:
    """The shapes of the matrices A, by the place of what they adapt."""
    return {name.split(".lora_A")[0].split("layers.")[-1]: parameter.shape
            for name, parameter in model.named_parameters() if ".lora_A." in name}


@pytest.mark.claim("peft#qlora", "peft/utils/transformers_weight_conversion.py::_convert_peft_config_moe",
                   "transformers/conversion_mapping.py::_MODEL_TO_CONVERSION_PATTERN")
@pytest.mark.parametrize(("config", "adapts"), [
    *((config, True) for config in CONVERTED), *((config, False) for config in LEFT_OUT),
], ids=lambda value: getattr(value, "model_type", None))
def test_all_linear_adapts_the_experts_and_the_router_of_some_models(config: PretrainedConfig, adapts: bool) -> None:
    places = matrices(adapted(config))
    assert any("attn" in place for place in places)
    assert any(place.startswith("1.mlp.experts") for place in places) == adapts
    assert any(place in ("1.mlp.gate", "1.mlp.router") for place in places) == adapts


@pytest.mark.claim("peft#qlora", "peft/utils/transformers_weight_conversion.py::_convert_peft_config_moe",
                   "transformers/conversion_mapping.py::_MODEL_TO_CONVERSION_PATTERN")
@pytest.mark.parametrize("config", CONVERTED[-2:], ids=lambda config: config.model_type)
def test_it_then_adapts_neither_shared_experts_nor_dense_layers(config: PretrainedConfig) -> None:
    model = adapted(config)
    names = [name for name, _ in model.named_parameters()]
    assert any("1.mlp.shared_experts.up_proj" in name for name in names)
    assert any("0.mlp.up_proj" in name for name in names)
    assert not any("shared" in place or place.startswith("0.mlp") for place in matrices(model))


@pytest.mark.claim("peft#qlora", "peft/utils/transformers_weight_conversion.py::_convert_peft_config_moe",
                   "transformers/conversion_mapping.py::_MODEL_TO_CONVERSION_PATTERN")
def test_gate_and_up_of_each_expert_have_twice_the_rank() -> None:
    experts, r = 4, 4
    with pytest.warns(RuntimeWarning, match="rank_pattern keys did not match any .* and were ignored"):
        model = adapted(MIXTRAL)
    ranks = {name: shape[0] for name, shape in matrices(model).items() if "1.mlp.experts" in name}
    assert sorted(ranks.values()) == [experts * r, experts * 2 * r]


@pytest.mark.claim("peft#qlora", "peft/tuners/lora/layer.py::ParamWrapper")
@pytest.mark.parametrize("options", [{"lora_dropout": 0.05}, {"use_dora": True}])
def test_dropout_and_dora_are_an_error_unless_attention_alone_is_adapted(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="ParamWrapper does not work with"):
        adapted(MIXTRAL, **options)
    attention = adapted(MIXTRAL, **options, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
    assert len(matrices(attention)) == 2 * 4


def test_target_parameters_adapt_the_experts_that_it_leaves_out() -> None:
    model = adapted(LEFT_OUT[0], target_parameters=["mlp.experts.gate_up_proj", "mlp.experts.down_proj"])
    assert any("mlp.experts" in place for place in matrices(model))
