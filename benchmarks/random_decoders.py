"""Random models and ways to train them, of every family, precision, optimizer and method, by a seed."""

import random
from collections.abc import Iterable, Iterator, Sequence


def draw(number: int, seed: int | str, layers: int = 8) -> Iterator[tuple[dict, dict]]:
    """The shape, and the batch and methods of a step, `number` times."""
    chance = random.Random(seed)
    for _ in range(number):
        kv_heads, hidden = chance.choice([1, 2, 4, 8]), chance.choice([64, 128, 256, 512, 1024, 2048, 4096])
        family = chance.choice(["llama", "qwen2", "qwen3"])
        shape = {
            "vocabulary": chance.choice([1000, 8000, 32_000, 128_256]),
            "hidden": hidden,
            "intermediate": int(hidden * chance.uniform(2, 4.5)),
            "layers": chance.randint(2, layers),
            "heads": kv_heads * chance.choice([1, 2, 4]),
            "kv_heads": kv_heads,
            "head_size": chance.choice([16, 32, 64, 128]),
            "tied": chance.random() < 0.4,
            "qkv_bias": family == "qwen2",
            "qk_norm": family == "qwen3",
        }
        yield shape, {
            "batch": chance.choice([1, 2, 4, 8]),
            "length": chance.choice([16, 64, 128, 512, 1024, 2048]),
            "precision": chance.choice(["fp32", "bf16", "mixed"]),
            "checkpointing": chance.random() < 0.4,
            "accumulation": chance.random() < 0.3,
            "optimizer": chance.choice(["adamw", "adamw-8bit", "adafactor", "sgd"]),
        }


def draw_adapters(number: int, seed: int | str, layers: int = 8) -> Iterator[tuple[dict, dict]]:
    """The shape of a decoder, and the batch and methods of a step of LoRA or QLoRA on it, `number` times.

    No narrower than 256: there the tables that bitsandbytes keeps with each matrix, 1 kB, would count.
    """
    chance = random.Random(seed)
    for shape, step in draw(number, seed, layers):
        del step["precision"]
        hidden = max(shape["hidden"], 256)
        shape |= {"hidden": hidden, "intermediate": int(hidden * chance.uniform(2, 4.5))}
        yield shape, step | {"rank": chance.choice([4, 8, 16, 64]), "quantized": chance.random() < 0.5}


