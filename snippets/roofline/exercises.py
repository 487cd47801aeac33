"""The answers to the exercises of the roofline's page, computed from the law."""

import sys
from itertools import count
from pathlib import Path

sys.path += [str(Path(__file__).parent.parent / folder) for folder in ("_shared", "memory")]
from _llama import LLAMA_8B
from train_70b import LLAMA_70B

# isort: split
from law import (
    H100,
    Device,
    Work,
    attention_flops,
    cached_numbers,
    critical_rows,
    product,
    ridge,
    seconds,
    training,
    used_weights,
)
from layer import DEEPSEEK_V3, expert_weights, norm
from token_time import attention, even_context, products
from token_time import token as token_seconds
from transformers import LlamaConfig

A100 = Device(flops=312e12, bandwidth=2.039e12)  # SXM, 80 GB
H100_FP8 = Device(flops=1978.9e12, bandwidth=3.35e12)
DAY = 24 * 60 * 60
HOURS, TOKENS = 2.664e6, 14.8e12  # of DeepSeek V3, before it is fine-tuned (https://arxiv.org/abs/2412.19437)


def half_attention(config: LlamaConfig) -> float:
    """The length of training sequences at which attention is half of the operations."""
    return 2 * used_weights(config) / attention_flops(config, 0.5)


def verification(config: LlamaConfig, device: Device, tokens: int, context: int) -> float:
    """Seconds of one pass over several tokens of one sequence: weights and cache are read once."""
    cache = attention(config, 1, context)
    return seconds(products(config, tokens), device) + seconds(Work(tokens * cache.flops, cache.bytes), device)


def experts_met(sequences: int) -> float:
    """The share of DeepSeek V3's experts in a layer to which at least one token of a decoding batch is sent."""
    return 1 - (1 - DEEPSEEK_V3.num_experts_per_tok / DEEPSEEK_V3.n_routed_experts) ** sequences


def weights_met(sequences: int) -> float:
    """The weights of DeepSeek V3 that this batch reads: all but those of the experts that it does not meet."""
    whole, used = expert_weights(DEEPSEEK_V3)
    return whole - (1 - experts_met(sequences)) * (whole - used) / (1 - experts_met(1))


def tokens_per_second(config: LlamaConfig, length: int, mfu: float, device: Device = H100) -> float:
    """The tokens that a GPU trains on in a second."""
    return mfu * device.flops * length / training(config, 1, length)


def answers() -> dict[str, tuple[float, str]]:
    """Each answer by its name, with what it is a number of."""
    def ms(work: Work, device: Device = H100) -> float:
        return 1000 * seconds(work, device)

    head = LLAMA_8B.hidden_size * LLAMA_8B.vocab_size  # of a prompt, only the last token needs it
    rate = tokens_per_second(LLAMA_8B, 8192, mfu=0.4)
    more = next(batch for batch in count(1) if weights_met(batch) > used_weights(LLAMA_70B))
    single = 1000 * token_seconds(LLAMA_8B, H100, 1, 1024)
    several = 1000 * verification(LLAMA_8B, H100, 5, 1024)
    used = expert_weights(DEEPSEEK_V3)[1]
    mfu = 6 * used * TOKENS / (HOURS * 3600 * H100.flops)
    long = [1000 * token_seconds(LLAMA_8B, H100, 32, 8192, *types) for types in ((2, 2), (0.5, 2), (2, 1))]
    return {
        "weights that a token uses, 8B": (used_weights(LLAMA_8B) / 1e9, "billion"),
        "weights of the layers, 8B": ((used_weights(LLAMA_8B) - 4096 * 128_256) / 1e9, "billion"),
        "cache per token, 8B": (2 * cached_numbers(LLAMA_8B), "bytes"),
        "intensity of attention": (attention_flops(LLAMA_8B, 1) / (2 * cached_numbers(LLAMA_8B)), "operations"),
        "ridge, H100": (ridge(H100), "operations"),
        "ridge, A100": (ridge(A100), "operations"),
        "ridge, H100 in FP8": (ridge(H100_FP8), "operations"),
        "product, 64 samples": (1000 * ms(product(64, 4096, 14_336), A100), "microseconds"),
        "product, 512 samples": (1000 * ms(product(512, 4096, 14_336), A100), "microseconds"),
        "norm": (1000 * ms(norm(8192, 4096)), "microseconds"),
        "product beside the norm": (1000 * ms(product(8192, 4096, 14_336)), "microseconds"),
        "token, 8B alone": (single, "ms"),
        "critical batch, bf16": (critical_rows(H100), "sequences"),
        "critical batch, 4-bit weights": (critical_rows(H100, 0.5), "sequences"),
        "critical batch, FP8 weights and operations": (critical_rows(H100_FP8, 1), "sequences"),
        "caches as long as the weights": (even_context(LLAMA_8B, H100, 1), "tokens"),
        "even context, bf16 cache": (even_context(LLAMA_8B, H100, 512), "tokens"),
        "even context, FP8 cache": (even_context(LLAMA_8B, H100, 512, cache=1), "tokens"),
        "32 x 8192 tokens, bf16": (long[0], "ms"),
        "32 x 8192 tokens, 4-bit weights": (long[1], "ms"),
        "32 x 8192 tokens, FP8 cache": (long[2], "ms"),
        "prefill, 8192 tokens": (1000 * (training(LLAMA_8B, 1, 8192) / 3 - 2 * head * 8191) / H100.flops, "ms"),
        "training, tokens": (rate, "per second"),
        "training, 10 billion tokens on 8 GPUs": (10e9 / (8 * rate) / DAY, "days"),
        "attention is half": (half_attention(LLAMA_8B), "tokens"),
        "one pass, 5 tokens": (several, "ms"),
        "one pass, accepted tokens": (3 * 1000 / several, "per second"),
        "one pass, without drafts": (1000 / single, "per second"),
        "critical batch, experts of DeepSeek V3": (256 / 8 * critical_rows(H100), "sequences"),
        **{f"experts met by {batch}": (100 * experts_met(batch), "percent") for batch in (1, 8, 64)},
        "weights read by 64": (weights_met(64) / 1e9, "billion"),
        "more weights read than in 70B": (more, "sequences"),
        "weights that a token uses, DeepSeek V3": (used / 1e9, "billion"),
        "MFU of DeepSeek V3": (100 * mfu, "percent"),
        "MFU of DeepSeek V3 in FP8": (100 * mfu * H100.flops / H100_FP8.flops, "percent"),
    }


def show(answers: dict[str, tuple[float, str]]) -> None:
    """One answer in a line, with its unit."""
    print("Answers, by the law:")
    for name, (number, unit) in answers.items():
        print(f"  {name}: {number:.3f} {unit}")


if __name__ == "__main__":
    show(answers())
