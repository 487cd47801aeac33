"""Each cost shows in its own way to time a step, and in none of the others."""

import pytest
import torch
import torch.distributed as dist
from _ranks import on_ranks
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel

from snippets.profiling import five_times as snippet

pytestmark = [pytest.mark.needs(devices=2), pytest.mark.measures]
STEPS = 4
COMPUTING, SUMMING, LOADING = 1.0, 2.0, 4.0  # seconds; the longest samples are three times as long


class Model(nn.Module):
    """Its loss takes as long as the batch says, on a clock that only it, the sum and the loader move."""

    def __init__(self, clock: list[float]) -> None:
        super().__init__()
        self.weight, self.clock = nn.Parameter(torch.ones(1)), clock

    def forward(self, length: torch.Tensor) -> "Model":
        self.clock[0] += COMPUTING * length.item()
        self.loss = (self.weight * length).sum()
        return self


def timed() -> dict[str, float]:
    """One rank's part, on its own clock; rank 1 has the longest samples."""
    clock = [0.0]
    snippet.perf_counter = lambda: clock[0]
    ddp = DistributedDataParallel(Model(clock).to(snippet.device()))

    def summed(group: dist.ProcessGroup, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        clock[0] += SUMMING
        return allreduce_hook(group, bucket)

    ddp.register_comm_hook(dist.group.WORLD, summed)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.0)

    class Loader:
        def __iter__(self):
            for _ in range(STEPS + 1):
                clock[0] += LOADING
                yield {"length": torch.tensor([1.0 + 2 * dist.get_rank()])}

    return snippet.five_ways(ddp, optimizer, Loader(), STEPS)


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, float]]:
    return on_ranks(timed, 2)


def test_each_way_adds_one_cost(ranks: list[dict[str, float]]) -> None:
    assert ranks[0] == pytest.approx({
        "alone": COMPUTING,
        "together": COMPUTING,
        "summed": COMPUTING + SUMMING,
        "own batches": 3 * COMPUTING + SUMMING,
        "loaded": 3 * COMPUTING + SUMMING + LOADING,
    })


def test_all_ranks_say_how_long_the_slowest_one_took(ranks: list[dict[str, float]]) -> None:
    assert ranks[0] == ranks[1]
    assert list(ranks[0]) == list(snippet.COSTS)
