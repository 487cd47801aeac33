"""Mixed precision with fp16: autocast chooses the dtype, a scaler keeps small gradients from vanishing."""

from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from _tiny import device, linear_dtypes, run, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        # Needs an accelerator: on a CPU, Trainer silently trains in fp32.
        fp16=True,
    )
    # --8<-- [end:trainer]
    return args


def train(model: nn.Module, optimizer: torch.optim.Optimizer, batches: list[dict[str, torch.Tensor]]) -> None:
    # --8<-- [start:autocast]
    device_type = model.device.type
    scaler = torch.amp.GradScaler(device_type)

    model.train()
    for batch in batches:
        with torch.autocast(device_type, dtype=torch.float16):
            loss = model(**batch).loss

        scaler.scale(loss).backward()
        # Clipping needs the gradients themselves, not the scaled ones.
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        # The step is skipped when a gradient is infinite or not a number.
        scaler.step(optimizer)
        scaler.update()  # After a skipped step, this halves the scale.
        optimizer.zero_grad()
    # --8<-- [end:autocast]


def overflow() -> tuple[float, float, float]:
    """The largest fp16 number, the largest number that is rounded to it, and what the next one becomes."""
    # --8<-- [start:overflow]
    largest = torch.finfo(torch.float16).max
    rounded_down = torch.tensor(65519.0).to(torch.float16)
    overflown = torch.tensor(65520.0).to(torch.float16)
    # --8<-- [end:overflow]
    return largest, rounded_down.item(), overflown.item()


def main() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    train(model, torch.optim.AdamW(model.parameters(), lr=1e-3), [tiny_batch()] * 2)
    print(f"Loop:    weights {model.dtype}, activations {dtypes.pop()}")

    model = tiny_model()
    dtypes = linear_dtypes(model)
    with TemporaryDirectory() as output_dir:
        run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    print(f"Trainer: weights {model.dtype}, activations {dtypes.pop()} on {device().type}")

    largest, rounded_down, overflown = overflow()
    print(f"Largest fp16 number {largest:.0f}; 65519 becomes {rounded_down:.0f}, 65520 becomes {overflown}")


if __name__ == "__main__":
    main()