def shard_drawn(drawn: Iterable[tuple[dict, dict]], seed: int | str) -> Iterator[tuple[dict, dict]]:
    """The same on several ranks, with the optimizers that take a part of a matrix.

    No narrower than 256, and in eighths: what a rank pads its parts by would count.
    """
    chance = random.Random(seed)
    for shape, step in drawn:
        hidden = max(shape["hidden"], 256)
        shape |= {"hidden": hidden, "intermediate": int(hidden * chance.uniform(2, 4.5)) // 8 * 8}
        yield shape, step | {"ranks": chance.choice([2, 4, 8, 16]), "optimizer": chance.choice(["adamw", "sgd"])}


def draw_sharded(number: int, seed: int | str) -> Iterator[tuple[dict, dict]]:
    """The shape of a decoder, and the batch and methods of a step of FSDP on it, `number` times."""
    return shard_drawn(draw(number, seed, layers=4), seed)


def draw_sharded_mixtures(number: int, seed: int | str) -> Iterator[tuple[dict, dict]]:
    """The same of a mixture of experts."""
    return shard_drawn(draw_mixtures(number, seed, ("mixtral", "qwen3_moe"), layers=4), seed)


def draw_encoders(number: int, seed: int | str, layers: int = 8) -> Iterator[tuple[dict, dict]]:
    """The shape of an encoder, and the batch and methods of a step, `number` times."""
    chance = random.Random(seed)
    for _ in range(number):
        heads = chance.choice([2, 4, 8, 12, 16])
        hidden = heads * chance.choice([32, 64])
        shape = {
            "vocabulary": chance.choice([1000, 8000, 30_522, 119_547]),
            "hidden": hidden,
            "intermediate": int(hidden * chance.uniform(2, 4.5)),
            "layers": chance.randint(2, layers),
            "heads": heads,
            "positions": 512,
        }
        yield shape, {
            "batch": chance.choice([1, 4, 16, 32]),
            "length": chance.choice([16, 64, 128, 512]),
            "precision": chance.choice(["fp32", "bf16", "mixed"]),
            "checkpointing": chance.random() < 0.4,
            "accumulation": chance.random() < 0.3,
            "optimizer": chance.choice(["adamw", "adamw-8bit", "adafactor", "sgd"]),
        }


def draw_encoder_decoders(number: int, seed: int | str, layers: int = 8) -> Iterator[tuple[dict, dict]]:
    """The shape of T5, of 1.0 or 1.1, and the batch and methods of a step, `number` times."""
    chance = random.Random(seed)
    for _ in range(number):
        hidden = chance.choice([256, 512, 768, 1024, 2048])
        shape = {
            "vocabulary": chance.choice([1000, 8000, 32_128]),
            "hidden": hidden,
            "intermediate": int(hidden * chance.uniform(2, 4.5)),
            "layers": chance.randint(2, layers),
            "decoder_layers": chance.randint(2, layers),
            "heads": chance.choice([4, 6, 8, 12, 16, 32]),
            "head_size": chance.choice([32, 64, 128]),
            "gated": chance.random() < 0.5,
            "tied": chance.random() < 0.5,
        }
        yield shape, {
            "batch": chance.choice([1, 2, 4, 8, 16]),
            "length": chance.choice([16, 64, 128, 512, 1024]),
            "precision": chance.choice(["fp32", "bf16", "mixed"]),
            "checkpointing": chance.random() < 0.4,
            "accumulation": chance.random() < 0.3,
            "optimizer": chance.choice(["adamw", "adamw-8bit", "adafactor", "sgd"]),
        }


def draw_mixtures(number: int, seed: int | str, kinds: Sequence[str], layers: int = 6) -> Iterator[tuple[dict, dict]]:
    """The shape of a mixture of experts of one of `kinds`, and the batch and methods of a step, `number` times.

    What MLA attends with and to has one size, since a CPU has no fused kernel for two.
    """
    chance = random.Random(seed)
    for _ in range(number):
        kind, kv_heads = chance.choice(kinds), chance.choice([1, 2, 4, 8])
        hidden, heads = chance.choice([256, 512, 1024, 2048]), kv_heads * chance.choice([1, 2, 4])
        expert_size, latent = chance.choice([1, 2, 4, 8]) * hidden // 8, kind == "deepseek_v3"
        shape = {
            "vocabulary": chance.choice([1000, 8000, 32_000, 128_256]),
            "hidden": hidden,
            "intermediate": int(hidden * chance.uniform(2, 4.5)),
            "layers": chance.randint(2, layers),
            "heads": heads,
            "kv_heads": heads if latent else kv_heads,
            "head_size": chance.choice([64, 128] if latent else [32, 64, 128]),
            "experts": chance.choice([4, 8, 16, 32]),
            "active": chance.choice([1, 2, 4]),
            "expert_size": expert_size,
            "tied": chance.random() < 0.4,
        }
        if latent:
            ranks = {"q_rank": chance.choice([0, hidden // 4]), "kv_rank": chance.choice([64, 128, 256])}
            shape |= ranks | {"shared": expert_size * chance.choice([1, 2]), "dense": chance.randint(0, 1),
                              "rope_size": 32, "value_size": shape["head_size"]}
        if kind == "qwen3_moe":
            shape |= {"qk_norm": True, "dense": chance.randint(0, 1)}
        yield shape | {"biases": kind == "gpt_oss"}, {
            "batch": chance.choice([1, 2, 4, 8]),
            "length": chance.choice([16, 64, 128, 512, 1024]),
            "precision": chance.choice(["fp32", "bf16", "mixed"]),
            "checkpointing": chance.random() < 0.4,
            "accumulation": chance.random() < 0.3,
            "optimizer": chance.choice(["adamw", "adamw-8bit", "adafactor", "sgd"]),
        }
