"""Why so many ranks are not so many times as fast: a step of DDP timed in five ways, each with one cost more."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _profiling import tiny_model
from _ranks import device, on_ranks

# isort: split
# --8<-- [start:measure]
from itertools import islice
from time import perf_counter

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


# Seconds of a step in bf16 on this rank; the first one is not counted.
def step_seconds(model, optimizer, batches) -> float:
    device = next(model.parameters()).device
    for number, batch in enumerate(batches):
        batch = {name: tensor.to(device) for name, tensor in batch.items()}
        with torch.autocast(device.type, torch.bfloat16):
            loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if device.type != "cpu":
            torch.accelerator.synchronize()
        if number == 0:
            start = perf_counter()
    return (perf_counter() - start) / number


# Each way adds one cost to the way before. Without DDP the ranks drift
# apart, so start the training anew afterwards.
def five_ways(
    ddp: DistributedDataParallel, optimizer, loader, steps: int = 50
) -> dict[str, float]:
    model, rank = ddp.module, dist.get_rank()
    device = next(model.parameters()).device
    own = list(islice(loader, steps + 1))
    same = [own]  # as on rank 0
    dist.broadcast_object_list(same)
    ways = {
        "alone": (model, same[0] if rank == 0 else []),
        "together": (model, same[0]),
        "summed": (ddp, same[0]),
        "own batches": (ddp, own),
        "loaded": (ddp, islice(loader, steps + 1)),
    }
    found = {}
    for name, (used, batches) in ways.items():
        dist.barrier()
        taken = step_seconds(used, optimizer, batches) if batches else 0.0
        slowest = torch.tensor(taken, device=device)
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        found[name] = slowest.item()
    return found
# --8<-- [end:measure]


PROCESSES = 2
COSTS = {
    "alone": "",
    "together": "competing for CPU, disk or power",
    "summed": "the sum of gradients that is not hidden",
    "own batches": "waiting for the longest samples",
    "loaded": "waiting for the loader",
}


def samples(rank: int) -> list[dict[str, torch.Tensor]]:
    """Batches of four, from 32 to 64 tokens long on rank 0, and twice as long on rank 1."""
    generator = torch.Generator().manual_seed(rank)
    lengths = [(1 + rank) * length for length in torch.randint(32, 65, (40,), generator=generator).tolist()]
    rows = [torch.randint(256, (4, length), generator=generator) for length in lengths]
    return [{"input_ids": row, "labels": row} for row in rows]


def measured() -> dict[str, float]:
    """One rank's part: a small model, and a loader that only hands out what is in memory."""
    model = DistributedDataParallel(tiny_model().to(device()))
    optimizer = torch.optim.AdamW(model.parameters())
    rounds = [five_ways(model, optimizer, samples(dist.get_rank()), steps=10) for _ in range(5)]
    return {way: min(each[way] for each in rounds) for way in COSTS}  # the round that other programs disturb least


def main() -> None:
    found = on_ranks(measured, PROCESSES)[0]
    before = found["alone"]
    for way, taken in found.items():
        lost = f", {1000 * (taken - before):.1f} more: {COSTS[way]}" if COSTS[way] else ""
        print(f"  {way}: {1000 * taken:.1f} ms{lost}")
        before = taken
    print(f"{PROCESSES} ranks are {PROCESSES * found['alone'] / found['loaded']:.2f} times as fast as one")


if __name__ == "__main__":
    main()
