"""What a fine-tuning run has to hold besides activations: every weight, LoRA, QLoRA, on the shape of a real model."""

# --8<-- [start:count]
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel


def shape() -> PreTrainedModel:
    # The shape of Llama 3.1 8B; `AutoConfig.from_pretrained` has yours.
    config = LlamaConfig(
        vocab_size=128_256,
        hidden_size=4096,
        intermediate_size=14_336,
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
    )
    with torch.device("meta"):  # shapes and types without memory
        return AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16
        )


def trained_parameters(**options) -> int:
    config = LoraConfig(
        target_modules="all-linear", task_type="CAUSAL_LM", **options
    )
    model = get_peft_model(shape(), config, low_cpu_mem_usage=True)
    return model.get_nb_trainable_parameters()[0]
# --8<-- [end:count]


# --8<-- [start:bytes]
# A trained parameter in fp32: weight, gradient, and AdamW's two states.
TRAINED = 4 + 4 + 8
# NF4 in bytes: a weight, its share of a scale and of the scales' scale.
NF4 = (4 + 8 / 64 + 32 / (64 * 256)) / 8


def frozen_bytes(quantized: bool) -> float:
    model = shape()
    everything = sum(p.numel() for p in model.parameters())
    if not quantized:
        return 2 * everything
    modules = model.model.layers.modules()
    layers = [m for m in modules if isinstance(m, nn.Linear)]
    linear = sum(layer.weight.numel() for layer in layers)
    # The rest, embeddings and head, is cast to fp32.
    return NF4 * linear + 4 * (everything - linear)
# --8<-- [end:bytes]


def main() -> None:
    everything = sum(p.numel() for p in shape().parameters())
    print(f"{'':<16} {'trained':>13}   frozen     held")
    rows = {
        "all weights": (everything, 0.0),
        "LoRA, r=16": (trained_parameters(r=16), frozen_bytes(quantized=False)),
        "DoRA, r=16": (trained_parameters(r=16, use_dora=True), frozen_bytes(quantized=False)),
        "QLoRA, r=16": (trained_parameters(r=16), frozen_bytes(quantized=True)),
        "QLoRA, r=64": (trained_parameters(r=64), frozen_bytes(quantized=True)),
    }
    for name, (trained, frozen) in rows.items():
        print(f"{name:<16} {trained:>13,} {frozen / 1e9:>5.1f} GB {(frozen + TRAINED * trained) / 1e9:>5.1f} GB")


if __name__ == "__main__":
    main()
