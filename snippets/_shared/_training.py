"""The tiny data and the short training run that several folders share."""

import torch
from transformers import PrinterCallback, ProgressCallback, Trainer

VOCABULARY = 256


def tiny_dataset(rows: int = 8, length: int = 16) -> list[dict[str, torch.Tensor]]:
    """Rows of `length` random token ids that are their own labels."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(VOCABULARY, (rows, length), generator=generator)
    return [{"input_ids": row, "labels": row} for row in tokens]


def run(trainer: Trainer, steps: int = 2) -> Trainer:
    """Train for a few optimizer steps without checkpoints, and without the log, which would print timings."""
    trainer.remove_callback(PrinterCallback)
    trainer.remove_callback(ProgressCallback)
    trainer.args.max_steps = steps
    trainer.args.set_save(strategy="no")
    trainer.train()
    return trainer
