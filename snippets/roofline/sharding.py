"""Parallelism derived: the collective that follows from a split, and from which size on computing takes longer."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch.distributed as dist
from communication import REACHED
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore

# isort: split
# --8<-- [start:imports]
from communication import Link, Step, all_reduce, fsdp

# --8<-- [end:imports]
# isort: split
# --8<-- [start:placements]
import torch
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

# How x, w and dy are placed if the ranks split tokens, ...
PLACEMENTS = {
    "tokens": (Shard(0), Replicate(), Shard(0)),
    "inputs": (Shard(1), Shard(0), Replicate()),
    "outputs": (Replicate(), Shard(1), Shard(1)),
}


# How y, dx and dw are placed then: PyTorch derives it by these rules.
def products(mesh, along: str):
    sizes = (8, 4), (4, 12), (8, 12)
    x, w, dy = (
        distribute_tensor(torch.randn(size), mesh, [placement])
        for size, placement in zip(sizes, PLACEMENTS[along], strict=True)
    )
    x.requires_grad_()
    w.requires_grad_()
    y = x @ w
    y.backward(dy)
    return [tensor.placements[0] for tensor in (y, x.grad, w.grad)]
# --8<-- [end:placements]


# --8<-- [start:block]
# Two layers: t tokens, d features in and out, f between the layers.
DIMENSIONS = {"x": "td", "w1": "df", "h": "tf", "w2": "fd", "y": "td"}
FORWARD = [("x", "w1", "h"), ("h", "w2", "y")]
BACKWARD = [
    ("dy", "w2", "dh"),
    ("h", "dy", "dw2"),
    ("dh", "w1", "dx"),
    ("x", "dh", "dw1"),
]


def dimensions(name: str) -> str:
    return DIMENSIONS[name.removeprefix("d")]


# What the ranks send before and after the products. With `sharded`,
# they hold the weights in parts, and gather each one to use it.
def collectives(products, along: str, sharded: bool = False):
    for *inputs, output in products:
        for name in inputs:
            if sharded and "w" in name:
                yield "all-gather", name
        if along not in dimensions(output):
            kept = sharded and "w" in output
            yield "reduce-scatter" if kept else "all-reduce", output
# --8<-- [end:block]


# --8<-- [start:conditions]
# Operations in the time in which the link sends a byte.
def link_ridge(flops: float, bandwidth: float) -> float:
    return flops / bandwidth


# Tokens per rank whose backward pass, 4 operations per weight and
# token, takes as long as sending so many bytes per weight.
def tokens_to_hide(sent: float, ranks: float, ridge: float) -> float:
    return sent * (ranks - 1) / ranks / 4 * ridge


# Ranks of tensor parallelism that sum as long as they compute: per
# token, 16 bytes for each feature, 6 operations for each weight.
def half_ranks(layer: float, hidden: int, ridge: float) -> float:
    return 1 + 3 * layer / (8 * hidden * ridge)


# Tokens per rank whose attention takes as long as gathering the keys
# and values. Both grow with the number of ranks, which cancels.
def context_tokens(keys: int, queries: int, ridge: float) -> float:
    return 2 * keys / queries * ridge


# The width of an expert that computes as long as its tokens travel.
def expert_width(ridge: float) -> float:
    return 2 / 3 * ridge
# --8<-- [end:conditions]


# --8<-- [start:mixed]
# FSDP over `data` groups of `tensor` ranks that share each product.
def mixed(
    step: Step,
    data: int,
    tensor: int,
    inside: Link,
    between: Link,
    layers: int,
    hidden: int,
) -> float:
    layer = Step(
        step.weights / layers / tensor,
        step.tokens * tensor,
        step.flops,
        step.recompute,
    )
    one = all_reduce(2 * layer.tokens * hidden, tensor, inside)
    return layers * (fsdp(layer, data, between) + step.sums() * one)
# --8<-- [end:mixed]


METHODS = {"data parallelism": ("t", False), "FSDP": ("t", True), "tensor parallelism": ("f", False)}
FLOPS = 0.5 * 989.4e12  # half of an H100's peak in bf16
ADAPTERS = Link(8 * REACHED["InfiniBand"])  # of the 8 GPUs of a machine, together
NVLINK = Link(REACHED["NVLink"], 3.4e-6)  # with the latency of a round by NCCL's tuner
LAYER_70B, HIDDEN_70B = 855_638_016, 8192
TOKENS = tuple(round(2 ** (half / 2)) for half in range(12, 25))  # from 64 to 4,096
SPLITS = (1, 2, 4, 8)  # ranks that share each product


@contextmanager
def four_ranks() -> Iterator[DeviceMesh]:
    """A mesh of four ranks of which this process is the first; the others are not there, and nothing is sent."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
    yield init_device_mesh("cpu", (4,))
    dist.destroy_process_group()


def efficiency(tokens: float, ranks: int, tensor: int, between: Link) -> float:
    """The share of a step in which the ranks compute a layer of the 70B model."""
    step = Step(LAYER_70B, tokens, FLOPS)
    taken = mixed(step, ranks // tensor, tensor, NVLINK, between, 1, HIDDEN_70B)
    return (step.forward() + step.backward()) / taken


def points(ranks: int, tensor: int, link: Link) -> list[tuple[float, float]]:
    """Tokens per rank and percents, with the batches from which on each pass hides what FSDP sends."""
    between = link if ranks == 8 else Link(link.bandwidth / tensor)
    ridge = link_ridge(FLOPS, between.bandwidth)
    corners = (tokens_to_hide(sent / tensor, ranks // tensor, ridge) for sent in (4, 6))
    batches = sorted({*TOKENS, *map(round, corners)} - {0})
    return [(tokens, 100 * efficiency(tokens, ranks, tensor, between)) for tokens in batches]


def shown(products: list[tuple[str, str, str]], along: str, sharded: bool) -> Iterator[str]:
    """Each product with the dimensions of its matrices, and what is sent before and after it."""
    for product in products:
        sent = " ".join(f"{action} {name}" for action, name in collectives([product], along, sharded))
        left, right, output = (f"{name}[{dimensions(name)}]" for name in product)
        yield f"{left} {right} -> {output}: {sent or 'nothing'}"


def main() -> None:
    print("How the products are placed if 4 ranks split:")
    with four_ranks() as mesh:
        for along in PLACEMENTS:
            found = zip(("y", "dx", "dw"), products(mesh, along), strict=True)
            print(f"  {along}: " + ", ".join(f"{name} {placement}" for name, placement in found))
    for name, (along, sharded) in METHODS.items():
        print(f"A block with {name}, split along {along}:")
        for line in (*shown(FORWARD, along, sharded), *shown(BACKWARD, along, sharded)):
            print(f"  {line}")
    print("Operations per byte of a link at half of an H100's peak:")
    for name, bandwidth in (REACHED | {"8 adapters": ADAPTERS.bandwidth}).items():
        print(f"  ridge of {name}: {link_ridge(FLOPS, bandwidth):,.0f}")
    print("Tokens per rank, and percent of a step in which the ranks compute:")
    for ranks, link in ((8, NVLINK), (64, ADAPTERS)):
        for tensor in SPLITS:
            line = ", ".join(f"{tokens} {share:.1f}" for tokens, share in points(ranks, tensor, link))
            print(f"  {ranks} ranks, {tensor} share each product: {line}")


if __name__ == "__main__":
    main()
