"""What each rank sends in a training step, by formulas that a real step on four processes is held to."""

import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "memory"))
import torch.distributed as dist
from _plan import PLAN
from _train_many import VOCABULARY, on_ranks, tiny_model, tokens
from sequence_parallel import backward
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import parallelize_module
from transformers import PreTrainedModel

# isort: split
# --8<-- [start:estimate]
from estimate import MODELS, Shape, parameters

# --8<-- [end:estimate]
# isort: split
# --8<-- [start:count]
import torch
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# What is counted: of a gather the result, else what goes in.
COLLECTIVES = {
    "_allgather_base_": "all-gather",
    "_reduce_scatter_base_": "reduce-scatter",
    "allreduce_": "all-reduce",
    "all_reduce": "all-reduce",
    "all_to_all_single": "all-to-all",
}


class Traffic(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.bytes = {}

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if DTensor in types:
            return NotImplemented  # The tensors inside come by here.
        name = operator.__name__.split(".")[0]
        if name in COLLECTIVES:
            kind = COLLECTIVES[name]
            first = args[1 if kind == "reduce-scatter" else 0]
            size = sum(tensor.nbytes for tensor in tree_leaves(first))
            self.bytes[kind] = self.bytes.get(kind, 0) + size
        return operator(*args, **(kwargs or {}))


# --8<-- [end:count]


# --8<-- [start:formulas]
# Parameters inside the decoder layers, and outside of them.
def inside_and_outside(shape):
    outside = sum(r * c for r, c in shape.tables()) + shape.hidden
    return parameters(shape) - outside, outside


# Each layer is gathered in both passes, the rest once.
# `computed` and `reduced` are bytes per number: bf16 and fp32.
def fsdp(shape, computed=2, reduced=4):
    inside, outside = inside_and_outside(shape)
    return {
        "all-gather": computed * (2 * inside + outside),
        "reduce-scatter": reduced * (inside + outside),
    }


# Layers stay whole from the forward to the backward pass.
def fsdp_kept(shape, computed=2, reduced=4):
    gathered = computed * parameters(shape)
    return fsdp(shape, computed, reduced) | {"all-gather": gathered}


# Gradients are summed over the ranks that have the same part.
def hsdp(shape, shards, computed=2, reduced=4):
    summed = reduced * parameters(shape) // shards
    return fsdp(shape, computed, reduced) | {"all-reduce": summed}


# Two sums per layer in each pass. Checkpointing repeats one of them: it
# stops before the second, whose result the backward pass does not need.
def tensor_parallel(shape, tokens, checkpointing=True, size=2):
    sums = (5 if checkpointing else 4) * shape.layers
    return {"all-reduce": sums * tokens * shape.hidden * size}


# Ulysses: queries, keys, values and outputs of a rank's own tokens.
def ulysses(shape, tokens, passes=3, size=2):
    query, key = shape.widths()
    swapped = passes * shape.layers * tokens * 2 * (query + key)
    return {"all-to-all": swapped * size}


# --8<-- [end:formulas]


# --8<-- [start:sent]
# Bytes that a rank sends in a ring of so many ranks.
def sent(traffic, ranks):
    rounds = {"all-reduce": 2}  # a reduce-scatter, then an all-gather
    return sum(
        rounds.get(kind, 1) * size * (ranks - 1) / ranks
        for kind, size in traffic.items()
    )


# --8<-- [end:sent]

PROCESSES = 4
TINY = Shape(VOCABULARY, 64, 128, 4, 8, 4, 8)
LLAMA = MODELS["Llama 3.1 70B"]
MIXED = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
LENGTH = 16


def sharded(mesh: DeviceMesh | None = None, keep: bool = False) -> PreTrainedModel:
    """The tiny model, each layer a unit of FSDP, gathered in bf16 and reduced in fp32."""
    model = tiny_model()
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=MIXED, reshard_after_forward=not keep)
    return fully_shard(model, mesh=mesh, mp_policy=MIXED)


