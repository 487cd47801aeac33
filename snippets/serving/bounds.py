"""Lower bounds of latency by arithmetic: the prompt is limited by operations, each token by bytes that are read."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:bounds]
from dataclasses import dataclass

import torch
from torch import nn
from transformers import AutoModelForCausalLM, LlamaConfig


@dataclass(frozen=True)
class Device:
    flops: float  # per second, dense, in the type of the weights
    bandwidth: float  # bytes per second


@dataclass(frozen=True)
class Shape:
    layers: int
    head: int  # parameters of the output layer
    stack: float  # weights of all decoder layers that a token uses
    query_width: int  # query heads times their size
    cache: int  # numbers in the KV cache per token


# Weights that a token is multiplied with.
def used_weights(module: nn.Module, config: LlamaConfig) -> float:
    total = 0.0
    for weight in module.parameters():
        share = 1.0
        # Experts are stacked; a convolution has one channel.
        if weight.dim() == 3 and weight.shape[1] > 1:
            share = config.num_experts_per_tok / len(weight)
        if weight.dim() > 1:  # Norms are in no product.
            total += share * weight.numel()
    return total


def shape_of(config: LlamaConfig) -> Shape:
    config = config.get_text_config()
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    heads = config.num_attention_heads
    # Many configurations leave the size of a head to be computed.
    size = getattr(config, "head_dim", None)
    size = size or config.hidden_size // heads
    cached = 2 * config.num_key_value_heads * size
    # Latent attention keeps one compressed vector for all heads.
    if latent := getattr(config, "kv_lora_rank", None):
        cached = latent + config.qk_rope_head_dim
        size = (config.qk_head_dim + config.v_head_dim) / 2
    return Shape(
        layers=config.num_hidden_layers,
        head=model.lm_head.weight.numel(),
        stack=used_weights(model.model.layers, config),
        query_width=int(heads * size),
        cache=config.num_hidden_layers * cached,
    )


def first_token(shape: Shape, device: Device, prompt: int) -> float:
    products = 2 * (shape.stack * prompt + shape.head)
    # Scores and their product with the values, half of them masked.
    attention = 2 * 2 * shape.layers * shape.query_width * prompt**2 / 2
    return (products + attention) / device.flops


def next_token(
    shape: Shape, device: Device, context: int, batch: int, size: float = 2
) -> float:
    products = 2 * (shape.stack + shape.head) * batch / device.flops
    weights = size * (shape.stack + shape.head)
    cache = 2 * shape.cache * context * batch
    return max(products, (weights + cache) / device.bandwidth)
# --8<-- [end:bounds]


# An H100 SXM: bf16 without sparsity, and its memory's bandwidth.
H100 = Device(flops=989.4e12, bandwidth=3.35e12)


def main() -> None:
    shape = shape_of(LLAMA_8B)
    print("First token, at least:")
    for prompt in (1024, 8192, 65_536):
        print(f"  prompt of {prompt:>6,} tokens: {1000 * first_token(shape, H100, prompt):>7.1f} ms")
    print("Each further token with 8,192 tokens of context, at least; tokens per second of the batch, at most:")
    for batch in (1, 8, 32):
        wide, narrow = (next_token(shape, H100, 8192, batch, size) for size in (2, 0.5))
        print(
            f"  batch of {batch:>2}: bf16 {1000 * wide:>5.1f} ms, {batch / wide:>5,.0f}; "
            f"4-bit weights {1000 * narrow:>5.1f} ms, {batch / narrow:>5,.0f}"
        )


if __name__ == "__main__":
    main()
