"""How many requests fit beside the weights of Llama 3.1 8B, and how fast they can be served at most, by formulas."""

# --8<-- [start:imports]
from estimate import MODELS, inference, parameters

# --8<-- [end:imports]

# --8<-- [start:weights]
# Bytes per weight in the linear layers of bitsandbytes: NF4 has a
# scale for 64 weights in 8 bits, and in fp32 one for 256 scales.
BYTES = {
    "bf16": 2,
    "8-bit": 1,
    "4-bit": 1 / 2 + (1 + 4 / 256) / 64,
}


def weight_bytes(shape, kind):
    linear = shape.layers * sum(r * c for r, c in shape.linear())
    scales = 4 * shape.layers * sum(r for r, _ in shape.linear())
    unquantized = 2 * (parameters(shape) - linear)
    extra = scales if kind == "8-bit" else 0  # one for each row
    return BYTES[kind] * linear + unquantized + extra


def cache_bytes(shape, tokens, bits=16):
    _, key = shape.widths()
    return 2 * shape.layers * key * tokens * bits // 8


# --8<-- [end:weights]


# --8<-- [start:requests]
# A server reads prompts in pieces, so the workspace is that of a piece,
# and a layer whose weights are back in bf16.
def workspace_bytes(shape, piece=2048):
    largest = max(r * c for r, c in shape.linear())
    return inference(shape, 1, piece)["workspace"] + 2 * largest


def requests_that_fit(shape, budget, kind, bits, length):
    room = budget - weight_bytes(shape, kind) - workspace_bytes(shape)
    return max(0, int(room // cache_bytes(shape, length, bits)))


# --8<-- [end:requests]


# --8<-- [start:speed]
# A step reads all weights but the embedding, and every request's cache.
def bytes_read(shape, kind, bits, length, requests):
    # A tied embedding is also the output layer, which is read.
    embedding = 2 * shape.vocabulary * shape.hidden * (not shape.tied)
    cache = requests * cache_bytes(shape, length, bits)
    return weight_bytes(shape, kind) - embedding + cache


def tokens_per_second(bandwidth, shape, kind, bits, length, requests):
    step = bytes_read(shape, kind, bits, length, requests) / bandwidth
    return requests / step


# --8<-- [end:speed]

LLAMA = MODELS["Llama 3.1 8B"]
GPU = 15.61 * 2**30  # bytes that PyTorch sees of an RTX A4000
BUDGET = 0.9 * GPU  # the rest is for what is not a tensor
BANDWIDTH = 448e9  # bytes per second of an RTX A4000
LENGTHS = (2048, 8192, 32_768, 131_072)
SERVED = 8192


def main() -> None:
    print(f"GPU in GB: {GPU / 1e9:.2f}")
    print(f"Budget in GB: {BUDGET / 1e9:.2f}")
    print(f"Requests that fit, by tokens per request, and at most so many tokens per second with {SERVED:,}")
    print(" " * 25, *(f"{length:>9,}" for length in LENGTHS), f"{'alone':>9} {'together':>9}")
    for kind in ("8-bit", "4-bit"):
        for bits, cache in ((16, "bf16"), (8, "FP8")):
            fitting = [requests_that_fit(LLAMA, BUDGET, kind, bits, length) for length in LENGTHS]
            together = requests_that_fit(LLAMA, BUDGET, kind, bits, SERVED)
            speeds = [tokens_per_second(BANDWIDTH, LLAMA, kind, bits, SERVED, count) for count in (1, together)]
            name = f"{kind} weights, {cache} cache"
            print(f"{name:25}", *(f"{count:>9}" for count in fitting), *(f"{speed:>9.0f}" for speed in speeds))


if __name__ == "__main__":
    main()
