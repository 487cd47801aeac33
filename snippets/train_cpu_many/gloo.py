"""Training on many CPUs: torchrun starts the processes, and gloo carries the gradients between them."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from _train_cpu_many import run, single_process_norm, tiny_dataset, tiny_model
from transformers import Trainer, TrainingArguments

PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    rank: int
    processes: int
    backend: str
    wrapped: str
    linear_dtype: str
    gradient_norm: float


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,  # rows a process
        use_cpu=True,
        bf16=True,
        ddp_backend="gloo",
    )
    # --8<-- [end:trainer]
    return args


def step() -> Step:
    """One rank's part of a step on eight rows."""
    torch.set_num_threads(1)
    model = tiny_model()
    dtypes: list[torch.dtype] = []
    model.lm_head.register_forward_hook(lambda module, inputs, output: dtypes.append(output.dtype))
    with TemporaryDirectory() as folder:
        trainer = Trainer(model, training_arguments(folder), train_dataset=tiny_dataset())
        norm = run(trainer)
    return Step(
        rank=trainer.args.process_index,
        processes=trainer.args.world_size,
        backend=dist.get_backend() if dist.is_initialized() else "none",
        wrapped=type(trainer.model_wrapped).__name__,
        linear_dtype=str(dtypes[0]),
        gradient_norm=norm,
    )


def launch(*launcher: str) -> list[Step]:
    """What the processes that `launcher` starts say, in the order of their ranks. Raises CalledProcessError."""
    # --8<-- [start:launch]
    # Each process computes with its share of the cores.
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *launcher, __file__]
    # --8<-- [end:launch]
    answer = subprocess.run(command, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    steps = [Step(**json.loads(line)) for line in answer.stdout.splitlines() if line.startswith("{")]
    return sorted(steps, key=lambda step: step.rank)


def by_torchrun() -> list[Step]:
    """The processes that torchrun starts on this machine."""
    return launch("torch.distributed.run", "--standalone", "--nproc-per-node", str(PROCESSES))


def main() -> None:
    if "RANK" in os.environ:  # torchrun has started this process.
        # The line and its end at once, so that no other process's line comes between.
        sys.stdout.write(json.dumps(asdict(step())) + "\n")
        return
    for seen in by_torchrun():
        print(f"Rank {seen.rank} of {seen.processes}: {seen.backend}, {seen.wrapped}, linear layers in", end=" ")
        print(f"{seen.linear_dtype}, norm of the gradients {seen.gradient_norm:.2f}")
    print(f"One process with all rows, in fp32: norm {single_process_norm():.2f}")


if __name__ == "__main__":
    main()
