"""Trainer on several ranks: a signal to one of them ends all at the same step, and another number of ranks goes on."""

import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from _resume import on_ranks, tiny_dataset, tiny_model
from transformers import PrinterCallback, ProgressCallback
from whole_checkpoint import ListFiles

# isort: split
# --8<-- [start:callback]
import os
import signal

import torch
import torch.distributed as dist
from transformers import Trainer, TrainerCallback, TrainingArguments


class SaveOnSignal(TrainerCallback):
    def __init__(self, number=signal.SIGTERM):
        self.number, self.received, self.group = number, False, None

    def receive(self, *_):
        self.received = True

    def on_train_begin(self, args, state, control, **kwargs):
        if dist.is_initialized():
            # On the CPUs: reading a GPU's tensor waits for its kernels.
            self.group = dist.new_group(backend="gloo")
        self.previous = signal.signal(self.number, self.receive)

    def on_step_end(self, args, state, control, **kwargs):
        received = torch.tensor(int(self.received))
        if self.group is not None:
            # All ranks stop after the same step, whichever was told.
            dist.all_reduce(received, dist.ReduceOp.MAX, self.group)
        if received:
            control.should_save = True
            control.should_training_stop = True

    def on_train_end(self, args, state, control, **kwargs):
        signal.signal(self.number, self.previous)


# --8<-- [end:callback]


# --8<-- [start:trainer]
def build(model, dataset, folder, samples_per_step=8, **more):
    settings = {
        "per_device_train_batch_size": 2,
        "num_train_epochs": 2,
        "save_steps": 500,
        "use_cpu": not torch.accelerator.is_available(),
    } | more
    ranks = int(os.environ.get("WORLD_SIZE", 1))
    batch = settings["per_device_train_batch_size"] * ranks
    if samples_per_step % batch:
        raise ValueError(f"no multiple of {batch}: {samples_per_step=}")
    # The samples of a step stay the same on any number of ranks.
    settings["gradient_accumulation_steps"] = samples_per_step // batch
    args = TrainingArguments(folder, **settings)
    callbacks = [SaveOnSignal(), ListFiles()]
    return Trainer(model, args, train_dataset=dataset, callbacks=callbacks)


# --8<-- [end:trainer]


class Preempt(TrainerCallback):
    """What the scheduler of a cluster does: it signals rank 1 in the middle of a step, and that one alone."""

    def on_substep_end(self, args: TrainingArguments, state: object, control: object, **kwargs: object) -> None:
        if state.global_step == 2 and args.process_index == 1:
            os.kill(os.getpid(), signal.SIGTERM)


def train(folder: str, preempted: bool = False, checkpoint: str | None = None) -> dict[str, object]:
    """The step at which a run of 8 steps ended on this rank, and the weights it ended with."""
    trainer = build(tiny_model(), tiny_dataset(rows=32), folder, learning_rate=1e-2)
    trainer.remove_callback(PrinterCallback)  # Its lines would have timings.
    trainer.remove_callback(ProgressCallback)
    if preempted:
        trainer.add_callback(Preempt())
    trainer.train(resume_from_checkpoint=checkpoint)
    weights = torch.cat([p.detach().flatten() for p in trainer.model.parameters()])
    return {"step": trainer.state.global_step, "weights": weights.cpu()}


def main() -> None:
    with TemporaryDirectory() as folder:
        whole = on_ranks(partial(train, f"{folder}/whole"), 2)
        ended = on_ranks(partial(train, f"{folder}/preempted", preempted=True), 2)
        saved = sorted(path.name for path in Path(folder, "preempted").glob("checkpoint-*"))
        steps = [each["step"] for each in ended]
        print(f"One rank of two was signalled; they ended after the steps {steps}, saved: {', '.join(saved)}")
        for ranks in (2, 1):
            copy = shutil.copytree(f"{folder}/preempted", f"{folder}/{ranks}")
            resumed = on_ranks(partial(train, copy, checkpoint=f"{copy}/{saved[0]}"), ranks)
            difference = (resumed[0]["weights"] - whole[0]["weights"]).abs().max().item()
            moved = (ended[0]["weights"] - whole[0]["weights"]).abs().max().item()
            same = difference < 1e-3 * moved
            print(f"Resumed on {ranks}, after step {resumed[0]['step']} the weights are those of the whole run: {same}")


if __name__ == "__main__":
    main()
