"""The estimate beside the simulation: the same models and methods by formulas, and step by step on fake tensors."""

from contextlib import AbstractContextManager, nullcontext
from unittest.mock import patch

import bitsandbytes as bnb
import torch
from estimate import MODELS, Shape, fused, inference, training
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen3Config,
    masking_utils,
)

from peak import FakeTensorMode, PeakMemory, fused_adamw, simulate
from techniques import adafactor, checkpointed

OPTIMIZERS = {
    "adamw": fused_adamw,
    "adamw-8bit": bnb.optim.AdamW8bit,
    "adafactor": adafactor,
    "sgd": torch.optim.SGD,
}


def decoder(shape: Shape, dtype: torch.dtype) -> PreTrainedModel:
    """A model of this shape; its family follows from what the shape says of biases and norms."""
    family = Qwen3Config if shape.qk_norm else Qwen2Config if shape.qkv_bias else LlamaConfig
    config = family(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_size,
        tie_word_embeddings=shape.tied,
    )
    return AutoModelForCausalLM.from_config(config, dtype=dtype)


def nothing_packed() -> AbstractContextManager[object]:
    """Within it no sequences are packed: fake tensors cannot show that, and transformers would make a mask per row."""
    return patch.object(masking_utils, "find_packed_sequence_indices", lambda position_ids: None)


def kernel_of_a_gpu(shape: Shape, precision: str) -> AbstractContextManager[object]:
    """Within it attention takes the math kernel if a GPU has no other for it; a CPU would have one."""
    return nullcontext() if fused(shape, precision) else sdpa_kernel(SDPBackend.MATH)


def embeddings_in_fp32(model: PreTrainedModel) -> None:
    """Make 8-bit optimizers keep the embedding's state in fp32, as `Trainer` does."""
    manager = bnb.optim.GlobalOptimManager.get_instance()
    manager.module_weight_config_triple.clear()  # those of models that are gone
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            manager.register_module_override(module, "weight", {"optim_bits": 32})


@nothing_packed()
def simulated_training(shape: Shape, batch: int, length: int, precision: str = "fp32", checkpointing: bool = False,
                       accumulation: bool = False, optimizer: str = "adamw") -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training` estimates."""
    def build() -> PreTrainedModel:
        model = decoder(shape, torch.bfloat16 if precision == "bf16" else torch.float32)
        embeddings_in_fp32(model)
        return model

    pieces = 2 if accumulation else 1
    with kernel_of_a_gpu(shape, precision):
        return simulate(
            checkpointed(build) if checkpointing else build,
            optimizer_for=OPTIMIZERS[optimizer],
            rows=batch * pieces,
            length=length,
            pieces=pieces,
            precision=torch.bfloat16 if precision == "mixed" else torch.float32,
        ).peak()


@nothing_packed()
def simulated_inference(shape: Shape, batch: int, length: int) -> dict[str, int]:
    """Bytes by kind at the peak of a prompt and one more token, in bf16."""
    memory = PeakMemory()
    with FakeTensorMode(), torch.no_grad():
        model = decoder(shape, torch.bfloat16).eval()
        memory.label("weights", model.parameters())
        with memory:
            tokens = torch.zeros(batch, length, dtype=torch.long)
            first = model(tokens, use_cache=True, logits_to_keep=1)
            second = model(tokens[:, :1], past_key_values=first.past_key_values, logits_to_keep=1)
            layers = second.past_key_values.layers
            memory.label("cache", (each for layer in layers for each in (layer.keys, layer.values)))
    return memory.peak()


# --8<-- [start:compare]
TRAINED = {
    "fp32": {},
    "bf16 autocast": {"precision": "mixed"},
    "checkpointing": {"checkpointing": True},
    "autocast, checkpointing, 8-bit": {
        "precision": "mixed",
        "checkpointing": True,
        "optimizer": "adamw-8bit",
    },
    "bf16 weights, Adafactor": {
        "precision": "bf16",
        "optimizer": "adafactor",
    },
}


# --8<-- [end:compare]


def show(name: str, simulated: dict[str, int], estimated: dict[str, float]) -> None:
    theirs, ours = sum(simulated.values()), sum(estimated.values())
    print(f"{name:48}{theirs / 1e9:10.2f}{ours / 1e9:10.2f}{100 * (ours / theirs - 1):+10.2f}")


def main() -> None:
    print(f"{'GB at the peak':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name in ("Qwen3 0.6B", "Llama 3.2 3B"):
        for method, options in TRAINED.items():
            step = (MODELS[name], 4, 512)
            show(f"{name}, {method}", simulated_training(*step, **options), training(*step, **options)[1])
    for name in ("Qwen3 0.6B", "Llama 3.2 3B", "Llama 3.1 8B"):
        show(f"{name}, inference", simulated_inference(MODELS[name], 4, 2048), inference(MODELS[name], 4, 2048))


if __name__ == "__main__":
    main()
