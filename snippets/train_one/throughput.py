"""Throughput: rows a second by batch size and technique, measured on this machine."""

# --8<-- [start:imports]
import statistics
import time

# --8<-- [end:imports]
from collections.abc import Callable

import torch
from transformers import PreTrainedModel

from _tiny import device, tiny_batch, tiny_model

BATCH_SIZES = (1, 4, 16, 64)


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


# --8<-- [start:measure]
def samples_per_second(
    model, batch, dtype=torch.float32, steps=15, clock=time.perf_counter
):
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    seconds = []
    for _ in range(3 + steps):
        start = clock()
        mixed = dtype != torch.float32
        with torch.autocast(model.device.type, dtype, enabled=mixed):
            loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if torch.accelerator.is_available():
            # An accelerator works on after a call has returned.
            torch.accelerator.synchronize()
        seconds.append(clock() - start)
    # The first three steps warm up.
    return len(batch["input_ids"]) / statistics.median(seconds[3:])


# --8<-- [end:measure]


def rows_a_second(technique: str, rows: int, steps: int = 15) -> float:
    """The throughput of a technique on random rows."""
    build, dtype = techniques()[technique]
    # On a CPU the seconds that the process had it: other work on the machine then changes nothing.
    clock = time.process_time if device().type == "cpu" else time.perf_counter
    return samples_per_second(build(), tiny_batch(rows, length=32), dtype, steps, clock)


def main() -> None:
    torch.set_num_threads(1)
    print(f"Rows of 32 tokens a second on {device().type} (one core of a CPU), medians of 15 steps, two digits")
    print(f"{'rows a batch':16}{''.join(f'{rows:>10}' for rows in BATCH_SIZES)}")
    for technique in techniques():
        measured = "".join(f"{float(f'{rows_a_second(technique, rows):.2g}'):>10.0f}" for rows in BATCH_SIZES)
        print(f"{technique:16}{measured}")


if __name__ == "__main__":
    main()
