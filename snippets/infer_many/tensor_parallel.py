"""Tensor-parallel `generate`: every process has a slice of each matrix and some of the heads' keys and values."""

import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _infer_many import on_ranks, prompt, tiny_checkpoint, tiny_model
from _tiny_chat import make_checkpoint
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import PreTrainedModel
from transformers.generation import GenerateDecoderOnlyOutput

# isort: split
# --8<-- [start:answer]
import os
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.distributed import DistributedConfig


# Each process reads its part of every matrix.
def load(checkpoint):
    size = int(os.environ["WORLD_SIZE"])  # set by torchrun
    return AutoModelForCausalLM.from_pretrained(
        checkpoint, distributed_config=DistributedConfig(tp_size=size)
    )


def answer(checkpoint, question, tokens=256):
    model = load(checkpoint)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    ).to(model.device)
    torch.manual_seed(0)  # All processes must draw the same tokens.
    output = model.generate(**inputs, max_new_tokens=tokens)
    new = output[0, inputs["input_ids"].shape[1] :]
    return tokenizer.decode(new, skip_special_tokens=True)


# --8<-- [end:answer]
PROCESSES = 2
NEW_TOKENS = 32


@dataclass(frozen=True)
class Generated:
    """What one rank generated, sent and held; a cache's shape is (rows, heads, tokens, numbers a head)."""

    tokens: list[int]
    expected: list[int]
    collectives: dict[str, int]
    cache: tuple[int, ...]
    whole_cache: tuple[int, ...]
    weights: int
    whole_weights: int


def generate(
    model: PreTrainedModel, inputs: dict[str, torch.Tensor], tokens: int
) -> GenerateDecoderOnlyOutput:
    return model.generate(**inputs, max_new_tokens=tokens, do_sample=False, return_dict_in_generate=True)


class Collectives(TorchDispatchMode):
    """Counts, by name, the collectives that run inside a `with` block."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        for kind in ("reduce", "gather"):  # DTensor's operators have other names than those of torch.distributed.
            if "c10d" in func.namespace and kind in func._schema.name:
                self.counts[f"all-{kind}"] += 1
        return func(*args, **(kwargs or {}))


def step() -> Generated:
    """One rank's part of a generation."""
    with tiny_checkpoint(tiny_model()) as checkpoint:
        model = load(checkpoint)
    with Collectives() as collectives:
        output = generate(model, prompt(), NEW_TOKENS)
    whole = tiny_model()
    alone = generate(whole, prompt(), NEW_TOKENS)
    local = [p.to_local() if isinstance(p, DTensor) else p for p in model.parameters()]
    return Generated(
        tokens=output.sequences[0].tolist(),
        expected=alone.sequences[0].tolist(),
        collectives=dict(collectives.counts),
        cache=tuple(output.past_key_values.layers[0].keys.shape),
        whole_cache=tuple(alone.past_key_values.layers[0].keys.shape),
        weights=sum(weight.nbytes for weight in local),
        whole_weights=sum(weight.nbytes for weight in whole.parameters()),
    )


def with_one_kv_head() -> tuple[str, str]:
    """What happens while loading and while generating where the ranks cannot share the heads of keys and values."""
    with tiny_checkpoint(tiny_model(num_key_value_heads=1)) as checkpoint:
        model = load(checkpoint)
    try:
        generate(model, prompt(), 1)
    except RuntimeError as error:
        return "loaded", f"RuntimeError: {error}"
    return "loaded", "generated"


def main() -> None:
    if len(sys.argv) > 1:
        # --8<-- [start:run]
        text = answer(sys.argv[1], sys.argv[2])
        if torch.distributed.get_rank() == 0:
            print(text)
        # --8<-- [end:run]
        return
    for rank, seen in enumerate(on_ranks(step, PROCESSES)):
        print(f"Rank {rank}: {seen.weights:,} of {seen.whole_weights:,} bytes of weights", end=", ")
        print(f"keys and values of {seen.cache[1]} of {seen.whole_cache[1]} heads")
        new = len(seen.tokens) - prompt()["input_ids"].shape[1]
        print(f"  {new} new tokens, the same as of one process: {seen.tokens == seen.expected}")
        each = ", ".join(f"{count // new} {name}" for name, count in sorted(seen.collectives.items()))
        print(f"  for each of them: {each}")
    with TemporaryDirectory() as folder:
        first, second = on_ranks(partial(answer, make_checkpoint(Path(folder)), "Capital of Japan?", 8), PROCESSES)
    print(f"Both processes answer the same: {first == second}")
    loading, generating = on_ranks(with_one_kv_head, PROCESSES)[0]
    print(f"One head of keys and values on {PROCESSES} ranks: {loading}, then {generating}")


if __name__ == "__main__":
    main()
