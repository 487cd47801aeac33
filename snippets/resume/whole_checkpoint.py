"""Trainer: the newest checkpoint that all ranks wrote to its end, known by the list of its files."""

import os
import signal
import time
from functools import partial
from tempfile import TemporaryDirectory

from _resume import on_ranks, tiny_dataset, tiny_model
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from transformers import PrinterCallback, ProgressCallback, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

# isort: split
# --8<-- [start:list]
import json
from pathlib import Path

import torch
import torch.distributed as dist
from transformers import TrainerCallback

LIST = "files.json"


def sizes(checkpoint):
    files = (file for file in checkpoint.rglob("*") if file.is_file())
    return {
        file.relative_to(checkpoint).as_posix(): file.stat().st_size
        for file in files
        if file.name != LIST
    }


# When all ranks have written, the first one lists the files.
class ListFiles(TrainerCallback):
    def on_save(self, args, state, control, **kwargs):
        if dist.is_initialized():
            dist.barrier()
        if state.is_world_process_zero:
            name = f"checkpoint-{state.global_step}"
            checkpoint = Path(args.output_dir, name)
            text = json.dumps(sizes(checkpoint))
            (checkpoint / LIST).write_text(text, encoding="utf-8")


# --8<-- [end:list]


# --8<-- [start:last]
def is_whole(checkpoint):
    try:
        text = (checkpoint / LIST).read_text(encoding="utf-8")
        return json.loads(text).items() <= sizes(checkpoint).items()
    except (OSError, ValueError):
        return False


# The newest checkpoint that all ranks wrote to its end, or None.
def last_checkpoint(output):
    steps = {
        int(path.name[11:]): path
        for path in Path(output).glob("checkpoint-*")
        if path.name[11:].isdecimal()
    }
    for _, checkpoint in sorted(steps.items(), reverse=True):
        if is_whole(checkpoint):
            print(f"Going on from {checkpoint}")
            return str(checkpoint)
        print(f"{checkpoint} is incomplete and left out")
    return None


# --8<-- [end:last]


def kill_in(trainer: Trainer, checkpoint: Path) -> None:
    """Have this rank killed before it writes its random state there, once rank 0 has written all that is its own."""
    save = trainer._save_rng_state

    def save_or_die(folder: str) -> None:
        if Path(folder).name == checkpoint.name:
            while not (checkpoint / "trainer_state.json").exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
        save(folder)

    trainer._save_rng_state = save_or_die


def train(folder: str, killed_in: str = "") -> None:
    """Six steps with a checkpoint every two; rank 1 is killed while it writes `killed_in`."""
    args = TrainingArguments(
        output_dir=folder,
        max_steps=6,
        save_steps=2,
        per_device_train_batch_size=2,
        use_cpu=not torch.accelerator.is_available(),
    )
    trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset(rows=32), callbacks=[ListFiles()])
    trainer.remove_callback(PrinterCallback)  # Its lines would have timings.
    trainer.remove_callback(ProgressCallback)
    if killed_in and args.process_index == 1:
        kill_in(trainer, Path(folder, killed_in))
    trainer.train()


def main() -> None:
    with TemporaryDirectory() as folder:
        output = f"{folder}/run"
        try:
            on_ranks(partial(train, output, killed_in="checkpoint-4"), 2)
        except ChildFailedError as error:
            rank, failure = error.get_first_failure()
            print(f"Rank {rank} was killed while it wrote checkpoint-4: exit status {failure.exitcode}")
        os.chdir(folder)  # So that what is printed names no folder of this machine.
        print(f"Trainer would take {Path(get_last_checkpoint('run')).name}")
        last_checkpoint("run")
        os.chdir("/")


if __name__ == "__main__":
    main()
