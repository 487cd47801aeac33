"""Three at once: two stages of a pipeline, each on four processes that cut its matrices and share the rows."""

from collections.abc import Callable
from dataclasses import dataclass

from _plan import plan_of
from _train_many import (
    device,
    gradients,
    on_ranks,
    relative_difference,
    single_process_gradients,
    tiny_checkpoint,
    tiny_model,
    tokens,
)
from pipeline_parallel import Stage, loss_of
from transformers import PreTrainedModel

# isort: split
# --8<-- [start:mesh]
from functools import partial

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import parallelize_module


def make_mesh(device: torch.device) -> DeviceMesh:
    # The last dimension groups adjacent ranks: it communicates most.
    return dist.init_device_mesh(
        device.type, (2, 2, 2), mesh_dim_names=("pp", "dp", "tp")
    )


# --8<-- [end:mesh]
# --8<-- [start:build]
def build(
    checkpoint: str, mesh: DeviceMesh, device: torch.device
) -> PipelineStage:
    # First the layers of this stage,
    stage = mesh.get_local_rank("pp")
    module = Stage(checkpoint, stage, stages=2).to(device)
    for layer in module.own_layers():
        # then a half of each matrix,
        parallelize_module(layer, mesh["tp"], plan_of(layer))
        # then a half of that half, gathered when it is needed.
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(module, mesh=mesh["dp"])
    return PipelineStage(
        module, stage, 2, device=device, group=mesh.get_group("pp")
    )


# --8<-- [end:build]
# --8<-- [start:step]
def make_schedule(stage: PipelineStage) -> Schedule1F1B:
    return Schedule1F1B(
        stage, n_microbatches=2, loss_fn=loss_of, scale_grads=False
    )


def train_step(
    schedule: Schedule1F1B,
    stage: PipelineStage,
    mesh: DeviceMesh,
    ids: torch.Tensor,
) -> None:
    # Replicas get different samples; the ranks of "pp" and "tp" the same.
    own = ids[mesh.get_local_rank("dp") :: 2]
    # Stages expect microbatches of one size: DataLoader(drop_last=True).
    if len(ids) % 4:
        raise ValueError(f"{len(ids)} rows: 2 replicas, 2 microbatches")
    predicted = own[:, 1:].numel()
    step = partial(
        schedule.step,
        # Otherwise the last stage keeps the logits of all microbatches.
        return_outputs=False,
        loss_kwargs={"predicted": predicted},
    )
    mask = torch.ones_like(own)
    if stage.is_first:
        step(own, attention_mask=mask)
    else:
        step(target=own, attention_mask=mask)


# --8<-- [end:step]
PROCESSES = 8


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    place: tuple[int, ...]
    rows: list[int]
    local_shapes: dict[str, tuple[int, ...]]
    parameters: int
    difference: float
    worst: float  # the difference of the tensor that differs most
    outputs_kept: int


def step(model_of: Callable[[], PreTrainedModel] = tiny_model) -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    mesh = make_mesh(device())
    with tiny_checkpoint(model_of()) as checkpoint:
        stage = build(checkpoint, mesh, device())
    train_step(make_schedule(stage), stage, mesh, rows)
    ours = gradients(stage.submod)
    expected = single_process_gradients(rows, model=model_of())
    return Step(
        place=tuple(mesh.get_coordinate()),
        rows=list(range(mesh.get_local_rank("dp"), 8, 2)),
        local_shapes={
            name: tuple(parameter.to_local().shape) for name, parameter in stage.submod.named_parameters()
        },
        parameters=sum(parameter.to_local().numel() for parameter in stage.submod.parameters()),
        difference=relative_difference(ours, {name: expected[name] for name in ours}),
        worst=max(relative_difference({name: ours[name]}, {name: expected[name]}) for name in ours),
        outputs_kept=len(stage.output_chunks),
    )


def main() -> None:
    ranks = on_ranks(step, PROCESSES)
    whole = sum(parameter.numel() for parameter in tiny_model().parameters())
    for rank, seen in enumerate(ranks):
        pp, _, tp = seen.place
        print(f"rank {rank}: stage {pp}, rows {seen.rows}, half {tp} of each matrix; {seen.parameters:,} of {whole:,}")
    print(f"Difference from the gradients of one process: {max(seen.difference for seen in ranks):.4f}")


if __name__ == "__main__":
    main()
