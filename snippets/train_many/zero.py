"""ZeRO stage 1 by PyTorch: the gradients are DDP's, and every process updates its share of the weights."""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from _train_many import on_ranks, relative_difference, tiny_model, tokens
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

PROCESSES = 2


@dataclass(frozen=True)
class Steps:
    """What one rank held after its steps, and how far its weights are from those of one process."""

    state_bytes: int
    parameters: int
    difference: float


def train() -> Steps:
    """One rank's part of three steps on eight rows."""
    rows = tokens(rows=8)
    batch = rows[dist.get_rank() :: dist.get_world_size()]
    model = DistributedDataParallel(tiny_model())
    # --8<-- [start:zero]
    optimizer = ZeroRedundancyOptimizer(
        model.parameters(), torch.optim.AdamW, lr=1e-3
    )
    for _ in range(3):
        model(input_ids=batch, labels=batch).loss.backward()
        # Updates its share, and receives the others' weights.
        optimizer.step()
        optimizer.zero_grad()
    # --8<-- [end:zero]
    states = [tensor for state in optimizer.optim.state.values() for tensor in state.values() if tensor.dim()]
    return Steps(
        state_bytes=sum(tensor.nbytes for tensor in states),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        difference=relative_difference(model.module.state_dict(), single_process_weights(rows)),
    )


def single_process_weights(rows: torch.Tensor) -> dict[str, torch.Tensor]:
    """The weights after the same steps on one process with all rows."""
    model = tiny_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.state_dict()


def main() -> None:
    for rank, seen in enumerate(on_ranks(train, PROCESSES)):
        print(f"Rank {rank}: {seen.state_bytes / seen.parameters:.2f} bytes of AdamW's state a parameter of the model")
        print(f"  relative difference from the weights of one process: {seen.difference:.6f}")


if __name__ == "__main__":
    main()
