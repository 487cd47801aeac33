"""The answers to the exercises of the page on communication, computed from its formulas."""

from communication import FLOPS, LINKS, WEIGHTS, Link, Step, all_reduce, all_to_all, ddp, efficiency, fsdp, hidden_from
from communication import tensor_parallel as parallel_step
from exercises import LLAMA_70B, show

NVLINK, PCIE, INFINIBAND, ETHERNET = (Link(bandwidth) for bandwidth in LINKS.values())
ADAPTERS = Link(8 * INFINIBAND.bandwidth)  # eight of them, one for each GPU of a machine
WEIGHTS_70B, LAYERS_70B, HIDDEN_70B = 69_501_714_432, LLAMA_70B.num_hidden_layers, LLAMA_70B.hidden_size  # no embedding


def tokens_for(speedup: float, ranks: int, link: Link) -> float:
    """Tokens per rank at which DDP on so many ranks is so many times as fast as one, if the sum is not hidden."""
    share = speedup / ranks
    summed = all_reduce(2, ranks, link)  # of one weight
    return share * summed * FLOPS / (6 - 2 * share)


def efficiency_of(batches: float, tokens: float, ranks: int, link: Link) -> float:
    """The efficiency of DDP that accumulates so many batches: only the last one overlaps with the sum."""
    batch = Step(1, tokens, FLOPS)
    computing = batches * (batch.forward() + batch.backward())
    return computing / (computing + exposed(batch, ranks, link))


def batches_for(share: float, tokens: float, ranks: int, link: Link) -> float:
    """Accumulated batches after which the efficiency of DDP is this share."""
    batch = Step(1, tokens, FLOPS)
    return share / (1 - share) * exposed(batch, ranks, link) / (batch.forward() + batch.backward())


def exposed(batch: Step, ranks: int, link: Link) -> float:
    """Seconds of the sum that the backward pass does not hide."""
    return ddp(batch, ranks, link) - batch.forward() - batch.backward()


def speedup(ranks: int, link: Link) -> float:
    """How much faster tensor parallelism makes a step of the 70B model."""
    step = Step(WEIGHTS_70B, 4096, FLOPS)
    return (step.forward() + step.backward()) / parallel_step(step, ranks, link, LAYERS_70B, HIDDEN_70B)


def hsdp(step: Step, ranks: int, inside: Link, machines: int, between: Link) -> float:
    """A step of FSDP in each machine; each rank sums its part of the fp32 gradients over the machines meanwhile."""
    summed = all_reduce(4 * step.weights / ranks, machines, between)
    return max(fsdp(step, ranks, inside), step.forward() + summed)


def mesh_step(tensor: int) -> float:
    """A step of 32 sequences on 64 ranks: so many share each product in a machine, and FSDP has rings over the rest."""
    step = Step(WEIGHTS_70B / tensor, 32 * 4096 * tensor / 64, FLOPS, recompute=True)
    one = all_reduce(2 * step.tokens * HIDDEN_70B, tensor, NVLINK)
    return fsdp(step, 64 // tensor, Link(ADAPTERS.bandwidth / tensor)) + 6 * LAYERS_70B * one


def decoding_ms(ranks: int, latency: float) -> float:
    """A token of the 70B model by tensor parallelism: its share of the weights, and two sums per layer."""
    summed = all_reduce(2 * HIDDEN_70B, ranks, Link(NVLINK.bandwidth, latency))
    return 1000 * (2 * WEIGHTS_70B / ranks / 3.35e12 + 2 * LAYERS_70B * summed)


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    long = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True)
    fast, slow = (fsdp(long, 16, link) for link in (ADAPTERS, INFINIBAND))
    short = Step(WEIGHTS, 512, FLOPS)
    exchange = 4096 * 2 * 4096 * 2  # tokens, experts of each, features, bytes
    return {
        "gradients over NVLink": (1000 * all_reduce(2 * WEIGHTS, 8, NVLINK), "ms"),
        "gradients over PCIe": (1000 * all_reduce(2 * WEIGHTS, 8, PCIE), "ms"),
        "latency as long as the transfer": (8 * 5e-6 * NVLINK.bandwidth / 1e6, "MB"),
        "hidden by PCIe, tokens": (hidden_from(8, PCIE, FLOPS), "tokens"),
        "5 times as fast, tokens": (tokens_for(5, 8, PCIE), "tokens"),
        "with 4096 tokens, times": (8 * efficiency(step := Step(WEIGHTS, 4096, FLOPS), ddp(step, 8, PCIE)), "times"),
        "34 batches over Ethernet": (100 * efficiency_of(34, 4096, 8, ETHERNET), "percent"),
        "90 percent over Ethernet": (batches_for(0.9, 4096, 8, ETHERNET), "batches"),
        "64 ranks of 512 tokens": (100 * efficiency(short, ddp(short, 64, ADAPTERS)), "percent"),
        "2 ranks, tensor parallel": (speedup(2, NVLINK), "times"),
        "8 ranks, tensor parallel": (speedup(8, NVLINK), "times"),
        "16 ranks, 8 adapters": (speedup(16, ADAPTERS), "times"),
        "16 ranks, 1 adapter": (speedup(16, INFINIBAND), "times"),
        "decoding on 2 ranks": (decoding_ms(2, 1e-6), "ms"),
        "decoding on 8 ranks": (decoding_ms(8, 1e-6), "ms"),
        "decoding on 8 ranks, without latency": (decoding_ms(8, 0), "ms"),
        "70B on 16 ranks, computing": (long.forward() + long.backward(), "seconds"),
        "70B on 16 ranks, step": (fast, "seconds"),
        "70B on 16 ranks, tokens": (16 * 4096 / fast, "per second"),
        "70B on 16 ranks, 1 adapter": (slow, "seconds"),
        "70B on 16 ranks, HSDP": (hsdp(long, 8, NVLINK, 2, Link(INFINIBAND.bandwidth / 8)), "seconds"),
        "70B on 64 ranks, 2 in tensor parallel": (mesh_step(2), "seconds"),
        "70B on 64 ranks, 8 in tensor parallel": (mesh_step(8), "seconds"),
        "all-to-all, a layer's": (1000 * all_to_all(exchange, 8, NVLINK), "ms"),
        "all-to-all, a step's": (1000 * 4 * 32 * all_to_all(exchange, 8, NVLINK), "ms"),
    }


if __name__ == "__main__":
    show(answers())
