"""The checkpoint that several folders share: a tiny model as the hub has it, for all ranks to load."""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import torch.distributed as dist
from transformers import PreTrainedModel


@contextmanager
def tiny_checkpoint(model: PreTrainedModel) -> Iterator[str]:
    """A folder with the model's weights as the hub has them, the same folder on every rank."""
    with TemporaryDirectory() as folder:
        folders = [folder]
        dist.broadcast_object_list(folders)
        model.save_pretrained(folders[0])  # Rank 0 alone writes.
        dist.barrier()
        yield folders[0]
        dist.barrier()
