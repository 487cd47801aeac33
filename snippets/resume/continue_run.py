"""Trainer: a run that was killed goes on from its newest checkpoint."""

import os
import signal
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from _resume import device, on_ranks, tiny_dataset, tiny_model
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from transformers import TrainerCallback

# isort: split
# --8<-- [start:continue]
from transformers import Trainer, TrainingArguments


def continue_run(model, dataset, **options):
    args = TrainingArguments(**options)
    trainer = Trainer(model, args, train_dataset=dataset)
    # The one line that differs from the run that was killed.
    trainer.train(resume_from_checkpoint=True)
    return trainer
# --8<-- [end:continue]


OPTIONS = {"max_steps": 6, "save_steps": 2, "per_device_train_batch_size": 2, "use_cpu": device().type == "cpu",
           "disable_tqdm": True}


class KillAt(TrainerCallback):
    """What the kernel does to a process that takes too much memory, at the end of a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, args: TrainingArguments, state: object, control: object, **kwargs: object) -> None:
        if state.global_step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def train(folder: str, killed_at: int = 0) -> torch.Tensor:
    """The weights after six steps with a checkpoint every two; a process that is killed has none."""
    args = TrainingArguments(folder, **OPTIONS)
    trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset(rows=32), callbacks=[KillAt(killed_at)])
    with redirect_stdout(StringIO()):  # Its lines have timings.
        trainer.train()
    return weights(trainer.model)


def weights(model: torch.nn.Module) -> torch.Tensor:
    """All weights of a model in one row, on the CPU."""
    return torch.cat([each.detach().flatten().cpu() for each in model.parameters()])


def main() -> None:
    with TemporaryDirectory() as folder:
        (whole,) = on_ranks(partial(train, f"{folder}/whole"), 1)
        try:
            on_ranks(partial(train, f"{folder}/run", killed_at=5), 1)
        except ChildFailedError as error:
            print(f"Killed after step 5: exit status {error.get_first_failure()[1].exitcode}")
        print(f"Left behind: {', '.join(sorted(path.name for path in Path(folder, 'run').iterdir()))}")
        model, steps = tiny_model(), []
        model.register_forward_pre_hook(lambda *_: steps.append(1))
        with redirect_stdout(StringIO()):
            trainer = continue_run(model, tiny_dataset(rows=32), output_dir=f"{folder}/run", **OPTIONS)
        print(f"Went on for {len(steps)} steps, to step {trainer.state.global_step}")
        print(f"Each weight is that of a run that was not killed: {torch.equal(weights(trainer.model), whole)}")


if __name__ == "__main__":
    main()
