"""The answers to the exercises on communication and on inference on many GPUs, computed from the formulas."""

import math

from communication import (
    FLOPS,
    LINKS,
    REACHED,
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
from exercises import (
    H100,
    LLAMA_8B,
    LLAMA_70B,
    attention_flops,
    cached_numbers,
    show,
    token_seconds,
    used_weights,
)
from law import Device, Work, product, seconds
from transformers import LlamaConfig

NVLINK, PCIE, INFINIBAND, ETHERNET = (Link(bandwidth) for bandwidth in REACHED.values())
ADAPTERS = Link(8 * INFINIBAND.bandwidth)  # eight of them, one for each GPU of a machine
WEIGHTS_70B, LAYERS_70B, HIDDEN_70B = 69_501_714_432, LLAMA_70B.num_hidden_layers, LLAMA_70B.hidden_size  # no embedding

# With the latency of a round with which NCCL's tuner computes.
LATENCIES = {"NVLink": 3.4e-6, "PCIe": 5.7e-6, "InfiniBand": 14e-6}
DELAYED = {name: Link(REACHED[name], latency) for name, latency in LATENCIES.items()}
BUCKET = 25 * 2**20  # bytes, of DDP
RINGS = {"NVLink": 8, "InfiniBand": 64}  # ranks, one in each machine over InfiniBand
# GB/s of the bus in an all-reduce over 8 H200s with this NVLink, by KiB: nccl-tests with NCCL 2.30.7, as published in
# https://github.com/stas00/ml-engineering/blob/0cc3de50b2dd083c34d848a1dcb5bfe65fe3dace/network/benchmarks/README.md
MEASURED = {
    2**5: 3.20, 2**6: 6.26, 2**7: 12.40, 2**8: 24.63, 2**9: 48.30, 2**10: 72.45, 2**11: 91.48, 2**12: 139.97,
    2**13: 182.03, 2**14: 242.45, 2**15: 298.44, 2**16: 369.82, 2**17: 411.21, 2**18: 442.27, 2**19: 455.82, 2**20: 464,
}  # fmt: skip
SIZES = tuple(10 ** (half / 2) for half in range(8, 19))  # bytes, from 10 kB to 1 GB

EXPERTS, CHOSEN, HIDDEN, WIDTH, LAYERS_OF_EXPERTS = 256, 8, 7168, 2048, 58  # DeepSeek V3

MODELS, RANKS = {"8B": LLAMA_8B, "70B": LLAMA_70B}, (1, 2, 4, 8)


def tokens_for(speedup: float, ranks: int, link: Link) -> float:
    """Tokens per rank at which DDP on so many ranks is so many times as fast as one, if the sum is not hidden."""
    share = speedup / ranks
    summed = all_reduce(4, ranks, link)  # of one weight
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
    sums = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True).sums()
    return sums * LAYERS_70B / stages * microbatches * all_reduce(2 * 4096 * HIDDEN_70B, 8, DELAYED["NVLink"])


def tensor_pipeline(step: Step, stages: int, microbatches: int) -> float:
    """As many tokens per rank in stages of 8 ranks that share each product; the last stage waits for the others."""
    busy = step.forward() + step.backward() + sums_in_stages(stages, microbatches)
    return (microbatches + stages - 1) / microbatches * busy


def sums_ms(config: LlamaConfig, summed: float) -> float:
    """The sums of a decoding step by tensor parallelism, two per layer, if one takes so many seconds."""
    return 1000 * 2 * config.num_hidden_layers * summed


def decoding_ms(config: LlamaConfig, ranks: int, sequences: int, context: int, latency: float = 1e-6) -> float:
    """A decoding step by tensor parallelism: its share of the weights and caches, and the sums in a ring."""
    summed = all_reduce(2 * config.hidden_size * sequences, ranks, Link(LINKS["NVLink"], latency))
    return 1000 * token_seconds(config, H100, sequences, context) / ranks + sums_ms(config, summed)


