"""Tensor-parallel `generate`: every process has a slice of each matrix and some of the heads' keys and values."""

from dataclasses import dataclass

from _infer_many import on_ranks, prompt, tiny_checkpoint, tiny_model
from torch.distributed.tensor import DTensor
from transformers import AutoModelForCausalLM
from transformers.distributed import DistributedConfig

PROCESSES = 2
NEW_TOKENS = 32


@dataclass(frozen=True)
class Generated:
    """What one rank generated and held; a cache's shape is (rows, heads, tokens, numbers a head)."""

    tokens: list[int]
    expected: list[int]
    cache: tuple[int, ...]
    whole_cache: tuple[int, ...]
    weights: int
    whole_weights: int


def generate() -> Generated:
    """One rank's part of a generation."""
    inputs = prompt()
    with tiny_checkpoint(tiny_model()) as checkpoint:
        # --8<-- [start:generate]
        # Started by torchrun --nproc-per-node 2: each reads its half.
        model = AutoModelForCausalLM.from_pretrained(
            checkpoint, distributed_config=DistributedConfig(tp_size=2)
        )
        output = model.generate(
            **inputs,
            max_new_tokens=32,
            do_sample=False,
            return_dict_in_generate=True,
        )
        # --8<-- [end:generate]
    whole = tiny_model()
    alone = whole.generate(**inputs, max_new_tokens=NEW_TOKENS, do_sample=False, return_dict_in_generate=True)
    local = [p.to_local() if isinstance(p, DTensor) else p for p in model.parameters()]
    return Generated(
        tokens=output.sequences[0].tolist(),
        expected=alone.sequences[0].tolist(),
        cache=tuple(output.past_key_values.layers[0].keys.shape),
        whole_cache=tuple(alone.past_key_values.layers[0].keys.shape),
        weights=sum(weight.nbytes for weight in local),
        whole_weights=sum(weight.nbytes for weight in whole.parameters()),
    )


def main() -> None:
    for rank, seen in enumerate(on_ranks(generate, PROCESSES)):
        print(f"Rank {rank}: {seen.weights:,} of {seen.whole_weights:,} bytes of weights", end=", ")
        print(f"keys and values of {seen.cache[1]} of {seen.whole_cache[1]} heads")
        new = len(seen.tokens) - prompt()["input_ids"].shape[1]
        print(f"  {new} new tokens, the same as of one process: {seen.tokens == seen.expected}")


if __name__ == "__main__":
    main()
