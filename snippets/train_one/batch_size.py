"""Batch size: start too large and let accelerate shrink it (by 0.9 a try in accelerate 1.15) until it fits."""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import torch

# --8<-- [start:imports]
from accelerate.utils import find_executable_batch_size
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

# --8<-- [end:imports]
from _tiny import device, run, tiny_checkpoint, tiny_dataset, tiny_model

Rows = list[dict[str, torch.Tensor]]


@contextmanager
def memory_budget(limit: int) -> Iterator[None]:
    """Refuse to keep more than `limit` bytes for a backward pass, with the error of a device that is full."""
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        if sum(kept.values()) > limit:
            kept.clear()
            # accelerate looks for " out of memory." in the message.
            raise torch.OutOfMemoryError(f"The budget of {limit} bytes is out of memory.")
        return tensor

    def unpack(tensor: torch.Tensor) -> torch.Tensor:
        kept.clear()  # The backward pass has begun: the next forward pass starts from nothing.
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=32,  # The search starts here.
        auto_find_batch_size=True,
    )
    # --8<-- [end:trainer]
    return args


def find(dataset: Rows, checkpoint: str, device: torch.device) -> list[int]:
    """The batch sizes that were tried; the last one fits."""
    # --8<-- [start:find]
    tried = []

    @find_executable_batch_size(starting_batch_size=32)
    def train(batch_size):
        # Make all that takes memory here: a failed try then leaves nothing.
        model = AutoModelForCausalLM.from_pretrained(
            checkpoint, dtype=torch.float32
        ).to(device)
        optimizer = torch.optim.AdamW(model.parameters())
        tried.append(batch_size)

        model.train()  # Otherwise, dropout and checkpointing are off.
        for batch in DataLoader(dataset, batch_size=batch_size):
            batch = {key: value.to(device) for key, value in batch.items()}
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return batch_size

    batch_size = train()
    # --8<-- [end:find]
    assert batch_size == tried[-1]
    return tried


def trainer_batch_size(args: TrainingArguments, dataset: Rows) -> int:
    """The batch size that Trainer ends up with."""
    trainer = run(Trainer(tiny_model(), args, train_dataset=dataset))
    return trainer.state.train_batch_size


def main() -> None:
    dataset = tiny_dataset(rows=32, length=32)
    budget = 16_000_000
    with tiny_checkpoint() as checkpoint, memory_budget(budget), TemporaryDirectory() as output_dir:
        tried = find(dataset, checkpoint, device())
        found = trainer_batch_size(training_arguments(output_dir), dataset)
    print(f"With {budget:,} bytes for activations on {device().type}:")
    print(f"  tried {', '.join(map(str, tried))} rows; {tried[-1]} fit")
    print(f"  Trainer found {found} rows")


if __name__ == "__main__":
    main()
