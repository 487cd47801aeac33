"""The answers to the exercises of the page on serving, and its curves: milliseconds and tokens per second by batch."""

import sys
from math import ceil
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "memory"))
from bill import MEMORY, MODEL, cached, requests
from communication import LINKS, Link
from estimate import MODELS, inference
from exercises import H100, H100_FP8, show
from forecast import ANSWER, CONTEXT, NVLINK, REQUESTS, first_token, largest_batch, model_of, room, token

LARGE = model_of(MODELS["Llama 3.1 70B"])
DRAFTS = model_of(MODELS["Llama 3.2 1B"])
RING = Link(NVLINK.bandwidth, 1e-6)
CAPACITY = 80e9  # bytes of the GPU
SHORT = (1024, 256)  # tokens of a prompt and of its answer
FORMATS = {"bf16": (2, 2), "4-bit weights": (0.5, 2), "FP8 cache": (2, 1), "FP8 weights and cache": (1, 1)}
BATCHES = (1, 2, 4, 8, 10, 16, 32, 58)


def fits(weight: float, cache: float) -> int:
    """Requests that fit if nothing of the GPU is left free but the workspace of one whole prompt."""
    return requests(weight, cache, CAPACITY - inference(MODELS["Llama 3.1 8B"], 1, CONTEXT)["workspace"])


def half_batch(weight: float = 2, cache: float = 2) -> float:
    """The batch with half of the throughput that a memory-bound GPU has in the limit: its caches are the weights."""
    return weight * MODEL.weights / cached(CONTEXT, cache)


def limit(cache: float = 2) -> float:
    """Tokens per second if nothing but caches is read."""
    return H100.bandwidth / cached(CONTEXT, cache)


def kept(drafts: int, accepted: float) -> float:
    """Tokens per pass if each draft is accepted with this probability, and one is added."""
    return (1 - accepted ** (drafts + 1)) / (1 - accepted)


def gain(drafts: int, accepted: float) -> float:
    """How many times as fast one request is, with a draft model that reads its weights for each draft."""
    return kept(drafts, accepted) / (1 + drafts * DRAFTS.weights / MODEL.weights)


def group_room(gpus: int = 8, weight: float = 2) -> int:
    """Requests to the 70B model whose caches fit."""
    return requests(weight, 2, gpus * MEMORY, LARGE)


def group_token(gpus: int, weight: float, batch: int) -> float:
    """Seconds for a token of each in tensor parallelism, decoding alone; FP8 weights are multiplied in FP8."""
    output_layer = (2 - weight) * LARGE.head / H100.bandwidth / gpus
    return output_layer + token(LARGE, H100 if weight == 2 else H100_FP8, batch, CONTEXT, weight, 2, gpus, RING)


def groups() -> dict[str, tuple[int, float, float]]:
    """As many requests as fit on so many GPUs, milliseconds of a token, tokens per second and GPU."""
    found = {}
    for name, weight in (("bf16", 2), ("FP8 weights", 1)):
        for gpus in (2, 4, 8):
            if batch := group_room(gpus, weight):
                taken = group_token(gpus, weight, batch)
                found[f"{name}, {gpus} GPUs"] = batch, 1000 * taken, batch / taken / gpus
    return found


def group_batch(limit: float, *more: int) -> int:
    """Requests that 8 GPUs serve in bf16, with a token of each in time."""
    return largest_batch(limit, group_room(), LARGE, H100, CONTEXT, 2, 2, 8, RING, (1, 1), *more)


def fleet(limit: float = 0.025, demand: float = 100) -> dict[str, tuple[float, str]]:
    """H100s for so many requests per second with tokens in time: all read prompts and decode, or each does one."""
    found: dict[str, tuple[float, str]] = {}
    for name, more in (("both", REQUESTS), ("decoding", ())):
        batch = largest_batch(limit, fits(2, 2), MODEL, H100, CONTEXT, 2, 2, 1, None, (1, 1), *more)
        taken = token(MODEL, H100, batch, CONTEXT, 2, 2, 1, None, (1, 1), *more)
        found |= {
            f"{name}, requests": (batch, "requests"),
            f"{name}, token": (1000 * taken, "ms"),
            f"{name}, rate": (batch / ANSWER / taken, "per second"),
            f"{name}, H100s": (ceil(demand * ANSWER * taken / batch), "GPUs"),
        }
    taken = first_token(MODEL, H100, REQUESTS[0])
    return found | {"prompts, each": (1000 * taken, "ms"), "prompts, H100s": (ceil(demand * taken), "GPUs")}


