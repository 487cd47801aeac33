"""ZeRO stage 1 by PyTorch: the gradients are DDP's, and every process updates its share of the weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch.distributed as dist
from _train_many import on_ranks, relative_difference, tiny_model, tokens

# isort: split
# --8<-- [start:zero]
import torch
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel


def train(
    ddp: DistributedDataParallel, batch: torch.Tensor
) -> torch.optim.Optimizer:
    ddp.train()  # Otherwise, dropout and checkpointing are off.
    optimizer = ZeroRedundancyOptimizer(
        ddp.parameters(), torch.optim.AdamW, lr=1e-5
    )
    for _ in range(3):
        ddp(input_ids=batch, labels=batch).loss.backward()
        # Updates its share, and receives the others' weights.
        optimizer.step()
        optimizer.zero_grad()
    return optimizer


# --8<-- [end:zero]
PROCESSES = 2


@dataclass(frozen=True)
class Steps:
    """What one rank held after its steps, the weights that were sent in a step, and how far they are from one
    process's."""

    state_bytes: int
    parameters: int
    bytes_broadcast: int
    difference: float


@contextmanager
def broadcasts() -> Iterator[list[int]]:
    """The bytes of every tensor that is broadcast; a live list."""
    sizes: list[int] = []
    broadcast = dist.broadcast

    def counted(tensor: torch.Tensor, *rest: object, **options: object) -> object:
        sizes.append(tensor.nbytes)
        return broadcast(tensor, *rest, **options)

    dist.broadcast = counted
    try:
        yield sizes
    finally:
        dist.broadcast = broadcast


def steps() -> Steps:
    """One rank's part of three steps on eight rows."""
    rows = tokens(rows=8)
    ddp = DistributedDataParallel(tiny_model())
    with broadcasts() as sizes:
        optimizer = train(ddp, rows[dist.get_rank() :: dist.get_world_size()])
    states = [tensor for state in optimizer.optim.state.values() for tensor in state.values() if tensor.dim()]
    return Steps(
        state_bytes=sum(tensor.nbytes for tensor in states),
        parameters=sum(parameter.numel() for parameter in ddp.parameters()),
        bytes_broadcast=sum(sizes) // 3,
        difference=relative_difference(ddp.module.state_dict(), single_process_weights(rows)),
    )


def single_process_weights(rows: torch.Tensor) -> dict[str, torch.Tensor]:
    """The weights after the same steps on one process with all rows."""
    model = tiny_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for _ in range(3):
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.state_dict()


def main() -> None:
    for rank, seen in enumerate(on_ranks(steps, PROCESSES)):
        print(f"Rank {rank}: {seen.state_bytes / seen.parameters:.2f} bytes of AdamW's state a parameter of the model")
        print(f"  bytes of weights broadcast in a step: {seen.bytes_broadcast / seen.parameters:.0f} a parameter")
        print(f"  relative difference from the weights of one process: {seen.difference:.6f}")


if __name__ == "__main__":
    main()
