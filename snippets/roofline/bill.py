"""What a million answered tokens of an 8B model cost in hours of an H100, by the law, and what halves that."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "memory"))
import law
from estimate import MODELS
from exercises import H100, H100_FP8
from forecast import ANSWER, CONTEXT, Model, largest_batch, mixed_batch, model_of, token
from law import Device, Work
from published import DATA, share

MEMORY = 0.9 * 80e9 - 1e9  # what an engine takes of the GPU, less its workspace
MODEL = model_of(MODELS["Llama 3.1 8B"])
FORMATS = {  # bytes per weight, bytes per number of the cache, the GPU
    "bf16": (2, 2, H100),
    "FP8 weights and operations": (1, 2, H100_FP8),
    "FP8 cache": (2, 1, H100),
    "both in FP8": (1, 1, H100_FP8),
}
PROMPT = CONTEXT - ANSWER
READ = {"decoding alone": 0, "all prompts": PROMPT, "an eighth": PROMPT // 8}  # tokens of a prompt that are read


def cached(context: int, cache: float = 2, model: Model = MODEL) -> float:
    """Bytes of one request's keys and values."""
    return cache * model.layers * model.cache * context


def requests(weight: float, cache: float, memory: float = MEMORY, model: Model = MODEL) -> int:
    """Requests whose caches fit beside the weights; embedding and output layer stay in bf16."""
    held = weight * (model.weights - model.head) + 2 * 2 * model.head
    return max(0, int((memory - held) // cached(CONTEXT, cache, model)))


def seconds(batch: int, weight: float, cache: float, device: Device, read: int) -> float:
    """A token of each request, with so many tokens of each prompt read on the same GPU; attention computes in bf16."""
    seen = PROMPT - read / 2  # those that are read see the ones in a prefix cache too
    tokens = batch * read / ANSWER
    products, *attention = mixed_batch(MODEL, batch, CONTEXT, tokens, seen, weight, cache)
    bytes_read = products.bytes + (2 - weight) * MODEL.head  # the output layer's stay in bf16
    computing = law.seconds(Work(products.flops, bytes_read), device)
    return computing + sum(law.seconds(work, H100) for work in attention)


def hours(batch: int, taken: float) -> float:
    """Hours of the GPU for a million tokens of answers."""
    return 1e6 / batch * taken / 3600


def flags(limit: float) -> tuple[int, float, float]:
    """The most requests in bf16 that get a token in time from the GPU that reads all prompts; tokens and time a step.

    Decoding reaches a published share of the bandwidth, and the prompts half of the peak rate.
    """
    reached = (share(DATA["runs"]["decode Llama 2 7B, fp16"]), 0.5)
    options = (CONTEXT, 2, 2, 1, None, reached, PROMPT, ANSWER)
    batch = largest_batch(limit, requests(2, 2), MODEL, H100, *options)
    return batch, batch + batch * PROMPT / ANSWER, token(MODEL, H100, batch, *options)


def main() -> None:
    print(f"Llama 3.1 8B on one H100, requests of {CONTEXT:,} tokens, {ANSWER} of them the answer; at best:")
    print(f"  for weights and caches: {MEMORY / 1e9:.1f} GB")
    for name, (weight, cache, device) in FORMATS.items():
        batch = requests(weight, cache)
        for of_prompt, read in READ.items():
            taken = seconds(batch, weight, cache, device, read)
            print(f"  {name}, {of_prompt}: {batch} requests, {1000 * taken:.1f} ms, {hours(batch, taken):.3f} hours")
    batch, tokens, taken = flags(0.05)
    print(f"  to expect in 50 ms, all prompts: {batch} requests, {tokens:.0f} tokens in a step, {1000 * taken:.1f} ms")


if __name__ == "__main__":
    main()
