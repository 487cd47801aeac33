"""The overfit check: a model that can learn learns one batch by heart; if it cannot, a figure shows the reason."""

import math
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import transformers
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _training import VOCABULARY, tiny_dataset

# isort: split
# --8<-- [start:imports]
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

# --8<-- [end:imports]


# --8<-- [start:tiny]
# Your kind of model with two narrow layers and random weights.
def tiny_model(name):
    config = AutoConfig.from_pretrained(
        name,
        num_hidden_layers=2,
        hidden_size=256,
        intermediate_size=512,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
    )
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32)


# --8<-- [end:tiny]


# --8<-- [start:overfit]
# Trains on one batch alone, and returns what tells the causes apart.
def overfit(model, batch, optimizer, steps=100):
    batch = {name: each.to(model.device) for name, each in batch.items()}
    weights = [each for each in model.parameters() if each.requires_grad]
    before = [each.detach().flatten()[:1000].clone() for each in weights]
    losses, norms = [], []
    model.train()
    for _ in range(steps):
        loss = model(**batch).loss
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(weights, 1.0).item())
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    after = [each.detach().flatten()[:1000] for each in weights]
    changed = torch.cat(before) != torch.cat(after)
    return {
        "tokens": (batch["labels"] != -100).sum().item(),
        "trained": sum(map(torch.numel, weights)) / model.num_parameters(),
        "norm": norms[0],
        "changed": changed.float().mean().item(),
        "first": losses[0],
        "last": losses[-1],
    }


# --8<-- [end:overfit]


def checkpoint(folder: str) -> str:
    """The configuration of a model of four layers, as the hub has it."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "vocab_size": VOCABULARY}
    LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2).save_pretrained(folder)
    return folder


def batch() -> dict[str, torch.Tensor]:
    """Four samples of random tokens, which only a model that learns them by heart predicts."""
    rows = [row["labels"] for row in tiny_dataset(rows=4, length=32)]
    return {"input_ids": torch.stack(rows), "labels": torch.stack(rows)}


def masked() -> dict[str, torch.Tensor]:
    """The same samples, none of whose tokens counts in the loss."""
    return {**batch(), "labels": torch.full((4, 32), -100)}


def checked(
    model: LlamaForCausalLM, lr: float = 1e-3, of: LlamaForCausalLM | None = None, steps: int = 20,
    samples: dict[str, torch.Tensor] | None = None,
) -> dict[str, float]:
    """The figures of the check with AdamW; `of` is the model whose weights the optimizer holds, if it is another."""
    optimizer = torch.optim.AdamW((of or model).parameters(), lr)
    return overfit(model, samples or batch(), optimizer, steps)


def frozen(model: LlamaForCausalLM) -> LlamaForCausalLM:
    """The model with all weights frozen but those of its last norm."""
    model.requires_grad_(False)
    model.model.norm.requires_grad_(True)
    return model


def causes(name: str) -> dict[str, dict[str, float]]:
    """The figures of a model that learns, and those of each cause that keeps it from learning."""

    def model() -> LlamaForCausalLM:
        torch.manual_seed(0)
        return tiny_model(name)

    return {
        "learns": checked(model()),
        "no token counts": checked(model(), samples=masked(), steps=2),
        "all but a norm frozen": checked(frozen(model())),
        "optimizer of another model": checked(model(), of=model()),
        "weights in bf16, lr 1e-5": checked(model().to(torch.bfloat16), lr=1e-5),
        "weights in fp32, lr 1e-5": checked(model(), lr=1e-5),
    }


def main() -> None:
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    with TemporaryDirectory() as folder:
        found = causes(checkpoint(folder))
    print(f"ln({VOCABULARY}) = {math.log(VOCABULARY):.2f}")
    forms = {"tokens": ".0f", "trained": ".1%", "norm": ".2g", "changed": ".0%", "first": ".2f", "last": ".2f"}
    for name, figures in found.items():
        print(f"{name}: " + ", ".join(f"{key} {figures[key]:{form}}" for key, form in forms.items()))


if __name__ == "__main__":
    main()
