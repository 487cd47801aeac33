"""The short training run that several folders share."""

from transformers import PrinterCallback, ProgressCallback, Trainer


def run(trainer: Trainer, steps: int = 2) -> Trainer:
    """Train for a few optimizer steps without checkpoints, and without the log, which would print timings."""
    trainer.remove_callback(PrinterCallback)
    trainer.remove_callback(ProgressCallback)
    trainer.args.max_steps = steps
    trainer.args.set_save(strategy="no")
    trainer.train()
    return trainer
