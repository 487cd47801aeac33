"""What a million answered tokens of an 8B model cost in hours of an H100, by the law, and what halves that."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "memory"))
from estimate import MODELS
from exercises import H100, H100_FP8
from forecast import ANSWER, CONTEXT, model_of, token
from law import Device

MEMORY = 0.9 * 80e9 - 1e9  # what an engine takes of the GPU, less its workspace
MODEL = model_of(MODELS["Llama 3.1 8B"])
TABLES = 2 * MODEL.head  # weights of the embedding and of the output layer, which stay in bf16
FORMATS = {  # bytes per weight, bytes per number of the cache, the GPU
    "bf16": (2, 2, H100),
    "FP8 weights and operations": (1, 2, H100_FP8),
    "FP8 cache": (2, 1, H100),
    "both in FP8": (1, 1, H100_FP8),
}
PROMPT = CONTEXT - ANSWER
READ = {"decoding alone": 0, "all prompts": PROMPT, "an eighth": PROMPT // 8}  # tokens of a prompt that are read


def requests(weight: float, cache: float) -> int:
    """Requests whose caches fit beside the weights."""
    held = weight * (MODEL.weights - MODEL.head) + 2 * TABLES
    return int((MEMORY - held) // (cache * MODEL.layers * MODEL.cache * CONTEXT))


def seconds(batch: int, weight: float, cache: float, device: Device, prompt: int, answer: int = ANSWER) -> float:
    """A token of each request, with so many tokens of each prompt read on the same GPU."""
    return token(MODEL, device, batch, CONTEXT, weight, cache, 1, None, (1, 1), prompt, answer)


def hours(batch: int, taken: float) -> float:
    """Hours of the GPU for a million tokens of answers."""
    return 1e6 / batch * taken / 3600


def main() -> None:
    print(f"Llama 3.1 8B on one H100, requests of {CONTEXT:,} tokens, {ANSWER} of them the answer; at best:")
    print(f"  for weights and caches: {MEMORY / 1e9:.1f} GB")
    for name, (weight, cache, device) in FORMATS.items():
        batch = requests(weight, cache)
        for read, prompt in READ.items():
            taken = seconds(batch, weight, cache, device, prompt)
            print(f"  {name}, {read}: {batch} requests, {1000 * taken:.1f} ms, {hours(batch, taken):.3f} hours")


if __name__ == "__main__":
    main()
