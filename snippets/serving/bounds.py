"""Lower bounds of latency by the law: mostly, operations limit the prompt, and bytes that are read each token."""

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent.parent / folder) for folder in ("_shared", "profiling", "roofline")]
from _llama import LLAMA_8B
from law import H100

# isort: split
# --8<-- [start:bounds]
from dataclasses import dataclass

import torch
from law import Device, Work, seconds
from mfu import used_weights
from transformers import AutoModelForCausalLM, LlamaConfig


@dataclass(frozen=True)
class Shape:
    layers: int
    head: int  # parameters of the output layer
    stack: float  # weights of all decoder layers that a token uses
    query_width: int  # query heads times their size
    cache: int  # numbers in the KV cache per token


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


def first_token(
    shape: Shape, device: Device, prompt: int, size: float = 2
) -> float:
    products = 2 * (shape.stack * prompt + shape.head)
    # Scores and their product with the values, half of them masked.
    attention = 2 * 2 * shape.layers * shape.query_width * prompt**2 / 2
    weights = size * (shape.stack + shape.head)
    return seconds(Work(products + attention, weights), device)


# One token for each request. If prompts have `prompt` tokens and answers
# `answer`, each batch also reads a share of the prompts that arrive.
def next_token(
    shape: Shape,
    device: Device,
    context: int,
    batch: int,
    size: float = 2,
    prompt: int = 0,
    answer: int = 1,
) -> float:
    read = batch * prompt / answer
    weights = shape.stack + shape.head
    scores = 2 * 2 * shape.layers * shape.query_width
    cached = batch * context
    works = (
        Work(2 * (batch * weights + read * shape.stack), size * weights),
        Work(scores * cached, 2 * shape.cache * cached),
        Work(scores * read * prompt / 2, 0),
    )
    # Each layer's products and attention run one after the other.
    return sum(seconds(work, device) for work in works)
# --8<-- [end:bounds]


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
    print("The same for 58 requests, if all but so many of their tokens are prompts that the server reads as well:")
    for answer in (256, 512, 1024):
        served = next_token(shape, H100, 8192, 58, 2, 8192 - answer, answer)
        print(f"  answers of {answer:>5,}: {1000 * served:>5.1f} ms, {58 / served:>5,.0f}")
    print(f"  without prompts : {1000 * next_token(shape, H100, 8192, 58):>5.1f} ms")


if __name__ == "__main__":
    main()
