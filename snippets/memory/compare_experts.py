"""Mixtures of experts beside the simulation: the same steps by formulas, and on fake tensors."""

from contextlib import AbstractContextManager
from functools import partial
from unittest.mock import patch

import torch
import torch.nn.functional as F
from compare import kernel_of_a_gpu, nothing_packed, show, simulated_step
from compare_fsdp import simulated_rank
from compare_t5 import attention_of_a_gpu
from estimate_experts import Mixture, inference_of_mixture, training_of_mixture
from transformers import (
    AutoModelForCausalLM,
    DeepseekV3Config,
    GptOssConfig,
    MixtralConfig,
    PreTrainedConfig,
    PreTrainedModel,
    Qwen3MoeConfig,
)
from transformers.integrations import moe

from peak import FakeTensorMode, PeakMemory


def config_of(shape: Mixture) -> PreTrainedConfig:
    """The configuration of a model of this shape; its family follows from the shape."""
    common = {
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "num_experts_per_tok": shape.active,
        "tie_word_embeddings": shape.tied,
    }
    if shape.kv_rank:
        sizes = {"moe_intermediate_size": shape.expert_size, "n_routed_experts": shape.experts, "n_group": 1,
                 "n_shared_experts": shape.shared // shape.expert_size, "first_k_dense_replace": shape.dense}
        return DeepseekV3Config(
            **common, **sizes, topk_group=1, intermediate_size=shape.intermediate, q_lora_rank=shape.q_rank or None,
            kv_lora_rank=shape.kv_rank, qk_rope_head_dim=shape.rope_size, v_head_dim=shape.value_size,
            qk_nope_head_dim=shape.head_size - shape.rope_size)
    common["head_dim"] = shape.head_size
    if shape.qk_norm:
        return Qwen3MoeConfig(**common, intermediate_size=shape.intermediate, moe_intermediate_size=shape.expert_size,
                              num_experts=shape.experts, mlp_only_layers=list(range(shape.dense)))
    family = GptOssConfig if shape.biases else MixtralConfig
    return family(**common, intermediate_size=shape.expert_size, num_local_experts=shape.experts)


def mixture(shape: Mixture, dtype: torch.dtype) -> PreTrainedModel:
    return AutoModelForCausalLM.from_config(config_of(shape), dtype=dtype)


def any_type_grouped() -> object:
    """Within it grouped products take fp32 too, as on a GPU; fake tensors have a kernel for bf16 alone."""
    return patch.object(moe, "_can_use_grouped_mm", lambda *_: False)


def attention_of(shape: Mixture, precision: str) -> AbstractContextManager[object]:
    """Within it attention takes a GPU's kernel: MLA, whose values may have another size, that for any sizes."""
    if shape.kv_rank:
        return patch.object(F, "scaled_dot_product_attention", attention_of_a_gpu)
    return kernel_of_a_gpu(shape, precision)


@nothing_packed()
def simulated_mixture_training(shape: Mixture, batch: int, length: int, precision: str = "fp32",
                               **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training_of_mixture` estimates."""
    with attention_of(shape, precision), any_type_grouped():
        return simulated_step(partial(mixture, shape), batch, length, precision, **step)


@nothing_packed()
def simulated_mixture_fsdp(shape: Mixture, batch: int, length: int, precision: str = "fp32",
                           **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the step of one rank that `training_of_mixture` estimates."""
    with attention_of(shape, precision), any_type_grouped():
        return simulated_rank(partial(mixture, shape), batch, length, precision, **step)


@nothing_packed()
def simulated_mixture_inference(shape: Mixture, batch: int, length: int) -> dict[str, int]:
    """Bytes by kind at the peak of a prompt in bf16; attention sinks take the kernel that stores matrices."""
    memory = PeakMemory()
    with attention_of(shape, "bf16"), FakeTensorMode(), torch.no_grad(), any_type_grouped():
        model = mixture(shape, torch.bfloat16).eval()
        memory.label("weights", model.parameters())
        with memory:
            tokens = torch.zeros(batch, length, dtype=torch.long)
            first = model(tokens, use_cache=True, logits_to_keep=1)
            second = model(tokens[:, :1], past_key_values=first.past_key_values, logits_to_keep=1)
            layers = second.past_key_values.layers
            memory.label("cache", (each for layer in layers for each in (layer.keys, layer.values)))
    return memory.peak()


SMALL = {
    "Mixtral": Mixture(32_000, 1024, 0, 6, 16, 4, 64, 8, 2, 2048),
    "Qwen3-MoE": Mixture(32_000, 1024, 3072, 6, 16, 4, 64, 32, 4, 512, qk_norm=True),
}
SERVED = SMALL | {
    "DeepSeek V3": Mixture(32_000, 1024, 3072, 6, 16, 16, 64, 32, 4, 512, shared=512, dense=1, q_rank=384,
                           kv_rank=128, rope_size=32, value_size=64),
    "gpt-oss": Mixture(32_000, 1024, 0, 6, 16, 4, 64, 16, 4, 1024, biases=True),
}


def main() -> None:
    print(f"{'GB at the peak':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name, shape in SMALL.items():
        for precision in ("bf16", "mixed"):
            step = (shape, 4, 512, precision)
            show(f"{name}, {precision}", simulated_mixture_training(*step), training_of_mixture(*step)[1])
    for name, shape in SERVED.items():
        estimated = inference_of_mixture(shape, 4, 512, flash=not shape.biases)
        show(f"{name}, inference", simulated_mixture_inference(shape, 4, 512), estimated)


if __name__ == "__main__":
    main()


