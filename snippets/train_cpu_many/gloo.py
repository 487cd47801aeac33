"""Training on many CPUs: torchrun starts the processes, and gloo carries the gradients between them."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory

import torch.distributed as dist
from _train_cpu_many import run, single_process_norm, tiny_dataset, tiny_model

# isort: split
# --8<-- [start:train]
import os
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def place_of(core):
    topology = f"/sys/devices/system/cpu/cpu{core}/topology"
    return int(Path(topology, "physical_package_id").read_text()), core


# Gives each process of a machine its part of the cores, by socket.
def bind():
    cores = sorted(os.sched_getaffinity(0), key=place_of)
    count = len(cores) // int(os.environ["LOCAL_WORLD_SIZE"])
    first = int(os.environ["LOCAL_RANK"]) * count
    os.sched_setaffinity(0, cores[first : first + count])


def has_bf16():
    cpu = torch.cpu.get_capabilities()
    return cpu.get("avx512_bf16", False) or cpu.get("amx_bf16", False)


def load(checkpoint):
    # In fp32 whatever the checkpoint is in: bf16=True then computes in
    # bf16, and the weights, AdamW's state and the gradients stay in fp32.
    return AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    )


def training_arguments(output_dir):
    return TrainingArguments(
        output_dir,
        per_device_train_batch_size=4,  # rows a process
        learning_rate=1e-5,
        use_cpu=True,  # Otherwise each process trains alone.
        bf16=has_bf16(),
        ddp_backend="gloo",
    )


def train(checkpoint, texts, output_dir):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 512 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:512]
        samples.append({"input_ids": tokens, "labels": tokens})

    trainer = Trainer(
        load(checkpoint),
        training_arguments(output_dir),
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]
def program() -> None:
    """The end of the file train.py."""
    # --8<-- [start:call]
    bind()  # Leave this out with mpirun.
    # One text per line.
    texts = Path("texts.txt").read_text("utf-8").splitlines()
    train("Qwen/Qwen3-0.6B", texts, "out")
    # --8<-- [end:call]


PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    rank: int
    processes: int
    backend: str
    wrapped: str
    linear_dtype: str
    weight_dtype: str
    gradient_norm: float
    cores: list[int]


def step() -> Step:
    """One rank's part of a step on eight rows."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        tiny_model().bfloat16().save_pretrained(folder)
        model = load(folder)
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
        weight_dtype=str(model.dtype),
        gradient_norm=norm,
        cores=sorted(os.sched_getaffinity(0)),
    )


def by_torchrun() -> list[Step]:
    """What the processes that torchrun starts say, in the order of their ranks. Raises CalledProcessError."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(PROCESSES)]
    answer = subprocess.check_output([*command, __file__], env=os.environ | {"OMP_NUM_THREADS": "1"}, text=True)
    steps = [json.loads(line) for line in answer.splitlines() if line.startswith("{")]
    return sorted((Step(**step) for step in steps), key=lambda step: step.rank)


def main() -> None:
    if "RANK" in os.environ:  # torchrun has started this process.
        bind()
        # The line and its end at once, so that no other process's line comes between.
        sys.stdout.write(json.dumps(asdict(step())) + "\n")
        return
    for seen in by_torchrun():
        print(f"Rank {seen.rank} of {seen.processes}: {seen.backend}, {seen.wrapped}, linear layers in", end=" ")
        print(f"{seen.linear_dtype}, weights in {seen.weight_dtype}, norm of the gradients {seen.gradient_norm:.2f}")
    print(f"One process with all rows, in fp32: norm {single_process_norm(tiny_model()):.2f}")


if __name__ == "__main__":
    main()