def parts(batch: int) -> tuple[float, float, float]:
    """Milliseconds of a token for the weights, for the caches, and what the prompts add."""
    weights, cached = (token(MODEL, H100, batch, context) for context in (0, CONTEXT))
    served = token(MODEL, H100, batch, CONTEXT, prompt=REQUESTS[0], answer=ANSWER)
    return 1000 * weights, 1000 * (cached - weights), 1000 * (served - cached)


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    short = largest_batch(0.05, 1000, MODEL, H100, sum(SHORT), 2, 2, 1, None, (1, 1), *SHORT)
    return {
        "limit of the throughput": (limit(), "per second"),
        "limit of the throughput, FP8 cache": (limit(1), "per second"),
        "half of the limit": (half_batch(), "requests"),
        "half of the limit, 4-bit weights": (half_batch(0.5), "requests"),
        "half of the limit, FP8 cache": (half_batch(2, 1), "requests"),
        **fleet(),
        "short requests in 50 ms": (short, "requests"),
        "short requests that fit": (room(MODELS["Llama 3.1 8B"], CAPACITY / 1e9, sum(SHORT)), "requests"),
        "cache of a request": (cached(CONTEXT) / 1e9, "GB"),
        "cache over InfiniBand": (1000 * cached(CONTEXT) / LINKS["InfiniBand"], "ms"),
        "cache over NVLink": (1000 * cached(CONTEXT) / NVLINK.bandwidth, "ms"),
        "prefill beside it": (1000 * first_token(MODEL, H100, CONTEXT), "ms"),
        "cost of a draft": (DRAFTS.weights / MODEL.weights, "passes"),
        **{f"{drafts} drafts": (kept(drafts, 0.8), "tokens") for drafts in (4, 8)},
        **{f"{drafts} drafts by 1B": (gain(drafts, 0.8), "times") for drafts in (3, 4, 5, 8)},
        "70B on 8 GPUs": (group_room(), "requests"),
        "70B on 8 GPUs, decoding alone": (1000 * group_token(8, 2, group_room()), "ms"),
        "70B on 8 GPUs, prompts in 50 ms": (group_batch(0.05, *REQUESTS), "requests"),
    }


def curves() -> dict[str, list[tuple[int, float, float]]]:
    """Batches until memory is full, milliseconds of a token, tokens per second; the last curve reads the prompts."""
    def points(most: int, *options: float, **more: int) -> list[tuple[int, float, float]]:
        batches = [*(batch for batch in BATCHES if batch < most), most]
        taken = (token(MODEL, H100, batch, CONTEXT, *options, **more) for batch in batches)
        return [(batch, 1000 * each, batch / each) for batch, each in zip(batches, taken, strict=True)]

    found = {name: points(fits(*types), *types) for name, types in FORMATS.items()}
    return found | {"bf16, with the prompts": points(fits(2, 2), 2, 2, prompt=REQUESTS[0], answer=ANSWER)}


def main() -> None:
    show(answers())
    print("The 70B model, as many requests as fit, decoding alone:")
    for name, (batch, ms, rate) in groups().items():
        print(f"  {name}: {batch} requests, {ms:.1f} ms, {rate:.0f} per GPU")
    print(f"An 8B model on an H100, {CONTEXT:,} tokens each: requests, ms of a token, tokens per second:")
    for name, points in curves().items():
        print(f"  {name}: " + ", ".join(f"{batch} {ms:.2f} {rate:.0f}" for batch, ms, rate in points))
    print("In bf16: requests, ms of a token for the weights, for the caches, for the prompts:")
    print("  parts: " + ", ".join("{} {:.2f} {:.2f} {:.2f}".format(batch, *parts(batch)) for batch in BATCHES))


if __name__ == "__main__":
    main()
