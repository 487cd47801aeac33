"""Schedule-free AdamW: the average of the weights takes the place of a falling learning rate."""

from tempfile import TemporaryDirectory

import torch

# --8<-- [start:imports]
from schedulefree import AdamWScheduleFree

# --8<-- [end:imports]
from transformers import PreTrainedModel, Trainer, TrainingArguments

from _tiny import run, state_bytes_per_parameter, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        optim="schedule_free_adamw",
        lr_scheduler_type="constant",
    )
    # --8<-- [end:trainer]
    return args


def train(model: PreTrainedModel, batches: list[dict[str, torch.Tensor]]) -> AdamWScheduleFree:
    # --8<-- [start:loop]
    optimizer = AdamWScheduleFree(model.parameters(), lr=1e-3)

    model.train()
    optimizer.train()
    for batch in batches:
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()

    # The weights become the average: evaluate and save now.
    model.eval()
    optimizer.eval()
    # --8<-- [end:loop]
    return optimizer


def main() -> None:
    model, batch = tiny_model(), tiny_batch()
    before = model(**batch).loss.item()
    optimizer = train(model, [batch] * 20)
    after = model(**batch).loss.item()
    optimizer.train()
    last = model(**batch).loss.item()
    print(f"State: {state_bytes_per_parameter(optimizer):.0f} bytes a parameter")
    print(f"Loss before {before:.2f}, of the average {after:.2f}, of the weights that are trained {last:.2f}")
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(tiny_model(), training_arguments(output_dir), train_dataset=tiny_dataset()))
    optimizer = trainer.optimizer.optimizer
    print(f"Trainer: {type(optimizer).__name__}, learning rate {optimizer.param_groups[0]['lr']:.5f} at the end")


if __name__ == "__main__":
    main()
