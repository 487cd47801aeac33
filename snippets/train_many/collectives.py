"""The four collectives on four ranks: what each has before and after."""

import torch
import torch.distributed as dist
from _train_many import device, on_ranks

RANKS = 4


def own(parts: int) -> torch.Tensor:
    """This rank's parts, whose digits say in a sum which ranks are in it: rank 1 has 10, 20, 30 and 40."""
    return torch.arange(1, parts + 1, device=device()) * 10 ** dist.get_rank()


def all_reduce() -> tuple[torch.Tensor, torch.Tensor]:
    before = own(RANKS)
    after = before.clone()
    dist.all_reduce(after)
    return before, after


def reduce_scatter() -> tuple[torch.Tensor, torch.Tensor]:
    before = own(RANKS)
    after = torch.empty_like(before[:1])
    dist.reduce_scatter_single(after, before)
    return before, after


def all_gather() -> tuple[torch.Tensor, torch.Tensor]:
    before = own(1)
    after = before.new_empty(RANKS)
    dist.all_gather_single(after, before)
    return before, after


def all_to_all() -> tuple[torch.Tensor, torch.Tensor]:
    before = own(RANKS)
    after = torch.empty_like(before)
    dist.all_to_all_single(after, before)
    return before, after


COLLECTIVES = {
    "all-reduce": all_reduce,
    "reduce-scatter": reduce_scatter,
    "all-gather": all_gather,
    "all-to-all": all_to_all,
}


def parts() -> dict[str, tuple[list[int], list[int]]]:
    """What this rank has before and after each collective."""
    return {name: tuple(each.tolist() for each in run()) for name, run in COLLECTIVES.items()}


def main() -> None:
    ranks = on_ranks(parts, RANKS)
    for name in COLLECTIVES:
        print(name)
        for rank, seen in enumerate(ranks):
            before, after = (" ".join(map(str, each)) for each in seen[name])
            print(f"  rank {rank}: {before} -> {after}")


if __name__ == "__main__":
    main()
