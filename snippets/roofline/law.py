"""The roofline: how long a product, a training step or a decoding step takes at least, by operations and bytes."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:law]
from dataclasses import dataclass

from transformers import LlamaConfig


@dataclass(frozen=True)
class Device:
    flops: float  # per second, dense, in the type that multiplies
    bandwidth: float  # bytes per second


@dataclass(frozen=True)
class Work:
    flops: float
    bytes: float  # read and written


def seconds(work: Work, device: Device) -> float:
    compute = work.flops / device.flops
    memory = work.bytes / device.bandwidth
    return max(compute, memory)


# Operations per byte: of some work, and of the device's ridge.
def intensity(work: Work) -> float:
    return work.flops / work.bytes


def ridge(device: Device) -> float:
    return device.flops / device.bandwidth
# --8<-- [end:law]


# --8<-- [start:product]
# (rows, inner) @ (inner, columns); inputs and outputs in 16 bits.
def product(
    rows: int, inner: int, columns: int, weight: float = 2, size: float = 2
) -> Work:
    return Work(
        flops=2 * rows * inner * columns,
        bytes=weight * inner * columns + size * rows * (inner + columns),
    )


# Rows above which a wide product is bound by compute.
def critical_rows(device: Device, weight: float = 2) -> float:
    return ridge(device) * weight / 2
# --8<-- [end:product]


# --8<-- [start:model]
# Weights that each token is multiplied with: not the embedding.
def used_weights(config: LlamaConfig) -> int:
    hidden, size = config.hidden_size, config.head_dim
    queries = config.num_attention_heads * size
    keys = config.num_key_value_heads * size
    attention = 2 * hidden * queries + 2 * hidden * keys
    mlp = 3 * hidden * config.intermediate_size
    layers = config.num_hidden_layers * (attention + mlp)
    return layers + hidden * config.vocab_size


# Numbers in the key-value cache per token.
def cached_numbers(config: LlamaConfig) -> int:
    width = config.num_key_value_heads * config.head_dim
    return 2 * config.num_hidden_layers * width


# Operations of attention for one token that attends to `context`.
def attention_flops(config: LlamaConfig, context: float) -> float:
    width = config.num_attention_heads * config.head_dim
    return 2 * 2 * config.num_hidden_layers * width * context


def decoding(
    config: LlamaConfig,
    batch: int,
    context: int,
    weight: float = 2,
    cache: float = 2,
) -> Work:
    weights = used_weights(config)
    flops = 2 * weights + attention_flops(config, context)
    read = cache * cached_numbers(config) * context
    return Work(batch * flops, weight * weights + batch * read)


# A step forward and backward; half of the keys are masked.
def training(config: LlamaConfig, batch: int, length: int) -> float:
    attention = attention_flops(config, length / 2)
    return 3 * batch * length * (2 * used_weights(config) + attention)
# --8<-- [end:model]


# An H100 SXM: bf16 without sparsity, and its memory's bandwidth.
H100 = Device(flops=989.4e12, bandwidth=3.35e12)


def main() -> None:
    print(f"Ridge of an H100: {ridge(H100):.0f} operations per byte")
    print("4096 x 14336 weights:")
    for rows in (1, 16, 64, 256, 1024, 4096):
        work = product(rows, 4096, 14_336)
        print(f"  {rows:>5,} rows: {intensity(work):>6.1f} operations per byte, {1e6 * seconds(work, H100):>6.1f} us")
    print("A token of an 8B model with 1,024 tokens of context, ms at least:")
    for batch in (1, 16, 64, 256):
        wide, narrow = (seconds(decoding(LLAMA_8B, batch, 1024, weight), H100) for weight in (2, 0.5))
        print(f"  batch of {batch:>3}: bf16 {1000 * wide:>5.2f}, 4-bit weights {1000 * narrow:>5.2f}")
    flops = training(LLAMA_8B, 1, 8192)
    print(f"Training on 8,192 tokens, ms at least: {1000 * flops / H100.flops:.0f}")


if __name__ == "__main__":
    main()