def best_ranks(config: LlamaConfig, weight: float = 2) -> float:
    """Ranks with which a token of one request takes least, by the latency of the sums alone."""
    return math.sqrt(token_seconds(config, H100, 1, 1024, weight) / (4 * config.num_hidden_layers * 1e-6))


def in_one_round_ms(config: LlamaConfig, ranks: int) -> float:
    """A token of one request if each rank sends the whole hidden state to all others at once."""
    summed = all_to_all(2 * config.hidden_size * ranks, ranks, Link(LINKS["NVLink"]))
    return 1000 * token_seconds(config, H100, 1, 1024) / ranks + sums_ms(config, summed + 1e-6)


def cache_gb(ranks: int) -> float:
    """GB on each rank of the caches of 32 requests with 8,192 tokens, of the 70B model, split into so many."""
    return 2 * cached_numbers(LLAMA_70B) * 32 * 8192 / ranks / 1e9


def prompt_gpus(answer: int) -> float:
    """GPUs that read prompts for each one that decodes 58 requests of 8,192 tokens, by the 8B model."""
    config, prompt = LLAMA_8B, 8192 - answer
    head = config.hidden_size * config.vocab_size
    flops = prompt * (2 * (used_weights(config) - head) + attention_flops(config, prompt / 2))
    return flops / H100.flops / (answer * token_seconds(config, H100, 58, 8192) / 58)


def half_rate(link: Link) -> float:
    """Bytes of a message that takes twice as long as by the bandwidth alone."""
    return link.latency * link.bandwidth


def share_of_rate(size: float, ranks: int, link: Link) -> float:
    """The share of the link's rate that an all-reduce of so many bytes reaches."""
    return all_reduce(size, ranks, Link(link.bandwidth)) / all_reduce(size, ranks, link)


def hidden_in_buckets(ranks: int, link: Link) -> float:
    """Tokens per rank from which DDP hides its sums in buckets, which reach only a share of the link's rate."""
    return hidden_from(ranks, link, FLOPS, 0, 8) / share_of_rate(BUCKET, ranks, link)


def size_for(share: float, ranks: int, link: Link) -> float:
    """Bytes of an all-reduce that reaches this share of the link's rate."""
    return share / (1 - share) * ranks * half_rate(link)


def collective_times(link: str) -> dict[str, list[tuple[float, float]]]:
    """MB and milliseconds of collectives in the ring over a link; the first is the size that reaches half of the rate.
    """
    ranks, reached = RINGS[link], DELAYED[link]
    sizes = (size_for(0.5, ranks, reached), *SIZES)
    return {name: [(size / 1e6, 1000 * collective(size, ranks, reached)) for size in sizes]
            for name, collective in (("all-reduce", all_reduce), ("all-gather", all_gather))}


def measured_ms(kib: int) -> float:
    """Milliseconds of a published all-reduce: in a ring, its 8 ranks would send 2 * 7/8 of its bytes at that rate."""
    return 1000 * all_reduce(1024 * kib, 8, Link(1e9 * MEASURED[kib]))


def fitted_ms(kib: int) -> float:
    """Milliseconds of it by a line: the smallest size without its bytes, and the rate of the largest."""
    first, last = min(MEASURED), max(MEASURED)
    return measured_ms(first) + 1000 * all_reduce(1024 * kib, 8, Link(1e9 * MEASURED[last]))


def exchange(size: float, ranks: int) -> float:
    """Seconds of an all-to-all in machines of 8: the slower one of NVLink to 7 ranks and the card to all others."""
    part = size / ranks
    return max(7 * part / NVLINK.bandwidth, (ranks - 8) * part / INFINIBAND.bandwidth)


