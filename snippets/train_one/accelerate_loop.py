"""Accelerate: the plain PyTorch loop, and the same loop with mixed precision, accumulation and any device."""

import torch

# --8<-- [start:imports]
from accelerate import Accelerator

# --8<-- [end:imports]
from torch.utils.data import DataLoader

from _tiny import device, linear_dtypes, tiny_dataset, tiny_model


# --8<-- [start:before]
def plain_loop(model, dataset):
    losses = []
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=1)
    accumulation_steps = 4

    model.train()
    for step, batch in enumerate(loader, start=1):
        batch = {key: each.to(model.device) for key, each in batch.items()}
        loss = model(**batch).loss
        (loss / accumulation_steps).backward()
        losses.append(loss.item())

        # The last window of an epoch may hold fewer batches.
        if step % accumulation_steps == 0 or step == len(loader):
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
    return losses


# --8<-- [end:before]


# --8<-- [start:after]
def accelerate_loop(model, dataset, mixed_precision="bf16"):
    losses = []
    accelerator = Accelerator(
        mixed_precision=mixed_precision, gradient_accumulation_steps=4
    )

    model.activation_checkpointing_enable()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    model.train()
    for batch in loader:  # The batches come on the right device.
        with accelerator.accumulate(model):
            loss = model(**batch).loss
            # Divides the loss by the number of accumulation steps.
            accelerator.backward(loss)
            losses.append(loss.item())

            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            # Does nothing inside a window, and steps at the epoch's end.
            optimizer.step()
            optimizer.zero_grad()
    return losses


# --8<-- [end:after]


def main() -> None:
    dataset = tiny_dataset(rows=8)
    plain = plain_loop(tiny_model(), dataset)
    model = tiny_model()
    dtypes = linear_dtypes(model)
    accelerated = accelerate_loop(model, dataset)
    print(f"On {device().type}: linear layers put out {', '.join(map(str, dtypes))}, weights are {model.dtype}")
    for name, losses in [("plain loop, fp32", plain), ("Accelerate, bf16", accelerated)]:
        print(f"{name:17} losses {' '.join(f'{loss:.2f}' for loss in losses)}")


if __name__ == "__main__":
    main()
