"""HSDP: weights are sharded inside a machine and replicated across machines, on a mesh of two dimensions."""

from dataclasses import dataclass

import torch.distributed as dist
from _fsdp2 import PROCESSES, device, gradient_difference, on_ranks, tiny_model, tokens
from torch.distributed.tensor.debug import CommDebugMode

# isort: split
# --8<-- [start:shard]
import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import PreTrainedModel


# The second dimension is sharded over, the first one replicated over.
def hsdp_mesh(kind: str, machines: int, devices: int) -> DeviceMesh:
    names = ("replicate", "shard")
    return init_device_mesh(kind, (machines, devices), mesh_dim_names=names)


def shard(
    model: PreTrainedModel, mesh: DeviceMesh, policy: MixedPrecisionPolicy
) -> PreTrainedModel:
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    # The embeddings, the last norm and the head.
    return fully_shard(model, mesh=mesh, mp_policy=policy)


# Computes in bf16, and keeps weights and gradients in fp32.
MIXED = MixedPrecisionPolicy(
    param_dtype=torch.bfloat16, reduce_dtype=torch.float32
)
# --8<-- [end:shard]


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    placements: str
    dtype: torch.dtype
    share: float
    counts: dict[str, int]
    difference: float


def mesh_of(machines: int) -> DeviceMesh:
    """Two dimensions for several machines, one for a single one: plain FSDP."""
    if machines == 1:
        return init_device_mesh(device().type, (PROCESSES,))
    return hsdp_mesh(device().type, machines, PROCESSES // machines)


def step(policy: MixedPrecisionPolicy, machines: int = 2) -> Step:
    """One rank's part of a step on eight rows."""
    model = shard(tiny_model(), mesh_of(machines), policy)
    rows = tokens().chunk(PROCESSES)[dist.get_rank()]
    communication = CommDebugMode()
    with communication:
        model(input_ids=rows, labels=rows).loss.backward()
    first = model.model.layers[0].self_attn.q_proj.weight
    local = sum(parameter.to_local().numel() for parameter in model.parameters())
    names = {"all-gather": "_allgather_base_", "reduce-scatter": "_reduce_scatter_base_", "all-reduce": "allreduce_"}
    counts = communication.get_comm_counts()
    return Step(
        placements=str(tuple(first.placements)),
        dtype=first.dtype,
        share=local / sum(parameter.numel() for parameter in model.parameters()),
        counts={name: counts[getattr(torch.ops.c10d, operator)] for name, operator in names.items()},
        difference=gradient_difference(model),
    )


def steps() -> list[Step]:
    """One rank's part of the step: HSDP in fp32, HSDP in mixed precision, and FSDP over all ranks."""
    return [step(MixedPrecisionPolicy()), step(MIXED), step(MixedPrecisionPolicy(), machines=1)]


def main() -> None:
    names = ("2 machines x 2, fp32", "2 machines x 2, mixed", "1 machine x 4, fp32")
    print(f"Four ranks on the {device().type}; the first one saw:")
    for name, seen in zip(names, on_ranks(steps, PROCESSES)[0], strict=True):
        print(f"{name}: {seen.placements}, {seen.share:.2f} of the weights, {seen.dtype}")
        print(f"  {', '.join(f'{count} {kind}' for kind, count in seen.counts.items())}")
        print(f"  gradients differ from one process's by {seen.difference:.4f}")


if __name__ == "__main__":
    main()
