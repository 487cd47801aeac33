"""Optimizers by loss: a small Llama learns the same text with each of them, at the best of its learning rates."""

import warnings
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from math import inf, isfinite
from pydoc_data.topics import topics
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from muon import optimizers_for
from transformers import PreTrainedModel, Trainer, TrainingArguments

from _tiny import device, run, tiny_model

STEPS, EVERY = 160, 16  # every so many steps a loss is noted
LENGTH, ROWS, HELD_OUT = 64, 8, 256
SEEDS = range(3)
LOW_RANK = {"optim_target_modules": "all-linear", "optim_args": "rank=16, update_proj_gap=50"}
DEFAULTS = {"lr_scheduler_type": "linear"}
OPTIMIZERS: dict[str, dict[str, object]] = {
    "AdamW": {"optim": "adamw_torch_fused"},
    "Schedule-free AdamW": {"optim": "schedule_free_adamw", "lr_scheduler_type": "constant_with_warmup"},
    "Muon": {},
    "8-bit Adam": {"optim": "adamw_8bit"},
    "GaLore": {"optim": "galore_adamw"} | LOW_RANK,
    "APOLLO": {"optim": "apollo_adamw"} | LOW_RANK,
    "Adafactor": {"optim": "adafactor"},
    "LOMO": {"optim": "lomo", "max_grad_norm": 0.0},
}
START = {"LOMO": -1, "Muon": -4, "GaLore": -2, "APOLLO": -3}  # the first `rate` to try; else -5


class MuonAndAdamW(torch.optim.Optimizer):
    """Both optimizers of the Muon snippet as the one that `Trainer` takes."""

    def __init__(self, model: PreTrainedModel, lr: float) -> None:
        self.parts = optimizers_for(model, lr)
        super().__init__([group for part in self.parts for group in part.param_groups], {})
        self.param_groups = [group for part in self.parts for group in part.param_groups]

    def step(self, closure: None = None) -> None:
        for part in self.parts:
            part.step()


class Losses(NamedTuple):
    """The mean loss of each `EVERY` steps, and the loss of the held-out text at the end."""

    curve: list[float]
    held_out: float


@cache
def rows_of_text() -> torch.Tensor:
    """The help texts of this Python as bytes, `LENGTH` in a row."""
    text = torch.frombuffer(bytearray("".join(topics.values()), "utf-8"), dtype=torch.uint8).long()
    return text[: len(text) // LENGTH * LENGTH].view(-1, LENGTH)


def trainer_of(name: str, lr: float, seed: int, folder: str) -> Trainer:
    """A model and its optimizer before the first step; the seed is that of the order of the rows."""
    model, rows = tiny_model(num_hidden_layers=2), rows_of_text()[:-HELD_OUT]
    args = TrainingArguments(folder, learning_rate=lr, seed=seed, per_device_train_batch_size=ROWS,
                             warmup_steps=STEPS // 10, logging_steps=EVERY, **(DEFAULTS | OPTIMIZERS[name]))
    both = (MuonAndAdamW(model, lr), None) if name == "Muon" else (None, None)
    return Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows], optimizers=both)


@cache
def train(name: str, lr: float, seed: int) -> Losses:
    """The losses of one run."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        trainer = run(trainer_of(name, lr, seed, folder), STEPS)
    if hasattr(trainer.optimizer.optimizer, "eval"):
        trainer.optimizer.optimizer.eval()  # the average of the weights
    tokens = rows_of_text()[-HELD_OUT:].to(device())
    with torch.no_grad():
        loss = trainer.model.eval()(input_ids=tokens, labels=tokens).loss.item()
    return Losses([entry["loss"] for entry in trainer.state.log_history if "loss" in entry], loss)


def rate(number: int) -> float:
    """Learning rates that are about a factor of 3 apart: 0.003, 0.01, 0.03 for -5, -4, -3."""
    return (1, 3)[number % 2] * 10.0 ** (number // 2)


def best_rate(name: str, start: int) -> float:
    """The rate with the lowest held-out loss of those around it, or below it the first whose three runs all end."""
    found: dict[int, float] = {}
    best = start
    while True:
        for number in (best, best - 1, best + 1):
            if number not in found:
                loss = train(name, rate(number), 0).held_out
                found[number] = loss if isfinite(loss) else inf
        if best == (best := min(found, key=found.__getitem__)):
            break
    while not all(isfinite(train(name, rate(best), seed).held_out) for seed in SEEDS):
        best -= 1
    return rate(best)


def main() -> None:
    warnings.simplefilter("ignore", FutureWarning)  # GaLore's AdamW comes from an older transformers.
    torch.set_num_threads(1)
    parameters = tiny_model(num_hidden_layers=2).num_parameters()
    print(f"A Llama of {parameters:,} parameters, {STEPS} steps of {ROWS * LENGTH} bytes of text, {len(SEEDS)} seeds")
    for name in OPTIMIZERS:
        lr = best_rate(name, START.get(name, -5))
        runs = [train(name, lr, seed) for seed in SEEDS]
        held_out = [each.held_out for each in runs]
        print(f"{name}: learning rate {lr:g}, held-out loss {mean(held_out):.2f},"
              f" from {min(held_out):.2f} to {max(held_out):.2f}")
        print("  training:", *(f"{mean(losses):.2f}" for losses in zip(*(each.curve for each in runs), strict=True)))


if __name__ == "__main__":
    main()
