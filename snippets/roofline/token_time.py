"""A decoded token by the law: products and attention run one after the other, and which of the two takes longer."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:token]
from law import (
    H100,
    Device,
    Work,
    attention_flops,
    cached_numbers,
    critical_rows,
    decoding,
    seconds,
)
from transformers import LlamaConfig


# The products of a batch read the weights once, whatever the context.
def products(config: LlamaConfig, batch: int, weight: float = 2) -> Work:
    return decoding(config, batch, 0, weight)


# Attention reads a cache for each sequence.
def attention(
    config: LlamaConfig, batch: int, context: float, cache: float = 2
) -> Work:
    tokens = batch * context
    read = cache * cached_numbers(config) * tokens
    return Work(attention_flops(config, tokens), read)


# Each layer's attention needs its products, and the next products need it.
def token(
    config: LlamaConfig,
    device: Device,
    batch: int,
    context: float,
    weight: float = 2,
    cache: float = 2,
) -> float:
    works = (
        products(config, batch, weight),
        attention(config, batch, context, cache),
    )
    return sum(seconds(work, device) for work in works)


# The context from which attention takes longer than the products.
def even_context(
    config: LlamaConfig,
    device: Device,
    batch: int,
    weight: float = 2,
    cache: float = 2,
) -> float:
    one = seconds(attention(config, batch, 1, cache), device)
    return seconds(products(config, batch, weight), device) / one
# --8<-- [end:token]


BATCHES = (1, 16, 64, 256, 512)
FORMATS = {"bf16": (2, 2), "4-bit weights": (0.5, 2), "FP8 cache": (2, 1)}


def print_table(title: str, label: str, rows: list[list[str]]) -> None:
    """A title, and below the names of the formats a labelled row for each batch."""
    print(title)
    print(f"  {'':{len(label) + 1}}" + "".join(f" {name:>14}" for name in FORMATS))
    for batch, row in zip(BATCHES, rows, strict=True):
        print("  " + label.format(f"{batch:>3}") + "".join(f" {each:>14}" for each in row))


def main() -> None:
    print(f"The products of an 8B model on an H100 are compute-bound from {critical_rows(H100):.0f} sequences on, "
          f"with 4-bit weights from {critical_rows(H100, 0.5):.0f}.")
    print_table("A token with 1,024 tokens of context, ms at least:", "batch of {}",
                [[f"{1000 * token(LLAMA_8B, H100, batch, 1024, *types):.2f}" for types in FORMATS.values()]
                 for batch in BATCHES])
    print_table("Tokens of context from which attention takes longer than the products:", "attention over {}",
                [[f"{even_context(LLAMA_8B, H100, batch, *types):,.0f}" for types in FORMATS.values()]
                 for batch in BATCHES])


if __name__ == "__main__":
    main()
