"""Mixed precision with bf16: the range of fp32 in half the bytes, so that no scaler is needed."""

from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

from _tiny import linear_dtypes, run, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        bf16=True,
        # Without an accelerator, bf16=True fails unless this is set.
        use_cpu=not torch.accelerator.is_available(),
    )
    # --8<-- [end:trainer]
    return args


def train(model: nn.Module, optimizer: torch.optim.Optimizer, batches: list[dict[str, torch.Tensor]]) -> None:
    # --8<-- [start:autocast]
    model.train()
    for batch in batches:
        with torch.autocast(model.device.type, dtype=torch.bfloat16):
            loss = model(**batch).loss

        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
    # --8<-- [end:autocast]


def ranges() -> dict[str, tuple[float, float]]:
    """For each format: the largest number, and the distance from 1 to the next number."""
    # --8<-- [start:ranges]
    formats = {
        "fp32": torch.finfo(torch.float32),
        "bf16": torch.finfo(torch.bfloat16),
        "fp16": torch.finfo(torch.float16),
    }
    table = {name: (info.max, info.eps) for name, info in formats.items()}
    # --8<-- [end:ranges]
    return table


def main() -> None:
    model = tiny_model()
    dtypes = linear_dtypes(model)
    train(model, torch.optim.AdamW(model.parameters(), lr=1e-3), [tiny_batch()] * 2)
    print(f"Loop:    weights {model.dtype}, activations {dtypes.pop()}")

    model = tiny_model()
    dtypes = linear_dtypes(model)
    with TemporaryDirectory() as output_dir:
        run(Trainer(model, training_arguments(output_dir), train_dataset=tiny_dataset()))
    print(f"Trainer: weights {model.dtype}, activations {dtypes.pop()}")

    for name, (largest, step) in ranges().items():
        print(f"{name}: largest number {largest:.3e}, from 1 to the next number {step:.2e}")


if __name__ == "__main__":
    main()
