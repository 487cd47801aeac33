"""The answers to the exercises of the page on communication, computed from its formulas."""

from dataclasses import replace

from communication import (
    FLOPS,
    LINKS,
    WEIGHTS,
    Link,
    Step,
    all_gather,
    all_reduce,
    all_to_all,
    ddp,
    efficiency,
    fsdp,
    hidden_from,
    reduce_scatter,
)
from communication import tensor_parallel as parallel_step
from exercises import LLAMA_8B, LLAMA_70B, attention_flops, show, used_weights
from transformers import LlamaConfig

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


def hsdp(step: Step, ranks: int, inside: Link, machines: int, between: Link, gradient: float = 4) -> float:
    """A step of FSDP in each machine; each rank sums its part of the gradients over the machines meanwhile."""
    summed = all_reduce(gradient * step.weights / ranks, machines, between)
    return max(fsdp(step, ranks, inside, gradient=gradient), step.forward() + summed)


def pipeline(step: Step, ranks: int, inside: Link, stages: int, microbatches: int) -> float:
    """As many tokens per rank in stages of one machine each, with FSDP inside; the last stage waits for the others."""
    one = Step(step.weights / stages, step.tokens * stages / microbatches, step.flops, step.recompute)
    return (microbatches + stages - 1) * fsdp(one, ranks, inside)


def sums_in_stages(stages: int, microbatches: int) -> float:
    """Seconds of a stage's sums in a step of the 70B model, a sequence of 4,096 tokens in each microbatch."""
    return 6 * LAYERS_70B / stages * microbatches * all_reduce(2 * 4096 * HIDDEN_70B, 8, NVLINK)


def tensor_pipeline(step: Step, stages: int, microbatches: int) -> float:
    """As many tokens per rank in stages of 8 ranks that share each product; the last stage waits for the others."""
    busy = step.forward() + step.backward() + sums_in_stages(stages, microbatches)
    return (microbatches + stages - 1) / microbatches * busy


def weights_of_layer(config: LlamaConfig) -> float:
    """The weights of a decoder layer, norms left out."""
    return (used_weights(config) - config.hidden_size * config.vocab_size) / config.num_hidden_layers


def half_ranks(layer: float, hidden: int, link: Link) -> float:
    """Ranks of tensor parallelism at which half of a step is sums: 16·(n - 1)·t·h / W takes as long as 6·P·t / F."""
    return 1 + 3 * layer * link.bandwidth / (8 * hidden * FLOPS)


def heads_exchange(config: LlamaConfig, tokens: float, ranks: int, link: Link) -> float:
    """Seconds in which Ulysses exchanges queries, keys, values and the output of a layer in the forward pass."""
    width = 2 * (config.num_attention_heads + config.num_key_value_heads) * config.head_dim
    return all_to_all(2 * width * tokens / ranks, ranks, link)


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
    between = Link(INFINIBAND.bandwidth / 8)  # a rank's share of the only one
    large, small = (weights_of_layer(config) for config in (LLAMA_70B, LLAMA_8B))
    attention = 1 + attention_flops(LLAMA_70B, 2048) / (2 * WEIGHTS_70B)
    far = attention_flops(LLAMA_70B, 131_072 / 2) / LAYERS_70B
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
        "70B on 16 ranks, HSDP": (hsdp(long, 8, NVLINK, 2, between), "seconds"),
        "70B on 16 ranks, HSDP with sums in bf16": (hsdp(long, 8, NVLINK, 2, between, 2), "seconds"),
        "70B on 16 ranks, 2 stages": (pipeline(long, 8, NVLINK, 2, 2), "seconds"),
        "70B on 16 ranks, 2 stages, 4 microbatches": (pipeline(replace(long, tokens=8192), 8, NVLINK, 2, 4), "seconds"),
        "70B on 16 ranks, 2 stages of 8 in tensor parallel": (tensor_pipeline(long, 2, 16), "seconds"),
        "sums inside 2 stages of 8 in tensor parallel": (sums_in_stages(2, 16), "seconds"),
        "70B on 16 ranks, with attention": (attention * fast, "seconds"),
        "half of a step of 70B is sums, NVLink": (half_ranks(large, 8192, NVLINK), "ranks"),
        "half of a step of 70B is sums, 1 adapter": (half_ranks(large, 8192, INFINIBAND), "ranks"),
        "half of a step of 8B is sums, NVLink": (half_ranks(small, 4096, NVLINK), "ranks"),
        "exchange of Ulysses, a layer's": (1000 * heads_exchange(LLAMA_70B, 131_072, 8, NVLINK), "ms"),
        "a layer beside the exchange": (1000 * (2 * large + far) * 131_072 / 8 / FLOPS, "ms"),
        "70B on 64 ranks, 2 in tensor parallel": (mesh_step(2), "seconds"),
        "70B on 64 ranks, 8 in tensor parallel": (mesh_step(8), "seconds"),
        "all-to-all, a layer's": (1000 * all_to_all(exchange, 8, NVLINK), "ms"),
        "all-to-all, a step's": (1000 * 4 * 32 * all_to_all(exchange, 8, NVLINK), "ms"),
    }



Passes = tuple[tuple[float, float], tuple[float, float]]  # forward and backward: seconds of computing, of sending


def passes() -> dict[str, Passes]:
    """What runs beside what in a step of the 70B model on 16 ranks, by the way that the ranks share it."""
    step = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True)

    def shared(ranks: int, link: Link, summed: float = 0) -> Passes:
        gathered = all_gather(2 * step.weights, ranks, link)
        sent = max(gathered + reduce_scatter(4 * step.weights, ranks, link), summed)
        return (step.forward(), gathered), (step.backward(), sent)

    between = Link(INFINIBAND.bandwidth / 8)
    summed = {size: all_reduce(size * step.weights / 8, 2, between) for size in (4, 2)}
    return {
        "FSDP, 8 adapters": shared(16, ADAPTERS),
        "FSDP, 1 adapter": shared(16, INFINIBAND),
        "HSDP, 1 adapter": shared(8, NVLINK, summed[4]),
        "HSDP in bf16, 1 adapter": shared(8, NVLINK, summed[2]),
    }


def main() -> None:
    show(answers())
    print("A step of 70B on 16 ranks, seconds of computing and of sending in each pass:")
    for name, (forward, backward) in passes().items():
        print(f"  {name}: forward {forward[0]:.3f} and {forward[1]:.3f}, "
              f"backward {backward[0]:.3f} and {backward[1]:.3f}")


if __name__ == "__main__":
    main()
