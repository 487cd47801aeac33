"""What a fine-tuning run has to hold besides activations: every weight, LoRA, QLoRA, on the shape of a real model."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:count]
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import (
    AutoModelForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
)


# The configuration is that of `AutoConfig.from_pretrained(checkpoint)`.
def shape(config: PreTrainedConfig) -> PreTrainedModel:
    with torch.device("meta"):  # shapes and types without memory
        return AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16
        )


def trained_parameters(config: PreTrainedConfig, **options) -> int:
    lora = LoraConfig(
        target_modules="all-linear", task_type="CAUSAL_LM", **options
    )
    model = get_peft_model(shape(config), lora, low_cpu_mem_usage=True)
    return model.get_nb_trainable_parameters()[0]
# --8<-- [end:count]


# --8<-- [start:bytes]
# A trained parameter in fp32: weight, gradient, and AdamW's two states.
TRAINED = 4 + 4 + 8
# NF4 in bytes: a weight, its share of a scale and of the scales' scale.
NF4 = (4 + 8 / 64 + 32 / (64 * 256)) / 8


def frozen_bytes(config: PreTrainedConfig, quantized: bool) -> float:
    model = shape(config)
    everything = sum(p.numel() for p in model.parameters())
    if not quantized:
        return 2 * everything
    layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
    layers.remove(model.get_output_embeddings())
    linear = sum(layer.weight.numel() for layer in layers)
    # The rest, embeddings and head, is cast to fp32.
    return NF4 * linear + 4 * (everything - linear)
# --8<-- [end:bytes]


def main() -> None:
    everything = sum(p.numel() for p in shape(LLAMA_8B).parameters())
    print(f"{'':<16} {'trained':>13}   frozen     held")
    rows = {
        "all weights": (everything, 0.0),
        "LoRA, r=16": (trained_parameters(LLAMA_8B, r=16), frozen_bytes(LLAMA_8B, quantized=False)),
        "DoRA, r=16": (trained_parameters(LLAMA_8B, r=16, use_dora=True), frozen_bytes(LLAMA_8B, quantized=False)),
        "QLoRA, r=16": (trained_parameters(LLAMA_8B, r=16), frozen_bytes(LLAMA_8B, quantized=True)),
        "QLoRA, r=64": (trained_parameters(LLAMA_8B, r=64), frozen_bytes(LLAMA_8B, quantized=True)),
    }
    for name, (trained, frozen) in rows.items():
        print(f"{name:<16} {trained:>13,} {frozen / 1e9:>5.1f} GB {(frozen + TRAINED * trained) / 1e9:>5.1f} GB")


if __name__ == "__main__":
    main()
