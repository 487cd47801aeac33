"""Throughput: rows a second by batch size and technique, measured on this machine."""

import statistics
from collections.abc import Callable
from contextlib import nullcontext
from time import perf_counter

import torch
from transformers import PreTrainedModel

from _tiny import device, tiny_batch, tiny_model

BATCH_SIZES = (1, 4, 16, 64)
WARM_UP = 3


def checkpointed() -> PreTrainedModel:
    model = tiny_model().train()
    model.activation_checkpointing_enable()
    return model


def techniques() -> dict[str, tuple[Callable[[], PreTrainedModel], torch.dtype]]:
    """For every technique how the model is made, and what it computes in."""
    return {
        "fp32": (tiny_model, torch.float32),
        "bf16 autocast": (tiny_model, torch.bfloat16),
        "checkpointing": (checkpointed, torch.float32),
    }


def wait() -> None:
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()


def rows_a_second(technique: str, rows: int, repeats: int = 15) -> float:
    """The median of some training steps after some that warm up."""
    build, dtype = techniques()[technique]
    model, batch = build(), tiny_batch(rows, length=32)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    # --8<-- [start:measure]
    seconds = []
    for _ in range(WARM_UP + repeats):
        wait()  # An accelerator works on after a call has returned.
        start = perf_counter()
        mixed = dtype != torch.float32
        with torch.autocast(device().type, dtype) if mixed else nullcontext():
            loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        wait()
        seconds.append(perf_counter() - start)
    throughput = rows / statistics.median(seconds[WARM_UP:])
    # --8<-- [end:measure]
    return throughput


def main() -> None:
    print(f"Rows of 32 tokens a second on {device().type}, medians of 15 steps, two digits")
    print(f"{'rows a batch':16}{''.join(f'{rows:>10}' for rows in BATCH_SIZES)}")
    for technique in techniques():
        measured = "".join(f"{float(f'{rows_a_second(technique, rows):.2g}'):>10.0f}" for rows in BATCH_SIZES)
        print(f"{technique:16}{measured}")


if __name__ == "__main__":
    main()
