"""Data loading: worker processes prepare the next batches, pinned memory carries them to the GPU."""

from tempfile import TemporaryDirectory

import torch

# --8<-- [start:imports]
from torch.utils.data import DataLoader, RandomSampler

# --8<-- [end:imports]
from torch.utils.data import Dataset, get_worker_info  # isort: skip
from transformers import Trainer, TrainingArguments

from _tiny import run, tiny_dataset, tiny_model

WORKERS = 2


class CountedDataset(Dataset):
    """The tiny rows, and how many of them each worker process read; the last count is the main process's."""

    def __init__(self) -> None:
        self.rows = tiny_dataset(rows=16)
        self.reads = torch.zeros(WORKERS + 1, dtype=torch.int64).share_memory_()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        worker = get_worker_info()
        self.reads[WORKERS if worker is None else worker.id] += 1
        return self.rows[index]


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        dataloader_num_workers=2,  # By default 0.
        dataloader_persistent_workers=True,  # By default False.
        # By default True; without an accelerator there is nothing to pin for.
        dataloader_pin_memory=torch.accelerator.is_available(),
    )
    # --8<-- [end:trainer]
    return args


def loader(dataset: Dataset) -> DataLoader:
    # --8<-- [start:loader]
    # The order has its own generator: DataLoader's also seeds the workers.
    generator = torch.Generator().manual_seed(0)
    sampler = RandomSampler(dataset, generator=generator)
    loader = DataLoader(
        dataset,
        batch_size=4,
        sampler=sampler,
        # By default 0: the training process reads the data itself.
        num_workers=2,
        # Keep the workers from one epoch to the next.
        persistent_workers=True,
        # Without an accelerator there is nothing to pin for.
        pin_memory=torch.accelerator.is_available(),
    )
    # --8<-- [end:loader]
    return loader


def loader_without_workers(dataset: Dataset, seed: int = 0) -> DataLoader:
    """The same data in the same order, read by the main process."""
    sampler = RandomSampler(dataset, generator=torch.Generator().manual_seed(seed))
    return DataLoader(dataset, batch_size=4, sampler=sampler)


def same_batches() -> bool:
    """Whether two epochs with workers give the batches that they give without."""
    dataset = CountedDataset()
    with_workers, without = loader(dataset), loader_without_workers(dataset)
    pairs = [pair for _ in range(2) for pair in zip(with_workers, without, strict=True)]
    return all(torch.equal(ours["input_ids"], theirs["input_ids"]) for ours, theirs in pairs)


def main() -> None:
    dataset = CountedDataset()
    list(loader(dataset))
    print(f"Loader:  rows read by worker 0, worker 1, the main process: {dataset.reads.tolist()}")
    print(f"Loader:  same batches in the same order as without workers: {same_batches()}")
    dataset = CountedDataset()
    with TemporaryDirectory() as output_dir:
        run(Trainer(tiny_model(), training_arguments(output_dir), train_dataset=dataset), steps=4)
    print(f"Trainer: rows read by worker 0, worker 1, the main process: {dataset.reads.tolist()}")


if __name__ == "__main__":
    main()
