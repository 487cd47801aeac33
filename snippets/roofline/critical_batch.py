"""The batch from which decoding is bound by compute, by the law, for several lengths and types of the cache."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:batch]
import math

from law import H100, Device, decoding, used_weights
from transformers import LlamaConfig


# Infinite if reading a sequence's cache takes longer than its operations.
def critical_batch(
    config: LlamaConfig,
    device: Device,
    context: int = 0,
    weight: float = 2,
    cache: float = 2,
) -> float:
    sequence = decoding(config, 1, context, 0, cache)
    compute = sequence.flops / device.flops
    reading = sequence.bytes / device.bandwidth
    weights = weight * used_weights(config) / device.bandwidth
    return weights / (compute - reading) if compute > reading else math.inf
# --8<-- [end:batch]


def main() -> None:
    print("Sequences of an 8B model on an H100, from which compute decides:")
    print(f"  {'context':8} {'bf16':>8} {'4-bit weights':>14} {'FP8 cache':>10}")
    for context in (0, 128, 256, 512, 1024):
        types = ((2, 2), (0.5, 2), (2, 1))
        batches = (critical_batch(LLAMA_8B, H100, context, *each) for each in types)
        bf16, four_bits, fp8 = ("never" if batch == math.inf else f"{batch:,.0f}" for batch in batches)
        print(f"  {context:<8,} {bf16:>8} {four_bits:>14} {fp8:>10}")


if __name__ == "__main__":
    main()
