"""Three at once: two stages of a pipeline, each on four processes that cut its matrices and share the rows."""

from dataclasses import dataclass

import torch.distributed as dist
from _stages import Stage, loss_of
from _train_many import (
    device,
    gradients,
    on_ranks,
    relative_difference,
    single_process_gradients,
    tiny_model,
    tokens,
)
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

PROCESSES = 8


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    place: tuple[int, ...]
    rows: list[int]
    local_shapes: dict[str, tuple[int, ...]]
    parameters: int
    difference: float


def step() -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    # --8<-- [start:mesh]
    # Neighbours are in the last dimension, the one that sends most.
    mesh = dist.init_device_mesh(
        device().type, (2, 2, 2), mesh_dim_names=("pp", "dp", "tp")
    )
    stage, replica = mesh.get_local_rank("pp"), mesh.get_local_rank("dp")
    # --8<-- [end:mesh]
    plan = {
        "self_attn.q_proj": ColwiseParallel(),
        "self_attn.k_proj": ColwiseParallel(),
        "self_attn.v_proj": ColwiseParallel(),
        "self_attn.o_proj": RowwiseParallel(),
        "mlp.gate_proj": ColwiseParallel(),
        "mlp.up_proj": ColwiseParallel(),
        "mlp.down_proj": RowwiseParallel(),
    }
    # --8<-- [start:build]
    # First the layers of this stage,
    module = Stage(tiny_model(), stage, stages=2)
    for layer in module.model.layers:
        # then a half of each matrix,
        parallelize_module(layer, mesh["tp"], plan)
        # then a half of that half, gathered when it is needed.
        fully_shard(layer, mesh=mesh["dp"])
    fully_shard(module, mesh=mesh["dp"])
    # --8<-- [end:build]
    # --8<-- [start:step]
    pipeline = PipelineStage(
        module, stage, 2, device=device(), group=mesh.get_group("pp")
    )
    schedule = Schedule1F1B(pipeline, n_microbatches=2, loss_fn=loss_of)

    # The replicas take other rows; the ranks of "pp" and "tp" the same.
    own = rows[replica::2]
    if stage == 0:
        schedule.step(own)
    else:
        schedule.step(target=own)
    # --8<-- [end:step]
    ours = {module.own_name(name, stage): gradient for name, gradient in gradients(module).items()}
    expected = single_process_gradients(rows)
    return Step(
        place=tuple(mesh.get_coordinate()),
        rows=list(range(replica, 8, 2)),
        local_shapes={
            module.own_name(name, stage): tuple(parameter.to_local().shape)
            for name, parameter in module.named_parameters()
        },
        parameters=sum(parameter.to_local().numel() for parameter in module.parameters()),
        difference=relative_difference(ours, {name: expected[name] for name in ours}),
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
