"""Workers of a data loader that stop: each cause made to happen, and the message that names it."""

import os
import re
import signal
import time
from collections.abc import Callable

from torch.utils.data import Dataset

# isort: split
# --8<-- [start:loader]
from torch.utils.data import DataLoader
from transformers import Trainer


# Without a timeout, the loop waits for a worker that hangs for ever.
def loader_with_timeout(dataset, workers=2, seconds=60):
    return DataLoader(
        dataset, batch_size=2, num_workers=workers, timeout=seconds
    )


# --8<-- [end:loader]
# --8<-- [start:trainer]
# Use it in place of Trainer, with dataloader_num_workers of 1 or more.
class TrainerWithTimeout(Trainer):
    loader_timeout = 60  # seconds

    def get_train_dataloader(self):
        loader = super().get_train_dataloader()
        loader.base_dataloader.timeout = self.loader_timeout
        return loader


# --8<-- [end:trainer]


class Stops(Dataset):
    """A dataset of eight numbers, in which reading the fifth does not go well."""

    def __init__(self, cause: Callable[[], object]) -> None:
        self.cause = cause

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            self.cause()
        return index


def hang() -> None:
    """A download, a lock or a file system that never answers."""
    time.sleep(60)


def be_killed() -> None:
    """What the kernel does to a worker that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def message(cause: Callable[[], object]) -> str:
    """What the training loop gets to see."""
    try:
        for _ in loader_with_timeout(Stops(cause), seconds=3):
            pass
    except RuntimeError as error:
        return str(error)
    return "no error"


def main() -> None:
    for name, cause in {"hangs": hang, "is killed": be_killed}.items():
        said = re.sub(r"\d+\)", "…)", message(cause).splitlines()[0])  # The number of the process.
        print(f"A worker that {name}: {said}")


if __name__ == "__main__":
    main()
