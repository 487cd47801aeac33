"""Data-loading stalls: how long each step waits for its batch, with and without worker processes."""

import time

from _profiling import tiny_model

# isort: split
# --8<-- [start:measure]
from collections.abc import Iterable
from time import perf_counter

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import PreTrainedModel


# `dtype`: that of the training, torch.bfloat16 for `bf16=True`.
def waiting_share(
    model: PreTrainedModel, loader: Iterable, dtype=torch.float32
) -> float:
    mixed = dtype != torch.float32
    waited = start = ready = 0.0
    model.train()
    for batch in loader:
        now = perf_counter()
        if ready:
            waited += now - ready
        else:  # The first wait includes the start of the workers.
            start = now
        batch = {k: v.to(model.device) for k, v in batch.items()}
        with torch.autocast(model.device.type, dtype, enabled=mixed):
            loss = model(**batch).loss
        loss.backward()
        model.zero_grad()  # Only the time matters.
        if model.device.type != "cpu":
            torch.accelerator.synchronize()  # Else the next wait hides it.
        ready = perf_counter()
    return waited / (ready - start)
# --8<-- [end:measure]


class SlowSamples(Dataset):
    """Samples that take a while to make, as decoding and tokenizing do."""

    def __init__(self, count: int = 30, seconds: float = 0.01) -> None:
        self.count, self.seconds = count, seconds

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        time.sleep(self.seconds)
        row = torch.full((256,), 1 + index % 255)
        return {"input_ids": row, "labels": row}


def main() -> None:
    torch.set_num_threads(1)
    model = tiny_model()
    for workers in (0, 2):
        loader = DataLoader(SlowSamples(), batch_size=4, num_workers=workers, prefetch_factor=4 if workers else None)
        share = waiting_share(model, loader)
        print(f"{workers} workers: {share:.0%} of the time is spent waiting for data")


if __name__ == "__main__":
    main()
