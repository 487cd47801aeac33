"""FSDP2: a checkpoint that is whole or is not there, and a run that goes on from the newest one on other ranks."""

import os
import shutil
import signal
from functools import partial
from tempfile import TemporaryDirectory

from _resume import VOCABULARY, device, on_ranks, tiny_model
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

# isort: split
# --8<-- [start:imports]
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import (
    get_state_dict,
    set_state_dict,
)
from torch.distributed.fsdp import fully_shard

# --8<-- [end:imports]


# --8<-- [start:state]
# What a run is made of, as `dcp.save` and `dcp.load` take it.
class Run:
    def __init__(self, model, optimizer, schedule):
        self.model, self.optimizer = model, optimizer
        self.schedule = schedule
        self.step = 0

    def state_dict(self):
        weights, states = get_state_dict(self.model, self.optimizer)
        return {
            "model": weights,
            "optimizer": states,
            "schedule": self.schedule.state_dict(),
            "step": self.step,
        }

    def load_state_dict(self, state):
        set_state_dict(
            self.model,
            self.optimizer,
            model_state_dict=state["model"],
            optim_state_dict=state["optimizer"],
        )
        self.schedule.load_state_dict(state["schedule"])
        self.step = state["step"]


# --8<-- [end:state]


# --8<-- [start:save]
# Renamed once all ranks have written: what has the name is whole.
def save(run, folder):
    path = Path(folder, f"step-{run.step:08}")
    partial = path.with_suffix(".partial")
    dcp.save({"run": run}, checkpoint_id=partial)
    if dist.get_rank() == 0:
        partial.rename(path)
    dist.barrier()


def resume(run, folder):
    whole = sorted(Path(folder).glob("step-????????"))
    if whole:
        dcp.load({"run": run}, checkpoint_id=whole[-1])


# --8<-- [end:save]


# --8<-- [start:train]
def train(run, folder, dataset, steps, batch=8, every=2):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if batch % ranks:
        raise ValueError(f"{ranks} ranks do not divide {batch} samples")
    resume(run, folder)
    run.model.train()
    while run.step < steps:
        # Samples and random numbers follow from the number of the step,
        # so neither has to be saved.
        torch.manual_seed(run.step * ranks + rank)
        row = run.step % (len(dataset) // batch) * batch
        samples = dataset[row : row + batch].chunk(ranks)[rank]
        run.model(input_ids=samples, labels=samples).loss.backward()
        run.optimizer.step()
        run.optimizer.zero_grad()
        run.schedule.step()
        run.step += 1
        if run.step % every == 0:
            save(run, folder)


# --8<-- [end:train]


def build() -> Run:
    """A sharded model with its optimizer and a learning rate that falls."""
    model = tiny_model()
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    return Run(model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8))


def kill(*_: object) -> None:
    """What the kernel does to a process that takes too much memory: nothing of it runs any more."""
    os.kill(os.getpid(), signal.SIGKILL)


def on_rank(folder: str, steps: int = 6, killed_at: int = 0) -> torch.Tensor:
    """The weights after all steps; with `killed_at`, rank 0 is killed before it renames that checkpoint."""
    Path(folder).mkdir(exist_ok=True)
    if killed_at:
        rename = Path.rename
        Path.rename = lambda self, path: kill() if path.name.endswith(f"{killed_at:08}") else rename(self, path)
    run = build()
    dataset = torch.randint(VOCABULARY, (48, 12), generator=torch.Generator().manual_seed(0)).to(device())
    train(run, folder, dataset, steps)
    return torch.cat([p.full_tensor().detach().flatten().cpu() for p in run.model.parameters()])


def main() -> None:
    with TemporaryDirectory() as folder:
        whole = on_ranks(partial(on_rank, f"{folder}/whole"), 2)[0]
        try:
            on_ranks(partial(on_rank, f"{folder}/killed", killed_at=4), 2)
        except ChildFailedError as error:
            rank, failure = error.get_first_failure()
            print(f"Rank {rank} was killed: exit status {failure.exitcode}")
        print(f"Left behind: {', '.join(sorted(path.name for path in Path(folder, 'killed').iterdir()))}")
        for ranks in (2, 4, 1):
            copy = shutil.copytree(f"{folder}/killed", f"{folder}/{ranks}")
            weights = on_ranks(partial(on_rank, copy), ranks)[0]
            difference = (weights - whole).abs().max().item()
            print(f"Resumed on {ranks}: the weights are those of a run that was not killed: {difference < 1e-5}")


if __name__ == "__main__":
    main()
