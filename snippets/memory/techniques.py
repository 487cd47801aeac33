"""Memory by technique and by kind of what it holds, for bert-large: simulated, no weight is ever stored."""

# --8<-- [start:imports]
import bitsandbytes as bnb
import torch
from transformers import Adafactor, BertConfig, BertForMaskedLM

# --8<-- [end:imports]
from peak import simulate


# --8<-- [start:bert]
def bert_large():
    config = BertConfig(
        hidden_size=1024,
        intermediate_size=4096,
        num_hidden_layers=24,
        num_attention_heads=16,
        attention_probs_dropout_prob=0.0,
    )
    return BertForMaskedLM(config)


# --8<-- [end:bert]


# --8<-- [start:techniques]
# A function that builds the same model with checkpointing.
def checkpointed(build):
    def build_checkpointed():
        model = build()
        model.activation_checkpointing_enable()
        return model

    return build_checkpointed


def adafactor(weights):
    return Adafactor(
        weights, lr=1e-3, scale_parameter=False, relative_step=False
    )


# For every technique the bytes at the peak of a step, by kind.
def techniques(build, **batch):
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
    return {
        name: simulate(**{"build": build, **batch, **step}).peak()
        for name, step in steps.items()
    }


def show(name, build, length=128):
    kinds = ("weights", "gradients", "optimizer", "activations")
    print(f"{name}, 8 rows of {length} tokens, GB at the peak of a step")
    print(" " * 26, *(f"{kind:>11}" for kind in (*kinds, "sum")))
    for technique, peak in techniques(build, length=length).items():
        held = [*(peak[kind] for kind in kinds), peak.total()]
        print(f"{technique:26}", *(f"{size / 1e9:11.2f}" for size in held))


# --8<-- [end:techniques]


def main() -> None:
    # --8<-- [start:show]
    show("bert-large", bert_large)
    # --8<-- [end:show]


if __name__ == "__main__":
    main()
