"""What communication costs, by the law: collectives by link, and the steps of DDP, FSDP and tensor parallelism."""

# --8<-- [start:collectives]
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    bandwidth: float  # bytes per second that a rank sends
    latency: float = 0  # seconds until a message arrives


# In a ring: ranks - 1 rounds, each sends a part of the whole.
def all_gather(size: float, ranks: int, link: Link) -> float:
    part = size / ranks
    return (ranks - 1) * (link.latency + part / link.bandwidth)


reduce_scatter = all_to_all = all_gather


def all_reduce(size: float, ranks: int, link: Link) -> float:
    scatter = reduce_scatter(size, ranks, link)
    return scatter + all_gather(size, ranks, link)
# --8<-- [end:collectives]


# --8<-- [start:steps]
# A step of one rank: 2 operations per weight and token forward, 4 backward.
@dataclass(frozen=True)
class Step:
    weights: float
    tokens: float  # per rank
    flops: float  # per second, what the products reach
    recompute: bool = False  # gradient checkpointing

    def forward(self) -> float:
        return 2 * self.weights * self.tokens / self.flops

    def backward(self) -> float:
        return (3 if self.recompute else 2) * self.forward()

    # Sums of tensor parallelism in a layer: two in each pass, and one
    # of the forward pass again, as the backward pass needs no second.
    def sums(self) -> int:
        return 5 if self.recompute else 4


# Gradients are summed while the backward pass computes the next ones.
def ddp(step: Step, ranks: int, link: Link, gradient: float = 4) -> float:
    summed = all_reduce(gradient * step.weights, ranks, link)
    return step.forward() + max(step.backward(), summed)


# Weights are gathered in both passes, ahead of the layer that needs them.
def fsdp(
    step: Step,
    ranks: int,
    link: Link,
    weight: float = 2,
    gradient: float = 4,
) -> float:
    gathered = all_gather(weight * step.weights, ranks, link)
    scattered = reduce_scatter(gradient * step.weights, ranks, link)
    forward = max(step.forward(), gathered)
    return forward + max(step.backward(), gathered + scattered)


# The all-reduces of a layer; none of them is hidden.
def tensor_parallel(
    step: Step,
    ranks: int,
    link: Link,
    layers: int,
    hidden: int,
    size: float = 2,
) -> float:
    one = all_reduce(step.tokens * hidden * size, ranks, link)
    compute = (step.forward() + step.backward()) / ranks
    return compute + step.sums() * layers * one


# The share of the GPUs' time in which they compute.
def efficiency(step: Step, seconds: float) -> float:
    return (step.forward() + step.backward()) / seconds


# Tokens per rank from which on all is hidden, by the bytes of a weight
# that are sent beside the forward and beside the backward pass.
def hidden_from(
    ranks: int, link: Link, flops: float, forward: float, backward: float
) -> float:
    share = (ranks - 1) / ranks / link.bandwidth
    return max(forward / 2, backward / 4) * share * flops
# --8<-- [end:steps]


# Line rates in one direction: an H100's NVLink, PCIe 5.0, InfiniBand of 400 Gb/s, Ethernet of 25 Gb/s.
LINKS = {"NVLink": 450e9, "PCIe": 64e9, "InfiniBand": 50e9, "Ethernet": 25e9 / 8}
# What NCCL reaches of them, where that is published: predictions take it, as they take what products reach.
REACHED = LINKS | {"NVLink": 370e9, "InfiniBand": 47e9}
FLOPS = 0.5 * 989.4e12  # half of an H100's peak in bf16
WEIGHTS = 8.03e9
TOKENS = tuple(round(2 ** (half / 2)) for half in range(18, 31))  # from 512 to 32,768

# Bytes of a weight that a rank of many sends beside each pass.
SENT = {"DDP": (0, 8), "DDP in bf16": (0, 4), "FSDP": (2, 6)}
PLACES = {
    "NVLink": (8, REACHED["NVLink"]),
    "PCIe": (8, REACHED["PCIe"]),
    "InfiniBand": (8, REACHED["InfiniBand"]),
    "8 adapters": (64, 8 * REACHED["InfiniBand"]),
    "Ethernet": (8, REACHED["Ethernet"]),
}


def points(method: str, link: Link) -> list[tuple[float, float]]:
    """Tokens of each of 8 ranks, and percents; with those from which each pass hides what is sent beside it."""
    forward, backward = SENT[method]
    corners = (hidden_from(8, link, FLOPS, *sent) for sent in ((forward, 0), (0, backward)))
    steps = (Step(WEIGHTS, tokens, FLOPS) for tokens in sorted({*TOKENS, *map(round, corners)} - {0}))
    taken = {"DDP": ddp, "FSDP": fsdp}[method]
    return [(step.tokens, 100 * efficiency(step, taken(step, 8, link))) for step in steps]


def main() -> None:
    print("Tokens per rank from which on all is hidden:")
    print(" " * 12 + "".join(f" {name.removeprefix('DDP in '):>8}" for name in SENT))
    for name, (ranks, bandwidth) in PLACES.items():
        hidden = (hidden_from(ranks, Link(bandwidth), FLOPS, *sent) for sent in SENT.values())
        print(f"  {name:10}" + "".join(f" {tokens:>8,.0f}" for tokens in hidden))
    print("Tokens of each of 8 ranks, and the percent of a step in which they compute:")
    for method in ("DDP", "FSDP"):
        for name in ("NVLink", "PCIe", "InfiniBand"):
            pairs = ", ".join(f"{tokens} {share:.1f}" for tokens, share in points(method, Link(REACHED[name])))
            print(f"  {method} over {name}: {pairs}")


if __name__ == "__main__":
    main()
