"""Ranks that wait for each other: each cause made to happen on processes, and the message that names it."""

import re

from _hangs import device, on_ranks, tiny_model
from torch.distributed.device_mesh import DeviceMesh

# isort: split
# --8<-- [start:imports]
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

# --8<-- [end:imports]


# --8<-- [start:wrong]
# Rank 1 never calls the all-reduce; rank 0 waits until the timeout.
def log_the_loss(loss, group=None):
    if dist.get_rank() == 0:
        dist.all_reduce(loss, group=group)
        print(f"loss {loss.item() / dist.get_world_size()}")


# --8<-- [end:wrong]


# --8<-- [start:right]
def log_the_mean_loss(loss, group=None):
    dist.all_reduce(loss, group=group)
    if dist.get_rank() == 0:
        print(f"loss {loss.item() / dist.get_world_size()}")


# --8<-- [end:right]


# --8<-- [start:batches]
# Stops all ranks with the first one that has no batch left.
def common_batches(loader, device="cpu"):
    batches = iter(loader)
    while True:
        batch = next(batches, None)
        more = torch.tensor(int(batch is not None), device=device)
        dist.all_reduce(more, dist.ReduceOp.MIN)
        if not more:
            return
        yield batch


# --8<-- [end:batches]


# --8<-- [start:straggler]
# Seconds that each rank waits for the others; a straggler waits least.
def waiting_times(step, steps=5):
    waited = 0.0
    for _ in range(steps):
        step()
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()
        start = time.perf_counter()
        dist.barrier()
        waited += time.perf_counter() - start
    all_ranks = [None] * dist.get_world_size()
    dist.all_gather_object(all_ranks, waited / steps)
    return all_ranks


# --8<-- [end:straggler]


# --8<-- [start:generate]
# With sharded weights, a rank that has finished must keep taking part.
def generate(model, tokens, new_tokens, synced_gpus=True):
    return model.generate(
        tokens,
        max_new_tokens=new_tokens,
        do_sample=False,
        synced_gpus=synced_gpus,
    )


# --8<-- [end:generate]

SECONDS = 3


def message(cause, debug: bool = False) -> str:
    """What `cause` raises on this rank, in a group with a short timeout, and with all calls compared if `debug`."""
    if debug:
        dist.set_debug_level(dist.DebugLevel.DETAIL)
    group = dist.new_group(timeout=timedelta(seconds=SECONDS), backend="gloo")
    try:
        cause(group)
        said = "no error"
    except (RuntimeError, dist.DistError) as error:
        said = str(error)
    dist.set_debug_level(dist.DebugLevel.OFF)
    dist.barrier()
    return said


def one_rank_alone(group: dist.ProcessGroup) -> None:
    log_the_loss(torch.ones(1), group)
    if dist.get_rank() == 1:
        dist.barrier(group)  # What comes next in the program.


def another_shape(group: dist.ProcessGroup) -> None:
    dist.all_reduce(torch.ones(1 + dist.get_rank()), group=group)


def missing_rank(group: dist.ProcessGroup) -> None:
    if dist.get_rank() == 0:
        dist.monitored_barrier(group, timeout=timedelta(seconds=SECONDS))


def generated(group: dist.ProcessGroup, synced: bool = False) -> int:
    """How many tokens each rank generates with sharded weights, where rank 1 wants four more than rank 0."""
    model = tiny_model().cpu().eval()
    mesh = DeviceMesh.from_group(group, "cpu")
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    tokens = torch.ones(1, 4, dtype=torch.long)
    return generate(model, tokens, 3 + 4 * dist.get_rank(), synced).shape[1] - 4


def straggling() -> int:
    """The rank that the others wait for, as their waiting times say."""
    waits = waiting_times(lambda: time.sleep(0.2 if dist.get_rank() == 1 else 0.0))
    return waits.index(min(waits))


def uneven() -> int:
    """How many batches this rank has trained on, of 5 on rank 0 and 3 on rank 1."""
    return len(list(common_batches(range(5 - 2 * dist.get_rank()), device())))


def on_rank() -> dict[str, object]:
    """What one rank sees of each cause."""
    return {
        "a call on rank 0 alone": message(one_rank_alone),
        "the same, compared": message(one_rank_alone, debug=True),
        "shapes that differ, compared": message(another_shape, debug=True),
        "monitored_barrier": message(missing_rank),
        "generate": message(generated),
        "generate, synced_gpus=True": generated(dist.new_group(backend="gloo"), synced=True),
        "straggler": straggling(),
        "batches": uneven(),
    }


def main() -> None:
    first, second = on_ranks(on_rank, 2)
    for name in list(first)[:5]:
        said = first[name] if name != "generate" else second[name]
        # Without the path of the source, and without what the calls compare in their tensors.
        line = re.sub(r"^\[/\S+\] |\w*Fingerprint|, TensorDtypes.*?\)\)\)", "", str(said).splitlines()[0])
        print(f"{name}: {line.split('.Collectives')[0]}")
    for name in list(first)[5:]:
        print(f"{name}: {first[name]} on rank 0, {second[name]} on rank 1")


if __name__ == "__main__":
    main()
