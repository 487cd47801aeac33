"""DDP: every process has the whole model and a share of the rows, and they average their gradients."""

from dataclasses import dataclass

from _train_many import gradients, on_ranks, ragged, relative_difference, single_process_gradients, tiny_model, tokens
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

# isort: split
# --8<-- [start:ddp]
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from transformers import PreTrainedModel


def train_with_ddp(
    model: PreTrainedModel, rows: torch.Tensor, epochs: int
) -> None:
    model.train()  # Otherwise, dropout and checkpointing are off.
    # Each rank gets its own share of the samples.
    sampler = DistributedSampler(rows)
    loader = DataLoader(rows, batch_size=4, sampler=sampler)
    # The ranks start from the weights of rank 0.
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=1e-5)
    for epoch in range(epochs):
        # Otherwise every epoch has the order of the first one.
        sampler.set_epoch(epoch)
        for batch in loader:
            # Multiplies in bf16; weights and their gradients stay in fp32.
            with torch.autocast(batch.device.type, torch.bfloat16):
                loss = ddp(input_ids=batch, labels=batch).loss
            # Averages the gradients over the ranks while computing them.
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


# --8<-- [end:ddp]
# --8<-- [start:tokens]
def labels_per_rank(*labels: torch.Tensor) -> torch.Tensor:
    # The first label of a row is never predicted.
    predicted = sum((each[:, 1:] != -100).sum() for each in labels)
    dist.all_reduce(predicted)
    predicted = predicted.clamp(min=1)  # Or masked batches give NaN.
    # DDP divides by the number of ranks as well.
    return predicted / dist.get_world_size()


def backward_by_tokens(
    ddp: DistributedDataParallel,
    batch: torch.Tensor,
    labels: torch.Tensor,
    count: torch.Tensor,  # labels_per_rank(labels)
) -> None:
    loss = ddp(
        input_ids=batch, labels=labels, num_items_in_batch=count
    ).loss
    loss.backward()


# --8<-- [end:tokens]
# --8<-- [start:accumulate]
def backward_in_turn(
    ddp: DistributedDataParallel,
    batches: list[torch.Tensor],
    labels: list[torch.Tensor],
) -> None:
    count = labels_per_rank(*labels)  # of the whole step
    # Nothing is sent until the last batch before the optimizer's step.
    with ddp.no_sync():
        for batch, label in zip(batches[:-1], labels[:-1], strict=True):
            backward_by_tokens(ddp, batch, label, count)

    backward_by_tokens(ddp, batches[-1], labels[-1], count)


# --8<-- [end:accumulate]
PROCESSES = 2
EPOCHS = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step with rows of one length."""

    rows: list[int]
    difference_from_its_rows: float
    difference_from_all_rows: float
    bytes_reduced: int
    bytes_of_gradients: int


@dataclass(frozen=True)
class Unequal:
    """How far the gradients of rows of other lengths are from one process's: averaged by rank, and by token."""

    by_rank: float
    by_token: float


@dataclass(frozen=True)
class Accumulation:
    """What one rank saw of two batches and one average."""

    averages_after_first: int
    averages: int
    difference_from_all_rows: float


@dataclass(frozen=True)
class Seen:
    """All that one rank saw; `epochs` has the rows of every epoch in the order of the rank's batches."""

    step: Step
    unequal: Unequal
    accumulation: Accumulation
    epochs: list[list[int]]


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
    own = list(DistributedSampler(rows, shuffle=False))
    ddp = DistributedDataParallel(tiny_model())
    buckets = count_buckets(ddp)
    ddp(input_ids=rows[own], labels=rows[own]).loss.backward()
    ours = gradients(ddp.module)
    return Step(
        rows=own,
        difference_from_its_rows=relative_difference(ours, single_process_gradients(rows[own])),
        difference_from_all_rows=relative_difference(ours, single_process_gradients(rows)),
        bytes_reduced=sum(buckets),
        bytes_of_gradients=sum(gradient.nbytes for gradient in ours.values()),
    )


def unequal() -> Unequal:
    """One rank's part of a step on rows of which one rank has the short ones, with both kinds of average."""
    rows, _, labels = ragged()
    own = slice(dist.get_rank() * 4, dist.get_rank() * 4 + 4)
    expected = single_process_gradients(rows, labels)
    by_rank, by_token = (DistributedDataParallel(tiny_model()) for _ in range(2))
    by_rank(input_ids=rows[own], labels=labels[own]).loss.backward()
    backward_by_tokens(by_token, rows[own], labels[own], labels_per_rank(labels[own]))
    return Unequal(
        by_rank=relative_difference(gradients(by_rank.module), expected),
        by_token=relative_difference(gradients(by_token.module), expected),
    )


def accumulate() -> Accumulation:
    """One rank's part of a step on eight rows of other lengths, in two batches of two."""
    rows, _, labels = ragged()
    own = slice(dist.get_rank() * 4, dist.get_rank() * 4 + 4)
    ddp = DistributedDataParallel(tiny_model())
    buckets = count_buckets(ddp)
    before_forward: list[int] = []
    ddp.register_forward_pre_hook(lambda *_: before_forward.append(len(buckets)))
    backward_in_turn(ddp, [*rows[own].chunk(2)], [*labels[own].chunk(2)])
    difference = relative_difference(gradients(ddp.module), single_process_gradients(rows, labels))
    return Accumulation(before_forward[1], len(buckets), difference)


def epochs() -> list[list[int]]:
    """The numbers of the rows that this rank trains with, epoch by epoch; 9 rows do not divide by the batches."""
    rows = tokens(rows=9)
    numbers = {tuple(row.tolist()): number for number, row in enumerate(rows)}
    model = tiny_model()
    seen: list[int] = []
    model.get_input_embeddings().register_forward_pre_hook(
        lambda module, inputs: seen.extend(numbers[tuple(row.tolist())] for row in inputs[0])
    )
    train_with_ddp(model, rows, EPOCHS)
    length = len(seen) // EPOCHS
    return [seen[:length], seen[length:]]


def everything() -> Seen:
    """All of it as one job."""
    return Seen(step(), unequal(), accumulate(), epochs())


def main() -> None:
    print("Relative difference from the gradients of one process:")
    for rank, seen in enumerate(on_ranks(everything, PROCESSES)):
        print(f"Rank {rank}, rows {seen.step.rows}")
        print(f"  with these rows: {seen.step.difference_from_its_rows:.4f}")
        print(f"  with all 8 rows: {seen.step.difference_from_all_rows:.4f}", end=", ")
        print(f"{seen.step.bytes_reduced:,} bytes averaged")
        print(
            f"  in two batches:  {seen.accumulation.difference_from_all_rows:.4f}, averages of buckets:"
            f" {seen.accumulation.averages_after_first} in the first, {seen.accumulation.averages} in all"
        )
        print(f"  unequal lengths: {seen.unequal.by_rank:.4f} averaged by rank, {seen.unequal.by_token:.4f} by token")
        print(f"  9 rows in two epochs: {seen.epochs[0]}, {seen.epochs[1]}")


if __name__ == "__main__":
    main()
