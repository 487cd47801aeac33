"""The processes, the tiny model and the tiny data that the snippets of this folder share."""

import multiprocessing
import os
import sys
import uuid
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch.distributed.launcher.api import LaunchConfig, elastic_launch
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback, ProgressCallback, Trainer

T = TypeVar("T")
VOCABULARY = 256
IMPORTED = ["transformers.models.llama.modeling_llama", "transformers.trainer", "deepspeed"]
os.environ.setdefault("DS_ACCELERATOR", "cuda" if torch.cuda.is_available() else "cpu")  # It prints a guess otherwise.


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def on_rank(function: Callable[[], T]) -> T:
    """Run `function` as one of torchrun's processes, with a process group around it."""
    import deepspeed  # Once DS_ACCELERATOR is set.

    torch.set_num_threads(1)
    if device().type != "cpu":
        torch.accelerator.set_device_index(int(os.environ["LOCAL_RANK"]))
    backend = "gloo" if device().type == "cpu" else None  # None is the accelerator's own: NCCL on CUDA.
    dist.init_process_group(backend, timeout=timedelta(minutes=2))
    # Or DeepSpeed compiles a sum through shared memory, whose waiting takes all cores; gloo does without.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    try:
        with redirect_stdout(sys.stderr):  # DeepSpeed logs there.
            return function()
    finally:
        dist.destroy_process_group()


def gathered(function: Callable[[], T]) -> list[T]:
    """What `function` returns on every rank, on every rank."""
    result = function()
    results: list[T] = [result] * dist.get_world_size()
    dist.all_gather_object(results, result)
    return results


def on_ranks(function: Callable[[], T], processes: int) -> list[T]:
    """What `function`, which a module names, returns on each rank.

    Started by torchrun, this process is one of the ranks; all but the first end here, so that one of them prints.
    Otherwise `processes` are started as `torchrun --standalone` starts them, on a free port of this machine. They
    are forked from a server that has imported transformers, once for all of them, and end when this process does.
    """
    if "RANK" in os.environ:
        results = on_rank(lambda: gathered(function))
        if os.environ["RANK"] != "0":
            sys.exit()
        return results
    multiprocessing.set_forkserver_preload(IMPORTED)
    launch = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        start_method="forkserver",
        run_id=str(uuid.uuid4()),
        max_restarts=0,
    )
    results = elastic_launch(launch, on_rank)(function)
    return [results[rank] for rank in range(processes)]


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 200 000 random weights, the same at every call and on every rank; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, use_cache=False, **sizes)).to(device())


def tiny_dataset(rows: int = 8, length: int = 16) -> list[dict[str, torch.Tensor]]:
    """Rows of `length` random token ids that are their own labels."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(VOCABULARY, (rows, length), generator=generator)
    return [{"input_ids": row, "labels": row} for row in tokens]


def single_process_norm() -> float:
    """The norm of the gradients of all rows, on one process in fp32."""
    model = tiny_model()
    rows = torch.stack([row["input_ids"] for row in tiny_dataset()]).to(device())
    model(input_ids=rows, labels=rows).loss.backward()
    return torch.nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()]).item()


def run(trainer: Trainer, steps: int = 1) -> Trainer:
    """Train for a few optimizer steps without checkpoints, and without the log, which would print timings."""
    trainer.remove_callback(PrinterCallback)
    trainer.remove_callback(ProgressCallback)
    trainer.args.max_steps = steps
    trainer.args.set_save(strategy="no")
    trainer.train()
    return trainer
