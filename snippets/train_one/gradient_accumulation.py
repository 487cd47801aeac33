"""Gradient accumulation: four batches of one row give the gradients of one batch of four rows."""

from tempfile import TemporaryDirectory

import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import Trainer, TrainerCallback, TrainingArguments

from _tiny import device, gradients, relative_difference, run, tiny_dataset, tiny_model

Gradients = dict[str, torch.Tensor]
Rows = list[dict[str, torch.Tensor]]


def rows_of_unequal_length() -> Rows:
    """Four rows that predict 15, 7, 3 and 1 tokens, the rest padding."""
    rows = tiny_dataset(rows=4, length=16)
    for row, length in zip(rows, [16, 8, 4, 2], strict=True):
        row["labels"] = row["labels"].clone()
        row["labels"][length:] = -100
    return rows


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=1,
        # Each optimizer step covers 1 x 4 samples.
        gradient_accumulation_steps=4,
    )
    # --8<-- [end:trainer]
    return args


class GradientRecorder(TrainerCallback):
    """Keeps the gradients that Trainer is about to hand to the optimizer."""

    def on_pre_optimizer_step(self, *args: object, model: nn.Module, **kwargs: object) -> None:
        self.gradients = gradients(model)


def trainer_gradients(args: TrainingArguments, rows: Rows) -> Gradients:
    """The gradients at Trainer's first optimizer step."""
    recorder = GradientRecorder()
    run(Trainer(tiny_model(), args, train_dataset=rows, callbacks=[recorder]), steps=1)
    return recorder.gradients


# --8<-- [start:loop]
def accumulate(model, optimizer, dataset, accumulation_steps=4):
    loader = DataLoader(dataset, batch_size=1)
    window = []
    model.train()
    for number, batch in enumerate(loader, start=1):
        batch = {key: each.to(model.device) for key, each in batch.items()}
        window.append(batch)
        # The last window of an epoch may hold fewer batches.
        if len(window) < accumulation_steps and number < len(loader):
            continue

        # Count the labels to predict in each batch; -100 marks padding.
        # The first token of a row is not predicted.
        labels = [batch["labels"][:, 1:] for batch in window]
        counts = [(each != -100).sum() for each in labels]
        for batch, count in zip(window, counts, strict=True):
            # The model returns the batch's mean: weight it by its labels.
            loss = model(**batch).loss * count / sum(counts).clamp(min=1)
            loss.backward()

        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        window = []


# --8<-- [end:loop]


def loop_gradients(rows: Rows, accumulation_steps: int) -> Gradients:
    """The gradients at the loop's last optimizer step."""
    model = tiny_model()
    optimizer = torch.optim.AdamW(model.parameters())
    seen: list[Gradients] = []
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    accumulate(model, optimizer, rows, accumulation_steps)
    return seen[-1]


def large_batch_gradients(rows: Rows) -> Gradients:
    """The clipped gradients of all rows in one batch, without accumulation."""
    model = tiny_model()
    batch = {name: torch.stack([row[name] for row in rows]).to(device()) for name in rows[0]}
    model(**batch).loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    return gradients(model)


def mean_of_means_gradients(rows: Rows) -> Gradients:
    """What dividing each batch's mean loss by the number of batches gives: short rows weigh too much."""
    model = tiny_model()
    for row in rows:
        loss = model(**{name: tensor[None].to(device()) for name, tensor in row.items()}).loss
        (loss / len(rows)).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    return gradients(model)


def main() -> None:
    rows = rows_of_unequal_length()
    expected = large_batch_gradients(rows)
    with TemporaryDirectory() as output_dir:
        trainer = trainer_gradients(training_arguments(output_dir), rows)
    print("Relative difference from the gradients of one batch of 4 rows with 15, 7, 3 and 1 tokens:")
    print(f"  Trainer, 4 x 1 row:              {relative_difference(trainer, expected):.4f}")
    print(f"  loop, 4 x 1 row:                 {relative_difference(loop_gradients(rows, 4), expected):.4f}")
    print(f"  mean of the batches' mean loss:  {relative_difference(mean_of_means_gradients(rows), expected):.4f}")


if __name__ == "__main__":
    main()
