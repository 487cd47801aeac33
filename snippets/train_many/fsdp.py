"""FSDP2: every process holds a part of each weight, gathers a layer when it is needed and frees it again."""

from collections.abc import Callable
from dataclasses import dataclass

import torch.distributed as dist
from _train_many import (
    gradients,
    local_bytes,
    on_ranks,
    relative_difference,
    single_process_gradients,
    tiny_checkpoint,
    tiny_model,
    tokens,
)
from torch.distributed.tensor.debug import CommDebugMode
from transformers import AutoModelForCausalLM
from transformers.distributed import DistributedConfig

# isort: split
# --8<-- [start:policy]
import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import PreTrainedModel

# Gathers and computes in bf16; what a rank holds stays in fp32.
MIXED = MixedPrecisionPolicy(
    param_dtype=torch.bfloat16, reduce_dtype=torch.float32
)


# --8<-- [end:policy]
# --8<-- [start:shard]
def shard(model: PreTrainedModel, policy=MIXED) -> None:
    # Each layer is gathered when its turn comes, and freed after it.
    for layer in model.model.layers:
        fully_shard(layer, mp_policy=policy)
    # The rest: the embeddings, the last norm and the head.
    fully_shard(model, mp_policy=policy)


# --8<-- [end:shard]
# --8<-- [start:step]
def train_with_fsdp(
    model: PreTrainedModel, batches: list[torch.Tensor]
) -> torch.optim.Optimizer:
    model.train()  # Otherwise, dropout and checkpointing are off.
    # The optimizer sees the parts, so it is made after them.
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for batch in batches:
        optimizer.zero_grad()
        loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        optimizer.step()
    return optimizer


# --8<-- [end:step]
PROCESSES = 2


def shard_and_keep(model: PreTrainedModel) -> None:
    """Make units that stay whole from the forward to the backward pass."""
    for layer in model.model.layers:
        fully_shard(layer, mp_policy=MIXED, reshard_after_forward=False)
    fully_shard(model, mp_policy=MIXED)


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    way: str
    bytes_per_parameter: dict[str, float]
    gathers: int
    scatters: int
    difference: float


def rounded() -> PreTrainedModel:
    """The tiny model with the weights that its checkpoint in bf16 has, in fp32."""
    return tiny_model().bfloat16().float()


def by_torch() -> PreTrainedModel:
    """The model, each layer a unit of its own, the embeddings and the head the last unit."""
    model = rounded()
    shard(model)
    return model


def in_fp32() -> PreTrainedModel:
    """The same without mixed precision."""
    model = rounded()
    shard(model, MixedPrecisionPolicy())
    return model


def kept_after_forward() -> PreTrainedModel:
    """The model, each layer kept whole from its forward to its backward pass."""
    model = rounded()
    shard_and_keep(model)
    return model


def load_sharded(checkpoint: str, ranks: int) -> PreTrainedModel:
    """A checkpoint of which each rank reads its part, in fp32, to be computed in bf16."""
    config = DistributedConfig(fsdp_size=ranks, fsdp_mixed_precision=True)
    return AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32, distributed_config=config)


def by_transformers() -> PreTrainedModel:
    """The model from a checkpoint in bf16, of which each rank reads its part."""
    with tiny_checkpoint(tiny_model().bfloat16()) as checkpoint:
        return load_sharded(checkpoint, PROCESSES)


def watched_step(build: Callable[[], PreTrainedModel]) -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    model = build()
    communication = CommDebugMode()
    with communication:
        optimizer = train_with_fsdp(model, [rows[dist.get_rank() :: dist.get_world_size()]])
    counts = communication.get_comm_counts()
    parameters = sum(parameter.numel() for parameter in model.parameters())
    states = [tensor for state in optimizer.state.values() for tensor in state.values() if tensor.dim()]
    return Step(
        way=build.__name__.replace("_", " ").capitalize(),
        bytes_per_parameter={
            "weights": local_bytes(model.parameters()) / parameters,
            "optimizer": local_bytes(states) / parameters,
        },
        gathers=counts[torch.ops.c10d._allgather_base_],
        scatters=counts[torch.ops.c10d._reduce_scatter_base_],
        difference=relative_difference(gradients(model), single_process_gradients(rows, model=rounded())),
    )


def steps() -> list[Step]:
    """One rank's part of the step, in each of the ways."""
    return [watched_step(way) for way in (by_torch, kept_after_forward, by_transformers, in_fp32)]


def main() -> None:
    for seen in on_ranks(steps, PROCESSES)[0]:
        held = ", ".join(f"{kind} {size:.2f}" for kind, size in seen.bytes_per_parameter.items())
        print(f"{seen.way} on {PROCESSES} ranks; bytes a parameter on each: {held}")
        print(f"  {seen.gathers} gathers, {seen.scatters} scatters")
        print(f"  relative difference from the gradients of one process: {seen.difference:.4f}")


if __name__ == "__main__":
    main()