def products_of_experts(tokens: float, ranks: int, weight: float) -> Work:
    """The products of a rank's experts in a layer of DeepSeek V3, if each rank has so many tokens and all experts get
    as many."""
    each, held = tokens * ranks * CHOSEN / EXPERTS, EXPERTS / ranks
    up, down = product(each, HIDDEN, WIDTH, weight), product(each, WIDTH, HIDDEN, weight)
    return Work(held * (2 * up.flops + down.flops), held * (2 * up.bytes + down.bytes))


def layer_of_experts(tokens: float, ranks: int, size: float) -> dict[str, float]:
    """Microseconds of its parts: products and dispatch in so many bytes per number, the way back always in bf16."""
    work = products_of_experts(tokens, ranks, weight=size)
    device = Device(FLOPS * 2 / size, H100.bandwidth)
    there, back = (exchange(each * tokens * CHOSEN * HIDDEN, ranks) for each in (size, 2))
    times = {
        "computing": work.flops / device.flops,
        "memory": work.bytes / device.bandwidth,
        "there": there,
        "back": back,
        "one batch": there + seconds(work, device) + back,
        "two batches in turn": max(there + back, seconds(work, device)),
    }
    return {name: 1e6 * each for name, each in times.items()}


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    long = Step(WEIGHTS_70B, 4096, FLOPS, recompute=True)
    fast, slow = (fsdp(long, 16, link) for link in (ADAPTERS, INFINIBAND))
    short = Step(WEIGHTS, 512, FLOPS)
    between = Link(INFINIBAND.bandwidth / 8)  # a rank's share of the only one
    attention = 1 + attention_flops(LLAMA_70B, 2048) / (2 * WEIGHTS_70B)
    return {
        "gradients over NVLink": (1000 * all_reduce(4 * WEIGHTS, 8, Link(LINKS["NVLink"])), "ms"),
        "gradients over PCIe": (1000 * all_reduce(4 * WEIGHTS, 8, PCIE), "ms"),
        "half the rate on NVLink": (half_rate(DELAYED["NVLink"]) / 1e6, "MB"),
        "half the rate on PCIe": (half_rate(DELAYED["PCIe"]) / 1e6, "MB"),
        "half the rate on InfiniBand": (half_rate(DELAYED["InfiniBand"]) / 1e6, "MB"),
        **{f"{kib} KiB by nccl-tests": (1000 * measured_ms(kib), "microseconds") for kib in (2**5, 2**10, 2**20)},
        **{f"{kib} KiB in the ring": (1e6 * all_reduce(1024 * kib, 8, DELAYED["NVLink"]), "microseconds")
           for kib in (2**5, 2**10, 2**20)},
        "a bucket over 8 ranks": (100 * share_of_rate(BUCKET, 8, DELAYED["NVLink"]), "percent"),
        "buckets hidden by NVLink": (hidden_in_buckets(8, DELAYED["NVLink"]), "tokens"),
        "buckets hidden by PCIe": (hidden_in_buckets(8, DELAYED["PCIe"]), "tokens"),
        "a bucket over 64 ranks": (100 * share_of_rate(BUCKET, 64, DELAYED["InfiniBand"]), "percent"),
        "a bucket for 90 percent over 64 ranks": (size_for(0.9, 64, DELAYED["InfiniBand"]) / 1e6, "MB"),
        "hidden by PCIe, tokens": (hidden_from(8, PCIE, FLOPS, 0, 8), "tokens"),
        "5 times as fast, tokens": (tokens_for(5, 8, PCIE), "tokens"),
        "latency of the fit": (1e3 * measured_ms(2**5) / 14, "microseconds"),
        "8192 KiB by nccl-tests": (1000 * measured_ms(2**13), "microseconds"),
        "8192 KiB by the fit": (1000 * fitted_ms(2**13), "microseconds"),
        "68 batches over Ethernet": (100 * efficiency_of(68, 4096, 8, ETHERNET), "percent"),
        "90 percent over Ethernet": (batches_for(0.9, 4096, 8, ETHERNET), "batches"),
        "64 ranks of 512 tokens": (100 * efficiency(short, ddp(short, 64, ADAPTERS)), "percent"),
        "70B on 16 ranks, computing": (long.forward() + long.backward(), "seconds"),
        "70B on 16 ranks, step": (fast, "seconds"),
        "70B on 16 ranks, tokens": (16 * 4096 / fast, "per second"),
        "70B on 16 ranks, 1 adapter": (slow, "seconds"),
        "70B on 16 ranks, HSDP": (hsdp(long, 8, NVLINK, 2, between), "seconds"),
        "70B on 16 ranks, HSDP with sums in bf16": (hsdp(long, 8, NVLINK, 2, between, 2), "seconds"),
        **{f"70B on {machines} machines, {name}": (taken, "seconds") for machines in (8, 32)
           for name, taken in (("FSDP", fsdp(long, 8 * machines, INFINIBAND)),
                               ("HSDP", hsdp(long, 8, NVLINK, machines, between)),
                               ("HSDP with sums in bf16", hsdp(long, 8, NVLINK, machines, between, 2)))},
        "70B on 16 ranks, 2 stages": (pipeline(long, 8, NVLINK, 2, 2), "seconds"),
        "70B on 16 ranks, 2 stages of 8 in tensor parallel": (tensor_pipeline(long, 2, 16), "seconds"),
        "sums inside 2 stages of 8 in tensor parallel": (sums_in_stages(2, 16), "seconds"),
        "70B on 16 ranks, with attention": (attention * fast, "seconds"),
        **{f"experts in {name}, {part}": (taken, "microseconds") for name, size in (("bf16", 2), ("FP8", 1))
           for part, taken in layer_of_experts(128, 64, size).items()},
        "experts of all layers in FP8": (
            LAYERS_OF_EXPERTS * layer_of_experts(128, 64, 1)["two batches in turn"] / 1000, "ms"),
        **{f"{name}, {sequences} x {context} tokens, {ranks} ranks": (
            decoding_ms(config, ranks, sequences, context), "ms")
           for name, config in MODELS.items() for sequences, context in ((1, 1024), (32, 8192)) for ranks in RANKS},
        **{f"fewest ms for {name}": (best_ranks(config), "ranks") for name, config in MODELS.items()},
        "fewest ms for 70B, 4-bit weights": (best_ranks(LLAMA_70B, 0.5), "ranks"),
        "70B on 8 ranks, sums in one round": (in_one_round_ms(LLAMA_70B, 8), "ms"),
        "70B on 16 ranks, messages of 5 us": (decoding_ms(LLAMA_70B, 16, 1, 1024, 5e-6), "ms"),
        "caches on 16 ranks, 8 heads": (cache_gb(8), "GB"),
        "caches on 16 ranks, 16 parts": (cache_gb(16), "GB"),
        "copies, 58 x 8192 tokens": (decoding_ms(LLAMA_8B, 1, 58, 8192), "ms"),
        "one group, 464 x 8192 tokens": (decoding_ms(LLAMA_8B, 8, 464, 8192), "ms"),
        **{f"for answers of {answer}": (prompt_gpus(answer), "GPUs") for answer in (256, 1024)},
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
    print("Collectives in a ring, MB and ms, at half of the rate first:")
    for link, ranks in RINGS.items():
        for name, times in collective_times(link).items():
            points = ", ".join(f"{size:.3f} {ms:.4f}" for size, ms in times)
            print(f"  {name} of {ranks} ranks on {link}: {points}")
    points = ", ".join(f"{1.024e-3 * kib:.3f} {measured_ms(kib):.4f}" for kib in MEASURED)
    print(f"  nccl-tests of 8 ranks on NVLink: {points}")
    print("A step of 70B on 16 ranks, seconds of computing and of sending in each pass:")
    for name, (forward, backward) in passes().items():
        print(f"  {name}: forward {forward[0]:.3f} and {forward[1]:.3f}, "
              f"backward {backward[0]:.3f} and {backward[1]:.3f}")


if __name__ == "__main__":
    main()
