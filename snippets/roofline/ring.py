"""A ring all-reduce out of messages between neighbours, whose sent bytes are those of the formula."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import device, on_ranks

# isort: split
# --8<-- [start:ring]
import torch
import torch.distributed as dist
from torch.distributed import P2POp, batch_isend_irecv


# Sends a part to the next rank, receives one from the rank before.
def pass_on(part: torch.Tensor) -> torch.Tensor:
    rank, ranks = dist.get_rank(), dist.get_world_size()
    received = torch.empty_like(part)
    send = P2POp(dist.isend, part, (rank + 1) % ranks)
    receive = P2POp(dist.irecv, received, (rank - 1) % ranks)
    for work in batch_isend_irecv([send, receive]):
        work.wait()
    return received


def ring_all_reduce(tensor: torch.Tensor) -> int:
    rank, ranks = dist.get_rank(), dist.get_world_size()
    parts = tensor.chunk(ranks)
    sent = 0
    for step in range(2 * (ranks - 1)):
        outgoing = parts[(rank - step) % ranks]
        incoming = parts[(rank - step - 1) % ranks]
        received = pass_on(outgoing)
        sent += outgoing.nbytes
        if step < ranks - 1:
            incoming += received  # reduce-scatter
        else:
            incoming.copy_(received)  # all-gather
    return sent
# --8<-- [end:ring]


RANKS, NUMBERS = 4, 1_000_000


def summed() -> tuple[int, bool]:
    """The bytes that this rank sent, and whether the sums are those of the library's all-reduce."""
    tensor = torch.arange(NUMBERS, dtype=torch.float32, device=device()) * (dist.get_rank() + 1)
    expected = tensor.clone()
    dist.all_reduce(expected)
    return ring_all_reduce(tensor), torch.equal(tensor, expected)


def main() -> None:
    size = 4 * NUMBERS
    print(f"An all-reduce of {size:,} bytes over {RANKS} ranks:")
    for rank, (sent, same) in enumerate(on_ranks(summed, RANKS)):
        print(f"  rank {rank} sent {sent:,} bytes; the same sums as all_reduce: {same}")
    print(f"By the formula: {2 * size * (RANKS - 1) // RANKS:,} bytes")


if __name__ == "__main__":
    main()