def one_step(model: PreTrainedModel) -> dict[str, int]:
    """Bytes by kind of collective in one forward and backward pass on this rank's rows."""
    rows = tokens(length=LENGTH).chunk(PROCESSES)[dist.get_rank()]
    with Traffic() as traffic:
        model(input_ids=rows, labels=rows).loss.backward()
    return traffic.bytes


def counted() -> dict[str, dict[str, int]]:
    """The bytes that each method's step gave to collectives."""
    machines = init_device_mesh("cpu", (2, PROCESSES // 2), mesh_dim_names=("replicate", "shard"))
    found = {
        "FSDP": one_step(sharded()),
        "FSDP, layers kept": one_step(sharded(keep=True)),
        "HSDP, 2 x 2": one_step(sharded(machines)),
    }
    for name, checkpointing in (("tensor parallel", False), ("tensor parallel, checkpointed", True)):
        model = tiny_model()
        if checkpointing:
            model.activation_checkpointing_enable()
        for layer in model.model.layers:
            parallelize_module(layer, init_device_mesh("cpu", (PROCESSES,)), PLAN)
        with Traffic() as traffic:
            model(input_ids=tokens(length=LENGTH), use_cache=False).logits.sum().backward()
        found[name] = traffic.bytes
    model = tiny_model(attn_implementation="ulysses")
    ids = tokens(length=LENGTH)
    with Traffic() as traffic:
        backward(model, ids, ids)
    found["Ulysses"] = traffic.bytes
    return found


def computed() -> dict[str, dict[str, int]]:
    """The same by the formulas: 8 rows of 16 tokens in two passes, in fp32 where nothing is sharded."""
    whole = 8 * LENGTH
    return {
        "FSDP": fsdp(TINY),
        "FSDP, layers kept": fsdp_kept(TINY),
        "HSDP, 2 x 2": hsdp(TINY, PROCESSES // 2),
        "tensor parallel": tensor_parallel(TINY, whole, checkpointing=False, size=4),
        "tensor parallel, checkpointed": tensor_parallel(TINY, whole, size=4),
        "Ulysses": ulysses(TINY, whole // PROCESSES, passes=2, size=4) | {"all-reduce": 4 * parameters(TINY)},
    }


BANDWIDTH = 450e9  # bytes per second that an H100 sends over NVLink
SEQUENCES, CONTEXT, RANKS = 8, 4096, 8


def methods_70b() -> dict[str, float]:
    """What one of eight ranks sends in a step on 8 sequences of 4,096 tokens, with checkpointing."""
    whole = SEQUENCES * CONTEXT
    sharding = sent(fsdp(LLAMA), RANKS)
    return {
        "FSDP": sharding,
        "FSDP, layers kept": sent(fsdp_kept(LLAMA), RANKS),
        "FSDP, 4 accumulated": 4 * sharding,
        "Ulysses and FSDP": sharding + sent(ulysses(LLAMA, whole // RANKS), RANKS),
        "tensor parallel": sent(tensor_parallel(LLAMA, whole), RANKS),
    }


def main() -> None:
    formulas = computed()
    print(f"A tiny model on {PROCESSES} processes, bytes of a rank's collectives:")
    for name, seen in on_ranks(counted, PROCESSES)[0].items():
        same = Counter(seen) == Counter(formulas[name])
        kinds = ", ".join(f"{kind} {size:,}" for kind, size in sorted(seen.items()))
        print(f"  {name}: {kinds}; by formula {'the same' if same else formulas[name]}")
    print(f"Llama 3.1 70B on {RANKS} ranks, {SEQUENCES} sequences of {CONTEXT:,} tokens; a rank sends in a step")
    print(" " * 22, f"{'GB':>9} {'seconds':>9}")
    for name, size in methods_70b().items():
        print(f"  {name:20} {size / 1e9:9.0f} {size / BANDWIDTH:9.2f}")


if __name__ == "__main__":
    main()
