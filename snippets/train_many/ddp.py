"""DDP: every process has the whole model and a share of the rows, and they average their gradients."""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from _train_many import gradients, on_ranks, relative_difference, single_process_gradients, tiny_model, tokens
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    rows: list[int]
    difference_from_its_rows: float
    difference_from_all_rows: float
    bytes_reduced: int
    bytes_of_gradients: int


@dataclass(frozen=True)
class Accumulation:
    """What one rank saw of two batches and one average."""

    averages_after_first: int
    averages: int
    difference_from_all_rows: float


def count_buckets(ddp: DistributedDataParallel) -> list[int]:
    """The bytes of every bucket of gradients that is averaged from now on; a live list."""
    buckets: list[int] = []

    def counted(group: dist.ProcessGroup, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        buckets.append(bucket.buffer().nbytes)
        return allreduce_hook(group, bucket)

    ddp.register_comm_hook(dist.group.WORLD, counted)
    return buckets


def step() -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    model = tiny_model()
    # --8<-- [start:ddp]
    # Every rank takes other rows.
    sampler = DistributedSampler(rows, shuffle=False)
    loader = DataLoader(rows, batch_size=4, sampler=sampler)

    # The ranks start from the weights of rank 0.
    ddp = DistributedDataParallel(model)
    # --8<-- [end:ddp]
    buckets = count_buckets(ddp)
    # --8<-- [start:step]
    for batch in loader:
        loss = ddp(input_ids=batch, labels=batch).loss
        # Averages the gradients over the ranks while it computes them.
        loss.backward()
    # --8<-- [end:step]
    ours = gradients(model)
    its_rows = rows[list(sampler)]
    return Step(
        rows=list(sampler),
        difference_from_its_rows=relative_difference(ours, single_process_gradients(its_rows)),
        difference_from_all_rows=relative_difference(ours, single_process_gradients(rows)),
        bytes_reduced=sum(buckets),
        bytes_of_gradients=sum(gradient.nbytes for gradient in ours.values()),
    )


def accumulate() -> Accumulation:
    """One rank's part of a step on eight rows, in two batches of two."""
    rows = tokens(rows=8)
    first, last = rows[dist.get_rank() :: dist.get_world_size()].chunk(2)
    ddp = DistributedDataParallel(tiny_model())
    buckets = count_buckets(ddp)
    before_forward: list[int] = []
    ddp.register_forward_pre_hook(lambda *_: before_forward.append(len(buckets)))
    # --8<-- [start:accumulate]
    # Nothing is sent until the last batch before the optimizer's step.
    with ddp.no_sync():
        loss = ddp(input_ids=first, labels=first).loss / 2
        loss.backward()

    loss = ddp(input_ids=last, labels=last).loss / 2
    loss.backward()
    # --8<-- [end:accumulate]
    difference = relative_difference(gradients(ddp.module), single_process_gradients(rows))
    return Accumulation(before_forward[1], len(buckets), difference)


def both() -> tuple[Step, Accumulation]:
    """The two as one job."""
    return step(), accumulate()


def main() -> None:
    print("Relative difference from the gradients of one process:")
    for rank, (seen, accumulated) in enumerate(on_ranks(both, PROCESSES)):
        print(f"Rank {rank}, rows {seen.rows}")
        print(f"  with these rows: {seen.difference_from_its_rows:.4f}")
        print(f"  with all 8 rows: {seen.difference_from_all_rows:.4f}, {seen.bytes_reduced:,} bytes averaged")
        print(
            f"  in two batches:  {accumulated.difference_from_all_rows:.4f}, averages of buckets:"
            f" {accumulated.averages_after_first} in the first, {accumulated.averages} in all"
        )


if __name__ == "__main__":
    main()
