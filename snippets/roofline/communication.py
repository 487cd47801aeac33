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


# Gradients are summed while the backward pass computes the next ones.
def ddp(step: Step, ranks: int, link: Link, gradient: float = 2) -> float:
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


# Two all-reduces per layer and pass; none of them is hidden.
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
    return compute + 4 * layers * one


# The share of the GPUs' time in which they compute.
def efficiency(step: Step, seconds: float) -> float:
    return (step.forward() + step.backward()) / seconds


# Tokens per rank above which the backward pass hides DDP's sum.
def hidden_from(
    ranks: int, link: Link, flops: float, gradient: float = 2
) -> float:
    summed = all_reduce(gradient, ranks, Link(link.bandwidth))
    return summed * flops / 4
# --8<-- [end:steps]


# Line rates in one direction: an H100's NVLink, PCIe 5.0, InfiniBand of 400 Gb/s, Ethernet of 25 Gb/s.
LINKS = {"NVLink": 450e9, "PCIe": 64e9, "InfiniBand": 50e9, "Ethernet": 25e9 / 8}
FLOPS = 0.5 * 989.4e12  # half of an H100's peak in bf16
WEIGHTS = 8.03e9
TOKENS = (512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)


def main() -> None:
    print("Gradients of 8B weights in bf16 summed over 8 ranks, seconds:")
    for name, bandwidth in LINKS.items():
        print(f"  {name}: {all_reduce(2 * WEIGHTS, 8, Link(bandwidth)):.2f}")
    print("Tokens per rank from which DDP hides the sum:")
    for name, bandwidth in LINKS.items():
        print(f"  hidden by {name}: {hidden_from(8, Link(bandwidth), FLOPS):,.0f}")
    for method in (ddp, fsdp):
        print(f"Efficiency of {method.__name__.upper()} by tokens per rank, percent:")
        print(" " * 12 + "".join(f" {tokens:>6}" for tokens in TOKENS))
        for name, bandwidth in LINKS.items():
            steps = (Step(WEIGHTS, tokens, FLOPS) for tokens in TOKENS)
            shares = (100 * efficiency(step, method(step, 8, Link(bandwidth))) for step in steps)
            print(f"  {name:10}" + "".join(f" {share:>6.0f}" for share in shares))


if __name__ == "__main__":
    main()
