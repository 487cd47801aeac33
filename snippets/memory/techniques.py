"""Memory by technique and by kind of what it holds, for bert-large: simulated, no weight is ever stored."""

from collections import Counter
from collections.abc import Callable, Iterator

import bitsandbytes as bnb
import torch
from peak import simulate
from transformers import Adafactor, BertConfig, BertForMaskedLM, PreTrainedModel

KINDS = ("weights", "gradients", "optimizer", "activations")
Build = Callable[[], PreTrainedModel]


def bert_large() -> PreTrainedModel:
    # --8<-- [start:bert]
    config = BertConfig(
        hidden_size=1024,
        intermediate_size=4096,
        num_hidden_layers=24,
        num_attention_heads=16,
        # With dropout, PyTorch has no fused attention on a CPU.
        attention_probs_dropout_prob=0.0,
    )
    model = BertForMaskedLM(config)
    # --8<-- [end:bert]
    return model


def checkpointed(build: Build) -> Build:
    """`build`, with checkpointing."""

    def build_checkpointed() -> PreTrainedModel:
        model = build()
        model.activation_checkpointing_enable()
        return model

    return build_checkpointed


def adafactor(weights: Iterator[torch.nn.Parameter]) -> torch.optim.Optimizer:
    return Adafactor(weights, lr=1e-3, scale_parameter=False, relative_step=False)


def techniques(build: Build, **batch: int) -> dict[str, Counter[str]]:
    """For every technique the bytes at the peak of a step, by kind."""
    # --8<-- [start:techniques]
    steps = {
        "AdamW in fp32": {},
        "bf16 autocast": {"precision": torch.bfloat16},
        "accumulation, 4 pieces": {"pieces": 4},
        "checkpointing": {"build": checkpointed(build)},
        "8-bit AdamW": {"optimizer_for": bnb.optim.AdamW8bit},
        "Adafactor": {"optimizer_for": adafactor},
        "checkpointing, 8-bit AdamW": {
            "build": checkpointed(build),
            "optimizer_for": bnb.optim.AdamW8bit,
        },
    }
    table = {
        name: simulate(**{"build": build, **batch, **step}).peak()
        for name, step in steps.items()
    }
    # --8<-- [end:techniques]
    return table


def show(name: str, build: Build) -> None:
    print(f"{name}, 8 rows of 128 tokens, GB at the peak of a step")
    print(f"{'':27}{''.join(f'{kind:>{len(kind) + 2}}' for kind in KINDS)}{'sum':>8}")
    for technique, peak in techniques(build).items():
        held = "".join(f"{peak[kind] / 1e9:{len(kind) + 2}.2f}" for kind in KINDS)
        print(f"{technique:27}{held}{peak.total() / 1e9:8.2f}")


def main() -> None:
    show("bert-large", bert_large)


if __name__ == "__main__":
    main()
